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
 * The first protocol, all of it by Gson's strict reader, from a text as a whole: slow, and the measure of what
 * {@link Fdv1Decoder} has to make of any text, to the letter of its messages.
 */
final class GsonDecoder {
    private boolean complete; // whether this stream has sent its put

    private GsonDecoder() {}

    /** For one connection of a stream. */
    static GsonDecoder ofStream() {
        return new GsonDecoder();
    }

    /** For one poll. */
    static ChangeSet poll(String body) throws InvalidDataException {
        return read(body, "body", in -> whole(in, full(in)));
    }

    /**
     * A patch or delete before the put says nothing, for what it would be added to is not known to be current: the put
     * will hold it. An event of another name is not even parsed.
     */
    @Nullable
    ChangeSet decode(String event, String data) throws InvalidDataException {
        if (event.equals("put")) {
            ChangeSet put = read(data, event, GsonDecoder::put);
            complete = true;
            return put;
        }
        boolean patch = event.equals("patch");
        if (!patch && !event.equals("delete")) {
            return null;
        }
        String path = read(data, event, GsonDecoder::path);
        ItemKey target = keyOf(path);
        if (target == null) {
            return null; // of a kind that is not ours
        }
        ChangeSet change =
                read(data, event + " of " + shortened(path), in -> patch ? patch(in, target) : delete(in, target));
        return complete ? change : null;
    }

    /** {@code {"path":"/","data":{"flags":{…},"segments":{…}}}} */
    private static ChangeSet put(JsonReader in) throws IOException, InvalidDataException {
        ChangeSet full = null;
        in.beginObject();
        while (in.hasNext()) {
            if (in.nextName().equals("data")) {
                full = full(in);
            } else {
                in.skipValue();
            }
        }
        in.endObject();
        return whole(in, required(full, "data"));
    }

    /** {@code {"flags":{…},"segments":{…}}} */
    private static ChangeSet full(JsonReader in) throws IOException, InvalidDataException {
        Map<ItemKind, Collection<Item>> sets = new EnumMap<>(ItemKind.class);
        in.beginObject();
        while (in.hasNext()) {
            ItemKind kind = kindOf(in.nextName());
            if (kind == null) {
                in.skipValue();
            } else if (in.peek() == JsonToken.NULL) {
                in.nextNull();
                sets.remove(kind);
            } else {
                sets.put(kind, items(in, kind));
            }
        }
        in.endObject();
        if (sets.isEmpty()) {
            throw new InvalidDataException("neither flags nor segments");
        }
        List<Item> items = new ArrayList<>();
        sets.values().forEach(items::addAll);
        return ChangeSet.full(items);
    }

    private static Collection<Item> items(JsonReader in, ItemKind kind) throws IOException, InvalidDataException {
        Map<String, Item> items = new LinkedHashMap<>();
        in.beginObject();
        while (in.hasNext()) {
            String key = in.nextName();
            if (in.peek() == JsonToken.NULL) {
                in.nextNull();
                items.remove(key);
            } else {
                items.put(key, item(in, new ItemKey(kind, key)));
            }
        }
        in.endObject();
        return items.values();
    }

    /** The {@code path} of a patch or delete; what follows it is not looked at. */
    private static String path(JsonReader in) throws IOException, InvalidDataException {
        String path = null;
        in.beginObject();
        while (path == null && in.hasNext()) {
            if (in.nextName().equals("path")) {
                path = string(in);
            } else {
                in.skipValue();
            }
        }
        return required(path, "path");
    }

    /** The item that a path names, or null if it is of no kind of ours. */
    private static @Nullable ItemKey keyOf(String path) {
        for (ItemKind kind : ItemKind.values()) {
            String prefix = "/" + kind.wireName() + "/";
            if (path.startsWith(prefix)) {
                return new ItemKey(kind, path.substring(prefix.length()));
            }
        }
        return null;
    }

    /** {@code {"path":"/flags/key","data":{…}}} */
    private static ChangeSet patch(JsonReader in, ItemKey target) throws IOException, InvalidDataException {
        Item item = null;
        in.beginObject();
        while (in.hasNext()) {
            String name = in.nextName();
            if (name.equals("data")) {
                item = item(in, target);
            } else {
                skip(in, name, target);
            }
        }
        in.endObject();
        return whole(in, ChangeSet.partial(List.of(required(item, "data"))));
    }

    /** {@code {"path":"/flags/key","version":2}} */
    private static ChangeSet delete(JsonReader in, ItemKey target) throws IOException, InvalidDataException {
        String version = null;
        in.beginObject();
        while (in.hasNext()) {
            String name = in.nextName();
            if (name.equals("version")) {
                version = number(in);
            } else {
                skip(in, name, target);
            }
        }
        in.endObject();
        Item tombstone = Item.tombstone(target.kind(), target.key(), wholeNumber(required(version, "version")));
        return whole(in, ChangeSet.partial(List.of(tombstone)));
    }

    /** Skips a member of a patch or delete, unless it is another path than the one that was followed. */
    private static void skip(JsonReader in, String name, ItemKey target) throws IOException, InvalidDataException {
        if (!name.equals("path")) {
            in.skipValue();
        } else if (!target.equals(keyOf(string(in)))) {
            throw new InvalidDataException("two different paths");
        }
    }

    /** Copies an object, and sees its version and whether it is deleted on the way. */
    private static Item item(JsonReader in, ItemKey key) throws IOException, InvalidDataException {
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
                version = number(in);
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
        long number = wholeNumber(version);
        return deleted
                ? Item.tombstone(key.kind(), key.key(), number)
                : Item.of(key.kind(), key.key(), number, text.toString());
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

    private static String string(JsonReader in) throws IOException {
        if (in.peek() != JsonToken.STRING) {
            throw new IllegalStateException("Expected a string but was " + in.peek() + " at path " + in.getPath());
        }
        return in.nextString();
    }

    private static String number(JsonReader in) throws IOException {
        if (in.peek() != JsonToken.NUMBER) { // nextString would take a quoted one
            throw new IllegalStateException("Expected a number but was " + in.peek() + " at path " + in.getPath());
        }
        return in.nextString();
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
    private static <T> T whole(JsonReader in, T value) throws IOException, InvalidDataException {
        if (in.peek() != JsonToken.END_DOCUMENT) {
            throw new InvalidDataException("something follows the JSON");
        }
        return value;
    }

    private interface Part<T> {
        T read(JsonReader in) throws IOException, InvalidDataException;
    }

    /** Reads a text, and gives every way in which it can be wrong one exception. */
    private static <T> T read(String text, String what, Part<T> part) throws InvalidDataException {
        JsonReader in = new JsonReader(new StringReader(text));
        in.setStrictness(Strictness.STRICT);
        try {
            return part.read(in);
        } catch (InvalidDataException e) {
            throw new InvalidDataException(what + ": " + e.getMessage());
        } catch (IOException | IllegalStateException | NumberFormatException e) {
            throw new InvalidDataException(what + ": " + firstLine(e.getMessage()));
        }
    }

    /** The reader's complaint with its line, column and path, which hold keys but no values. */
    private static String firstLine(@Nullable String message) {
        return shortened(
                message == null ? "not JSON" : message.lines().findFirst().orElse("not JSON"));
    }

    /** For a message of one line, in any viewer: a key may hold whatever Unicode has for breaking and turning lines. */
    private static String shortened(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return line.length() > 200 ? line.substring(0, 200) + "…" : line;
    }
}
