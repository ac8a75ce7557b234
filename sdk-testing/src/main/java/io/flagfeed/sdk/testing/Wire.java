package io.flagfeed.sdk.testing;

import com.google.gson.JsonPrimitive;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The texts of the protocol (FDv1): the document of a poll, and the events of a stream. */
final class Wire {
    private Wire() {}

    /** What a poll answers. Tombstones are left out; of several items with one key the last counts. */
    static String document(Collection<Item> items) {
        Map<ItemKind, Map<String, Item>> byKind = new EnumMap<>(ItemKind.class);
        for (ItemKind kind : ItemKind.values()) {
            byKind.put(kind, new LinkedHashMap<>());
        }
        for (Item item : items) {
            byKind.computeIfAbsent(item.kind(), kind -> new LinkedHashMap<>()).put(item.key(), item);
        }
        StringBuilder text = new StringBuilder("{");
        byKind.forEach((kind, held) -> {
            text.append(text.length() > 1 ? "," : "")
                    .append(quoted(kind.wireName()))
                    .append(":{");
            String separator = "";
            for (Item item : held.values()) {
                if (!item.deleted()) {
                    text.append(separator)
                            .append(quoted(item.key()))
                            .append(':')
                            .append(item.json());
                    separator = ",";
                }
            }
            text.append('}');
        });
        return text.append('}').toString();
    }

    /** The event that replaces everything. */
    static String put(String document) {
        return event("put", "{\"path\":\"/\",\"data\":" + document + "}");
    }

    /** The event that tells of one item: a patch, or for a tombstone a delete. */
    static String change(Item item) {
        String path = "{\"path\":" + quoted("/" + item.kind().wireName() + "/" + item.key());
        return item.deleted()
                ? event("delete", path + ",\"version\":" + item.version() + "}")
                : event("patch", path + ",\"data\":" + item.json() + "}");
    }

    /** Any event; data of several lines become several data fields. */
    static String event(String name, String data) {
        StringBuilder text = new StringBuilder(data.length() + 32);
        text.append("event: ").append(name).append('\n');
        for (String line : lines(data)) {
            text.append("data: ").append(line).append('\n');
        }
        return text.append('\n').toString();
    }

    /** Lines that carry nothing, mostly one. */
    static String comment(String text) {
        StringBuilder comment = new StringBuilder();
        for (String line : lines(text)) {
            comment.append(':').append(line).append('\n');
        }
        return comment.toString();
    }

    /** With the empty one behind a line break at the end, which belongs to the text. */
    private static String[] lines(String text) {
        return text.split("\r\n|\r|\n", -1);
    }

    private static String quoted(String text) {
        return new JsonPrimitive(text).toString();
    }
}
