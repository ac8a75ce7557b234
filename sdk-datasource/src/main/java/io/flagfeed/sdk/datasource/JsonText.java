package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.SequenceInputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON as it arrives, and cuts values out of it without taking them apart.
 *
 * <p>At the first thing that is wrong, or that is right but beyond what services write (deep nesting, endless numbers),
 * it hands the rest of the text to Gson's strict reader, which decides and words the complaint. So what is valid, and
 * what a message says, is always as Gson has it; that Gson has seen only the rest is made good in {@link #located}. One
 * column is not: of a control character in a string Gson says where its buffer was last filled, if that was within the
 * string.
 *
 * <p>Where the text comes from may throw; that comes out as {@link UncheckedIOException}, to be told from what Gson
 * throws.
 */
final class JsonText {
    /**
     * An object that was cut out.
     *
     * @param text of the object, without white space between its parts
     * @param canonical whether the text is as Gson would write it
     * @param version the text of the number in its member {@code version}, or 0
     * @param deleted whether its member {@code deleted} is true
     */
    record Value(String text, boolean canonical, String version, boolean deleted) {}

    static final int SMALL = 8 * 1024; // holds most items
    static final int LARGE = 64 * 1024; // holds so many that few are scanned twice

    private static final int DEEPEST = 200; // Gson's own limit is a little further on
    private static final int LONGEST_NUMBER = 300; // likewise
    private static final Pattern PLACE = Pattern.compile("at line (\\d+) column (\\d+) path");

    private InputStream source;
    private byte[] buffer;
    private int at; // the next byte
    private int end; // of what was read
    private boolean ended; // whether that is the end of the text
    private boolean starved; // whether what is scanned goes on where nothing was read yet
    private int kept; // what is before it in the buffer may be given up
    private boolean keepsAll;
    private long given; // up: how many bytes
    private int line; // from zero
    private long lineStart;
    private long surplus; // bytes so far beyond one for each char

    // where what is being read began
    private int keptLine;
    private long keptLineStart;
    private long keptSurplus;

    private final List<@Nullable String> names =
            new ArrayList<>(); // of the member in each open object; null before the first
    private boolean inMember; // whether its name was read and its value was not
    private boolean over; // whether the outermost object was closed

    // of what is scanned
    private boolean spaced; // whether there was white space
    private boolean odd; // whether a string is written in another way than Gson's
    private boolean foreign; // whether there was anything but ASCII
    private final char[] outside = new char[DEEPEST]; // for each open object or array the state to go on in behind it

    private @Nullable JsonReader gson; // null until something unusual came
    private int replayed; // characters that Gson read and that are not in the text
    private int gsonLine; // where the text begins that Gson has, from zero
    private long gsonColumn;

    /** For one text after the other, with a buffer of so many bytes to begin with. */
    JsonText(int bytes) {
        source = InputStream.nullInputStream();
        buffer = new byte[bytes];
    }

    /** Begins with another text, in the same memory. */
    void read(InputStream next) {
        source = next;
        end = 0;
        rewind();
        fill();
    }

    /** Gives up the text, and memory that a large one took: one large item is no reason to hold on to so much. */
    void end() {
        source = InputStream.nullInputStream();
        gson = null;
        if (buffer.length > LARGE) {
            buffer = new byte[SMALL];
        }
    }

    /** From now on nothing is given up, so that {@link #rewind} works. */
    void keepAll() {
        keepsAll = true;
    }

    /** Back to the beginning; what is read from there on is given up again. */
    void rewind() {
        at = 0;
        kept = 0;
        keepsAll = false;
        given = 0;
        line = 0;
        lineStart = 0;
        surplus = 0;
        names.clear();
        inMember = false;
        over = false;
        gson = null;
    }

    // ---- what there is to read

    void beginObject() throws IOException {
        if (gson == null) {
            begin();
            do {
                if (skip('{')) {
                    names.add(null);
                    inMember = false;
                    return;
                }
            } while (again());
            useGson();
        }
        rest().beginObject();
    }

    /** The name of the next member, or null after the last, and the object is closed then. */
    @Nullable
    String nextName() throws IOException {
        if (gson == null) {
            begin();
            boolean first = names.get(names.size() - 1) == null;
            do {
                if (skip('}')) {
                    close();
                    return null;
                }
                String name = first || skip(',') ? scanText() : null;
                if (name != null && skip(':')) {
                    names.set(names.size() - 1, name);
                    inMember = true;
                    return name;
                }
            } while (again());
            useGson();
        }
        JsonReader rest = rest();
        if (rest.hasNext()) {
            return rest.nextName();
        }
        rest.endObject();
        return null;
    }

    private void close() {
        names.remove(names.size() - 1);
        inMember = false;
        over = names.isEmpty();
    }

    /** Reads past {@code null} if that is what comes next. */
    boolean skipNull() throws IOException {
        if (gson == null) {
            begin();
            do {
                int first = peek();
                if (first != 'n' && first != STARVED) {
                    goBack();
                    return false;
                } else if (first == 'n' && scanValue(names.size())) {
                    inMember = false;
                    return true;
                }
            } while (again());
            useGson();
        }
        JsonReader rest = rest();
        if (rest.peek() != JsonToken.NULL) {
            return false;
        }
        rest.nextNull();
        return true;
    }

    void skipValue() throws IOException {
        if (gson == null) {
            begin();
            do {
                if (scanValue(names.size())) {
                    inMember = false;
                    return;
                }
            } while (again());
            useGson();
        }
        rest().skipValue();
    }

    /** A string, or Gson's complaint. */
    String string() throws IOException {
        if (gson == null) {
            begin();
            do {
                String text = scanText();
                if (text != null) {
                    inMember = false;
                    return text;
                }
            } while (again());
            useGson();
        }
        JsonReader rest = rest();
        if (rest.peek() != JsonToken.STRING) {
            throw new IllegalStateException("Expected a string but was " + rest.peek() + " at path " + rest.getPath());
        }
        return rest.nextString();
    }

    /** The text of a number, or Gson's complaint. */
    String number() throws IOException {
        if (gson == null) {
            begin();
            do {
                int first = peek();
                int from = at;
                if ((first == '-' || (first >= '0' && first <= '9')) && scanValue(names.size())) {
                    inMember = false;
                    return text(from, at);
                }
            } while (again());
            useGson();
        }
        return number(rest());
    }

    static String number(JsonReader in) throws IOException {
        if (in.peek() != JsonToken.NUMBER) { // nextString would take a quoted one
            throw new IllegalStateException("Expected a number but was " + in.peek() + " at path " + in.getPath());
        }
        return in.nextString();
    }

    /**
     * An object as its text, and what its members {@code version} and {@code deleted} say; of several with one name the
     * last.
     *
     * @return null if Gson has to read it, from {@link #rest}
     */
    @Nullable
    Value object() throws IOException {
        if (gson != null) {
            return null;
        }
        begin();
        do {
            if (peek() == '{') {
                begin(); // white space is no part of it
                Value value = scanItem();
                if (value != null) {
                    inMember = false;
                    return value;
                }
            }
        } while (again());
        useGson();
        return null;
    }

    /** Has Gson read the object that was cut out just now, because it is not as it seemed. */
    void readAgain() throws IOException {
        inMember = !names.isEmpty();
        useGson();
    }

    /** Whether nothing but white space is left. */
    boolean atEnd() throws IOException {
        if (gson == null) {
            begin();
            do {
                if (peek() == END) {
                    return true;
                }
            } while (again());
            useGson();
        }
        return rest().peek() == JsonToken.END_DOCUMENT;
    }

    /** Reads what is left, whatever it is, so that a source that breaks before its end is heard of. */
    void skipRest() {
        keepsAll = false;
        do {
            at = end;
            kept = end;
            fill();
        } while (!ended);
    }

    // ---- the rest, by Gson

    /** What Gson reads from the first unusual thing on. */
    JsonReader rest() {
        if (gson == null) {
            throw new IllegalStateException("nothing unusual has come");
        }
        return gson;
    }

    /** Has Gson go on from where what is being read began, in the state in which it would be there. */
    private void useGson() throws IOException {
        boolean betweenMembers = !names.isEmpty() && !inMember && names.get(names.size() - 1) != null;
        StringBuilder before = new StringBuilder(over ? "[]" : "");
        for (String name : names) {
            before.append('{');
            if (name != null) {
                before.append(new JsonPrimitive(name)).append(':');
            }
        }
        before.append(betweenMembers ? "\"\"" : "");
        at = kept;
        replayed = before.length();
        gsonLine = keptLine;
        gsonColumn = given + kept - keptSurplus - keptLineStart;
        InputStream all = new SequenceInputStream(
                new ByteArrayInputStream(before.toString().getBytes(UTF_8)), new Rest());
        JsonReader reader = new JsonReader(new InputStreamReader(all, UTF_8));
        reader.setStrictness(Strictness.STRICT);
        if (over) {
            reader.beginArray();
            reader.endArray();
        }
        for (String name : names) {
            reader.beginObject();
            if (name != null) {
                String unused = reader.nextName();
            }
        }
        if (betweenMembers) {
            reader.skipValue();
        }
        gson = reader;
    }

    /** A message of Gson's, with the line and column that it means in the whole text. */
    String located(String message) {
        Matcher place = PLACE.matcher(message);
        if (gson == null || !place.find()) {
            return message;
        }
        long row = Long.parseLong(place.group(1));
        long column = Long.parseLong(place.group(2)) + (row == 1 ? gsonColumn - replayed : 0);
        return message.substring(0, place.start()) + "at line " + (row + gsonLine) + " column " + column + " path"
                + message.substring(place.end());
    }

    /** The text from here on. */
    private final class Rest extends InputStream {
        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            if (length == 0) {
                return 0;
            }
            kept = at;
            if (at == end) {
                fill();
            }
            if (at == end) {
                return -1;
            }
            int count = Math.min(length, end - at);
            System.arraycopy(buffer, at, into, offset, count);
            at += count;
            return count;
        }
    }

    // ---- reading on

    private void begin() {
        foreign = false;
        kept = at;
        keptLine = line;
        keptLineStart = lineStart;
        keptSurplus = surplus;
    }

    private void goBack() {
        at = kept;
        line = keptLine;
        lineStart = keptLineStart;
        surplus = keptSurplus;
    }

    /**
     * Reads on if that is what was wanting, and goes back to where what is being read began. So nothing that scans ever
     * waits for the source: it may begin anew instead, and what is compiled for it does not hold all that reading
     * takes.
     *
     * @return whether to scan again
     */
    private boolean again() {
        if (!starved) {
            return false;
        }
        starved = false;
        goBack();
        fill();
        return true;
    }

    /**
     * Fills the buffer, or reads to the end; what was kept moves to the front. A buffer that holds nothing else is
     * doubled, so that what is scanned again is never more than a few times what there is.
     */
    private void fill() {
        int from = keepsAll ? 0 : kept;
        if (from > 0) {
            System.arraycopy(buffer, from, buffer, 0, end - from);
            given += from;
            at -= from;
            end -= from;
            kept -= from;
        } else if (end == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        try {
            int count;
            do {
                count = source.read(buffer, end, buffer.length - end);
                end += Math.max(count, 0);
            } while (count >= 0 && end < buffer.length);
            ended = count < 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- scanning, in what was read: false, or null, where Gson has to decide, or more is to be read

    private static final int END = -1; // of the text
    private static final int STARVED = -2;
    private static final int NOTHING_KNOWN = 0; // a control character, or no ASCII: nothing begins with either

    /** The next character that is no white space, which is not read. */
    private int peek() {
        return at < end && buffer[at] > ' ' ? buffer[at] : peekBehindSpace();
    }

    private int peekBehindSpace() {
        while (at < end) {
            byte c = buffer[at];
            if (c > ' ') {
                return c;
            }
            if (c == '\n') {
                noteLine(at);
            } else if (c != ' ' && c != '\t' && c != '\r') {
                return NOTHING_KNOWN;
            }
            spaced = true;
            at++;
        }
        return nothing();
    }

    private void noteLine(int place) {
        line++;
        lineStart = given + place + 1 - surplus;
    }

    private int nothing() {
        starved = !ended;
        return ended ? END : STARVED;
    }

    private boolean skip(char expected) {
        if (peek() != expected) {
            return false;
        }
        at++;
        return true;
    }

    /** A string and what it says. */
    private @Nullable String scanText() {
        if (peek() != '"') {
            return null;
        }
        int from = at;
        if (!scanValue(names.size())) {
            return null;
        }
        if (!holdsEscape(from, at)) {
            return text(from + 1, at - 1);
        }
        JsonReader one = new JsonReader(new StringReader(text(from, at)));
        one.setStrictness(Strictness.STRICT);
        try {
            return one.nextString();
        } catch (IOException | IllegalStateException e) {
            return null;
        }
    }

    private boolean holdsEscape(int from, int to) {
        for (int p = from; p < to; p++) {
            if (buffer[p] == '\\') {
                return true;
            }
        }
        return false;
    }

    /**
     * A value of any kind, or a name, by the {@link JsonGrammar}. All of it is one loop, without recursion: of methods
     * for the kinds of values a JVM makes code that it gives up as soon as another kind comes along. A number or
     * literal has to be followed by something, or it is not known to have ended.
     *
     * @param depth how many objects and arrays it is in
     */
    private boolean scanValue(int depth) {
        byte[] kinds = JsonGrammar.KINDS;
        char[] grammar = JsonGrammar.TABLE;
        byte[] bytes = buffer;
        int limit = end;
        int p = at;
        int state = JsonGrammar.BEGIN;
        int open = 0; // objects and arrays of the value
        int scalar = 0; // where the last one began
        while (p < limit) {
            int entry = grammar[state | kinds[bytes[p++] & 0xFF]];
            int before = state;
            state = entry & JsonGrammar.STATES;
            if (state == entry) {
                continue; // as after most bytes
            }
            switch (entry - state) {
                case JsonGrammar.IN_STRING -> p = pastPlain(bytes, p, limit);
                case JsonGrammar.BEGIN_SCALAR -> scalar = p - 1;
                case JsonGrammar.END_SCALAR -> {
                    p--;
                    if (p - scalar > LONGEST_NUMBER) {
                        return false;
                    } else if (open == 0) {
                        at = p;
                        return true;
                    }
                }
                case JsonGrammar.OPEN -> {
                    if (depth + open == DEEPEST) {
                        return false;
                    }
                    outside[open++] = (char) JsonGrammar.after(before);
                }
                case JsonGrammar.CLOSE -> {
                    state = outside[--open];
                    if (open == 0) {
                        at = p;
                        return true;
                    }
                }
                case JsonGrammar.END_STRING -> {
                    at = p;
                    return true;
                }
                case JsonGrammar.WHITE -> spaced = true;
                case JsonGrammar.LINE -> {
                    spaced = true;
                    noteLine(p - 1);
                }
                case JsonGrammar.ODD -> odd = true;
                case JsonGrammar.FOREIGN -> {
                    noteForeign(bytes, p - 1);
                    p = pastPlain(bytes, p, limit);
                }
                default -> {
                    return false;
                }
            }
        }
        starved = !ended;
        return false;
    }

    /** To the next byte that has to be looked at, which may be the end of a string. */
    private static int pastPlain(byte[] bytes, int from, int limit) {
        boolean[] plain = JsonGrammar.PLAIN;
        int p = from;
        while (p < limit && plain[bytes[p] & 0xFF]) {
            p++;
        }
        return p;
    }

    /** How many chars there are is of account for columns; and Gson would escape U+2028 and U+2029. */
    private void noteForeign(byte[] bytes, int place) {
        foreign = true;
        int b = bytes[place] & 0xFF;
        if ((b & 0xC0) == 0x80) { // no first byte of a character
            surplus++;
        } else if ((b & 0xF8) == 0xF0) { // four bytes are two chars
            surplus--;
        }
        if ((b == 0xA8 || b == 0xA9)
                && place > 1
                && bytes[place - 1] == (byte) 0x80
                && bytes[place - 2] == (byte) 0xE2) {
            odd = true;
        }
    }

    private String text(int from, int to) {
        return text(buffer, from, to);
    }

    /** Of bytes that were scanned; those of ASCII are copied and not looked at once more. */
    private String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, foreign ? UTF_8 : ISO_8859_1);
    }

    /** An object, with an eye on its own members. What is not as Gson would write it is left to Gson. */
    private @Nullable Value scanItem() {
        spaced = false;
        odd = false;
        String version = "0";
        boolean deleted = false;
        at++;
        if (!skip('}')) {
            do {
                if (peek() != '"') {
                    return null;
                }
                int name = at + 1;
                if (!scanValue(names.size() + 1) || !skip(':')) {
                    return null;
                }
                int first = peek();
                boolean isVersion = isNamed(name, "version");
                int value = at;
                if (!scanValue(names.size() + 1)) {
                    return null;
                }
                if (isVersion && first == 'n') {
                    version = "0"; // one that comes last counts, too
                } else if (isVersion) {
                    if (first == '"' || first == '{' || first == '[' || first == 't' || first == 'f') {
                        return null;
                    }
                    version = text(value, at);
                } else if (isNamed(name, "deleted")) {
                    deleted = first == 't';
                }
            } while (skip(','));
            if (!skip('}')) {
                return null;
            }
        }
        return new Value(spaced ? compacted() : text(kept, at), !odd, version, deleted);
    }

    /** What was scanned, without the white space between its parts. */
    private String compacted() {
        byte[] text = new byte[at - kept];
        int length = 0;
        boolean quoted = false;
        for (int p = kept; p < at; p++) {
            byte c = buffer[p];
            if (quoted || c > ' ') {
                text[length++] = c;
            }
            if (c == '\\') { // only in a string, and what follows it is not its end
                text[length++] = buffer[++p];
            } else if (c == '"') {
                quoted = !quoted;
            }
        }
        return text(text, 0, length);
    }

    /** Whether the string whose text begins here is this one. */
    private boolean isNamed(int from, String name) {
        if (from + name.length() >= end || buffer[from + name.length()] != '"') {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (buffer[from + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
