package io.flagfeed.sdk.datasource;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.ItemKind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first protocol: {@code put}, {@code patch} and {@code delete} events of a stream, and the document of a poll.
 *
 * <p>Each item is cut out of the text as it arrives, so that no tree is built, the text as a whole is never held, and
 * fields that nobody here knows survive. One rule for all of them:
 *
 * <ul>
 *   <li>an item's key is its place, whatever its own {@code key} says;
 *   <li>a {@code version} is a number. One that is no integer of 64 bits is read as a double and cut to a whole one,
 *       the greatest or least there is if it lies beyond; missing or {@code null} it counts as 0. Anything else makes
 *       the data invalid, and so does a delete without one, which would change nothing and leave an item behind;
 *   <li>{@code "deleted": true} makes a tombstone, in a full set too;
 *   <li>an item that is {@code null} is not there; any other that is not an object makes the data invalid;
 *   <li>whatever else is in an item is none of our business, numbers beyond any range included: it is kept as it is;
 *   <li>of members with the same name the last counts; but a patch or delete with two different paths is invalid;
 *   <li>a full set without {@code flags} and without {@code segments} is invalid: it would wipe out everything because
 *       of an answer that is about something else.
 * </ul>
 *
 * <p>Data that are invalid are refused as a whole, and the message says where they are: which item, and what is wrong
 * with it.
 */
final class Fdv1Decoder implements EventDecoder {
    private final JsonText json;
    private final int largeBuffer;
    private boolean complete; // whether this stream has sent its put

    private Fdv1Decoder(int smallBuffer, int largeBuffer) {
        this.json = new JsonText(smallBuffer);
        this.largeBuffer = largeBuffer;
    }

    /** For one connection of a stream. */
    static EventDecoder ofStream() {
        return ofStream(JsonText.SMALL, JsonText.LARGE);
    }

    /** The same, with buffers of so many bytes to begin with: for patches and deletes, and for the put. */
    static EventDecoder ofStream(int smallBuffer, int largeBuffer) {
        return new Fdv1Decoder(smallBuffer, largeBuffer);
    }

    /** For one poll. */
    static EventDecoder ofPoll() {
        return ofPoll(JsonText.LARGE);
    }

    /** The same, with a buffer of so many bytes to begin with. */
    static EventDecoder ofPoll(int buffer) {
        return (event, body) -> {
            JsonText in = new JsonText(buffer);
            in.read(body);
            try {
                return whole(in, full(in));
            } catch (InvalidDataException | IOException | IllegalStateException | NumberFormatException e) {
                throw invalid("body", in, e);
            }
        };
    }

    /**
     * A patch or delete before the put says nothing, for what it would be added to is not known to be current: the put
     * will hold it. An event of another name is not even parsed.
     */
    @Override
    public @Nullable ChangeSet decode(String event, InputStream data) throws InvalidDataException {
        if (event.equals("put")) {
            ChangeSet put = put(data);
            complete = true;
            return put;
        } else if (event.equals("patch") || event.equals("delete")) {
            try {
                json.read(data);
                ChangeSet change = change(event);
                return complete ? change : null;
            } finally {
                json.end();
            }
        }
        return null;
    }

    private ChangeSet put(InputStream data) throws InvalidDataException {
        JsonText in = new JsonText(largeBuffer); // given up at once: there will hardly be another put
        in.read(data);
        try {
            return put(in);
        } catch (InvalidDataException | IOException | IllegalStateException | NumberFormatException e) {
            throw invalid("put", in, e);
        }
    }

    private @Nullable ChangeSet change(String event) throws InvalidDataException {
        String path = null;
        try {
            json.keepAll(); // the path may come after what it is of
            path = path(json);
            ItemKey target = keyOf(path);
            if (target == null) {
                return null; // of a kind that is not ours
            }
            json.rewind();
            return event.equals("patch") ? patch(json, path, target) : delete(json, path, target);
        } catch (InvalidDataException | IOException | IllegalStateException | NumberFormatException e) {
            throw invalid(path == null ? event : event + " of " + shortened(path), json, e);
        }
    }

    /** {@code {"path":"/","data":{"flags":{…},"segments":{…}}}} */
    private static ChangeSet put(JsonText in) throws IOException, InvalidDataException {
        ChangeSet full = null;
        in.beginObject();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            if (name.equals("data")) {
                full = full(in);
            } else {
                in.skipValue();
            }
        }
        return whole(in, required(full, "data"));
    }

    /** {@code {"flags":{…},"segments":{…}}} */
    private static ChangeSet full(JsonText in) throws IOException, InvalidDataException {
        Map<ItemKind, Collection<Item>> sets = new EnumMap<>(ItemKind.class);
        in.beginObject();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            ItemKind kind = kindOf(name);
            if (kind == null) {
                in.skipValue();
            } else if (in.skipNull()) {
                sets.remove(kind);
            } else {
                sets.put(kind, items(in, kind));
            }
        }
        if (sets.isEmpty()) {
            throw new InvalidDataException("neither flags nor segments");
        }
        List<Item> items = new ArrayList<>();
        for (Collection<Item> ofKind : sets.values()) {
            items.addAll(ofKind);
        }
        return ChangeSet.full(items);
    }

    private static Collection<Item> items(JsonText in, ItemKind kind) throws IOException, InvalidDataException {
        Map<String, Item> items = new LinkedHashMap<>();
        in.beginObject();
        for (String key = in.nextName(); key != null; key = in.nextName()) {
            if (in.skipNull()) {
                items.remove(key);
            } else {
                items.put(key, item(in, kind, key));
            }
        }
        return items.values();
    }

    /** The {@code path} of a patch or delete; what follows it is not looked at. */
    private static String path(JsonText in) throws IOException, InvalidDataException {
        in.beginObject();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            if (name.equals("path")) {
                return in.string();
            }
            in.skipValue();
        }
        throw new InvalidDataException("no path");
    }

    /** The item that a path names, or null if it is of no kind of ours. */
    private static @Nullable ItemKey keyOf(String path) {
        int slash = path.startsWith("/") ? path.indexOf('/', 1) : -1;
        ItemKind kind = slash < 0 ? null : kindOf(path.substring(1, slash));
        return kind == null ? null : new ItemKey(kind, path.substring(slash + 1));
    }

    /** {@code {"path":"/flags/key","data":{…}}} */
    private static ChangeSet patch(JsonText in, String path, ItemKey target) throws IOException, InvalidDataException {
        Item item = null;
        in.beginObject();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            if (name.equals("data")) {
                item = item(in, target.kind(), target.key());
            } else {
                skip(in, name, path);
            }
        }
        return whole(in, ChangeSet.partial(List.of(required(item, "data"))));
    }

    /** {@code {"path":"/flags/key","version":2}} */
    private static ChangeSet delete(JsonText in, String path, ItemKey target) throws IOException, InvalidDataException {
        String version = null;
        in.beginObject();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            if (name.equals("version")) {
                version = in.number();
            } else {
                skip(in, name, path);
            }
        }
        Item tombstone = Item.tombstone(target.kind(), target.key(), wholeNumber(required(version, "version")));
        return whole(in, ChangeSet.partial(List.of(tombstone)));
    }

    /** Skips a member of a patch or delete, unless it is another path than the one that was followed. */
    private static void skip(JsonText in, String name, String path) throws IOException, InvalidDataException {
        if (!name.equals("path")) {
            in.skipValue();
        } else if (!in.string().equals(path)) {
            throw new InvalidDataException("two different paths");
        }
    }

    private static Item item(JsonText in, ItemKind kind, String key) throws IOException {
        JsonText.Value cut = in.object();
        if (cut == null) {
            return item(in.rest(), kind, key);
        } else if (cut.canonical()) {
            return item(kind, key, cut.version(), cut.deleted(), cut.text());
        }
        JsonReader alone = new JsonReader(new StringReader(cut.text()));
        alone.setStrictness(Strictness.STRICT);
        try {
            return item(alone, kind, key);
        } catch (IOException | IllegalStateException | NumberFormatException e) {
            in.readAgain(); // for a complaint that says where
            return item(in.rest(), kind, key);
        }
    }

    private static Item item(ItemKind kind, String key, String version, boolean deleted, String json) {
        long number = wholeNumber(version);
        return deleted ? Item.tombstone(kind, key, number) : Item.of(kind, key, number, json);
    }

    /** Copies an object in Gson's way of writing, and sees its version and whether it is deleted on the way. */
    private static Item item(JsonReader in, ItemKind kind, String key) throws IOException {
        StringWriter text = new StringWriter();
        JsonWriter out = new JsonWriter(text);
        out.setHtmlSafe(false);
        String version = "0";
        boolean deleted = false;
        in.beginObject();
        out.beginObject();
        while (in.hasNext()) {
            String name = in.nextName();
            out.name(name);
            JsonToken token = in.peek();
            if (name.equals("version") && token != JsonToken.NULL) {
                version = JsonText.number(in);
                out.jsonValue(version);
            } else if (name.equals("deleted") && token == JsonToken.BOOLEAN) {
                deleted = in.nextBoolean();
                out.value(deleted);
            } else {
                version = name.equals("version") ? "0" : version; // a null that comes last counts, too
                deleted = !name.equals("deleted") && deleted;
                copy(in, out);
            }
        }
        in.endObject();
        out.endObject();
        return item(kind, key, version, deleted, text.toString());
    }

    /** Copies a value. Numbers keep their text. How deep values may nest is the reader's limit. */
    private static void copy(JsonReader in, JsonWriter out) throws IOException {
        int depth = 0;
        do {
            switch (in.peek()) {
                case BEGIN_OBJECT -> {
                    in.beginObject();
                    out.beginObject();
                    depth++;
                }
                case BEGIN_ARRAY -> {
                    in.beginArray();
                    out.beginArray();
                    depth++;
                }
                case END_OBJECT -> {
                    in.endObject();
                    out.endObject();
                    depth--;
                }
                case END_ARRAY -> {
                    in.endArray();
                    out.endArray();
                    depth--;
                }
                case NAME -> out.name(in.nextName());
                case STRING -> out.value(in.nextString());
                case NUMBER -> out.jsonValue(in.nextString());
                case BOOLEAN -> out.value(in.nextBoolean());
                case NULL -> {
                    in.nextNull();
                    out.nullValue();
                }
                case END_DOCUMENT -> throw new EOFException("End of input");
            }
        } while (depth > 0);
    }

    private static @Nullable ItemKind kindOf(String wireName) {
        for (ItemKind kind : ItemKind.values()) {
            if (kind.wireName().equals(wireName)) {
                return kind;
            }
        }
        return null;
    }

    private static long wholeNumber(String number) {
        try {
            return Long.parseLong(number);
        } catch (NumberFormatException e) {
            return (long) Double.parseDouble(number); // what the reader took for a number is one
        }
    }

    private static <T> T required(@Nullable T value, String name) throws InvalidDataException {
        if (value == null) {
            throw new InvalidDataException("no " + name);
        }
        return value;
    }

    /** The value, if nothing but white space follows what it was read from. */
    private static <T> T whole(JsonText in, T value) throws IOException, InvalidDataException {
        if (!in.atEnd()) {
            throw new InvalidDataException("something follows the JSON");
        }
        return value;
    }

    /** Every way in which a text can be wrong is one exception. */
    private static InvalidDataException invalid(String what, JsonText in, Exception complaint) {
        in.skipRest(); // data that did not arrive as a whole are a matter of the network in the first place
        String message = complaint.getMessage() == null ? "" : complaint.getMessage();
        boolean ours = complaint instanceof InvalidDataException;
        return new InvalidDataException(what + ": " + (ours ? message : firstLine(in.located(message))));
    }

    /** The reader's complaint with its line, column and path, which hold keys but no values. */
    private static String firstLine(String message) {
        return shortened(message.lines().findFirst().orElse("not JSON"));
    }

    /** For a message of one line, in any viewer: a key may hold whatever Unicode has for breaking and turning lines. */
    private static String shortened(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return line.length() > 200 ? line.substring(0, 200) + "…" : line;
    }
}
