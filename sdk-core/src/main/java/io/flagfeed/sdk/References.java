package io.flagfeed.sdk;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which items refer to which: a flag to its prerequisites and to the segments its rules match, a segment to the
 * segments its rules match. Kept for the change listeners and only while there are any.
 */
final class References {
    private final Map<ItemKey, Set<ItemKey>> targets = new HashMap<>();
    private final Map<ItemKey, Set<ItemKey>> sources = new HashMap<>();

    /** The references among everything in a snapshot. */
    static References of(Snapshot snapshot) {
        References references = new References();
        for (ItemKind kind : ItemKind.values()) {
            snapshot.all(kind).values().forEach(references::put);
        }
        return references;
    }

    /** Notes what the newest version of an item refers to. */
    void put(Item item) {
        ItemKey source = new ItemKey(item.kind(), item.key());
        remove(source);
        Set<ItemKey> found = item.deleted() ? Set.of() : targetsOf(item);
        if (!found.isEmpty()) {
            targets.put(source, found);
            found.forEach(target ->
                    sources.computeIfAbsent(target, key -> new HashSet<>()).add(source));
        }
    }

    /** Forgets what an item refers to. */
    void remove(ItemKey source) {
        Set<ItemKey> old = targets.remove(source);
        if (old == null) {
            return;
        }
        for (ItemKey target : old) {
            Set<ItemKey> remaining = sources.get(target);
            if (remaining != null && remaining.remove(source) && remaining.isEmpty()) {
                sources.remove(target);
            }
        }
    }

    /** The items that refer to the given one, whether or not that exists. */
    Set<ItemKey> sourcesOf(ItemKey target) {
        return sources.getOrDefault(target, Set.of());
    }

    /** Reads past everything but references. What is not shaped as expected holds none. */
    private static Set<ItemKey> targetsOf(Item item) {
        Set<ItemKey> found = new HashSet<>();
        try (JsonReader in = new JsonReader(new StringReader(item.json()))) {
            objects(in, name -> {
                if (name.equals("prerequisites") && item.kind() == ItemKind.FLAG) {
                    prerequisites(in, found);
                } else if (name.equals("rules")) {
                    rules(in, found);
                } else {
                    in.skipValue();
                }
            });
        } catch (IOException | IllegalStateException | NumberFormatException e) {
            return found; // not our business to judge: the item was accepted as it is
        }
        return found;
    }

    private static void prerequisites(JsonReader in, Set<ItemKey> found) throws IOException {
        objects(in, name -> {
            if (name.equals("key") && in.peek() == JsonToken.STRING) {
                found.add(new ItemKey(ItemKind.FLAG, in.nextString()));
            } else {
                in.skipValue();
            }
        });
    }

    private static void rules(JsonReader in, Set<ItemKey> found) throws IOException {
        objects(in, name -> {
            if (name.equals("clauses")) {
                clauses(in, found);
            } else {
                in.skipValue();
            }
        });
    }

    private static void clauses(JsonReader in, Set<ItemKey> found) throws IOException {
        // "values" may come before "op", so both are read before either is judged
        if (in.peek() != JsonToken.BEGIN_ARRAY) {
            in.skipValue();
            return;
        }
        in.beginArray();
        while (in.hasNext()) {
            Set<ItemKey> values = new HashSet<>();
            boolean[] segmentMatch = {false};
            objects(in, name -> {
                if (name.equals("op") && in.peek() == JsonToken.STRING) {
                    segmentMatch[0] = in.nextString().equals("segmentMatch");
                } else if (name.equals("values") && in.peek() == JsonToken.BEGIN_ARRAY) {
                    strings(in, values);
                } else {
                    in.skipValue();
                }
            });
            if (segmentMatch[0]) {
                found.addAll(values);
            }
        }
        in.endArray();
    }

    private static void strings(JsonReader in, Set<ItemKey> values) throws IOException {
        in.beginArray();
        while (in.hasNext()) {
            if (in.peek() == JsonToken.STRING) {
                values.add(new ItemKey(ItemKind.SEGMENT, in.nextString()));
            } else {
                in.skipValue();
            }
        }
        in.endArray();
    }

    private interface PropertyReader {
        /** Reads or skips the value of the property just named. */
        void read(String name) throws IOException;
    }

    /** Reads each property of an object, or of each object in an array; skips anything else. */
    private static void objects(JsonReader in, PropertyReader reader) throws IOException {
        if (in.peek() == JsonToken.BEGIN_ARRAY) {
            in.beginArray();
            while (in.hasNext()) {
                object(in, reader);
            }
            in.endArray();
        } else {
            object(in, reader);
        }
    }

    private static void object(JsonReader in, PropertyReader reader) throws IOException {
        if (in.peek() != JsonToken.BEGIN_OBJECT) {
            in.skipValue();
            return;
        }
        in.beginObject();
        while (in.hasNext()) {
            reader.read(in.nextName());
        }
        in.endObject();
    }
}
