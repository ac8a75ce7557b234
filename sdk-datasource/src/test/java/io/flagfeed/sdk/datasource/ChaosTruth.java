package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Snapshot;
import io.flagfeed.sdk.testing.FakeFlagServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What the service of the chaos soak holds now. Its versions only go up. For one thread at a time. */
final class ChaosTruth {
    private final Map<ItemKey, Item> items = new LinkedHashMap<>(); // with tombstones

    ChaosTruth() {
        ChaosItems.KEYS.forEach(key -> items.put(key, ChaosItems.item(key, ChaosItems.version(key, 0, 0))));
    }

    /** One edit of the flags: who is changed or deleted, and to which version. */
    record Edit(ItemKey key, long version, boolean delete) {}

    void edit(Edit edit, FakeFlagServer server) {
        Item item = edit.delete
                ? Item.tombstone(edit.key.kind(), edit.key.key(), edit.version)
                : ChaosItems.item(edit.key, edit.version);
        items.put(edit.key, item);
        server.set(item);
    }

    /** With tombstones. */
    List<Item> items() {
        return List.copyOf(items.values());
    }

    List<Item> live() {
        return items.values().stream().filter(item -> !item.deleted()).toList();
    }

    /** Why a snapshot is not the truth; empty if it is. */
    String difference(Snapshot snapshot) {
        Map<ItemKey, Item> held = new HashMap<>();
        for (ItemKind kind : ItemKind.values()) {
            snapshot.all(kind).forEach((key, item) -> held.put(new ItemKey(kind, key), item));
        }
        return difference(held);
    }

    /** The same for live items by their keys. */
    String difference(Map<ItemKey, Item> held) {
        Map<ItemKey, Item> missing = new LinkedHashMap<>();
        live().forEach(item -> missing.put(new ItemKey(item.kind(), item.key()), item));
        Map<ItemKey, Item> surplus = new LinkedHashMap<>(held);
        missing.forEach(surplus::remove);
        held.forEach(missing::remove);
        return missing.isEmpty() && surplus.isEmpty()
                ? ""
                : "should hold " + missing.values() + ", but holds " + surplus.values();
    }

    /** The document that polls get, as a plain service writes it. */
    String document() {
        return document(List.of(), Map.of(), "");
    }

    /**
     * The same set, said in an odd way that means the same: members twice, of which the last counts; items that are
     * null; tombstones; a kind and a member that nobody knows.
     */
    String oddDocument(Random random) {
        Map<ItemKey, String> twice = new HashMap<>();
        for (Item item : live()) {
            ItemKey key = new ItemKey(item.kind(), item.key());
            switch (random.nextInt(12)) {
                case 0 -> twice.put(key, "null");
                case 1 ->
                    twice.put(
                            key,
                            Item.tombstone(key.kind(), key.key(), item.version() + 1)
                                    .json());
                case 2 ->
                    twice.put(key, ChaosItems.item(key, item.version() - 1).json());
                default -> {}
            }
        }
        List<String> odd = List.of(
                "\"gone\":{\"version\":" + random.nextLong() + ",\"deleted\":true,\"more\":[{}]}",
                "\"none\":{\"version\":1},\"none\":null");
        String first = "{\"flags\":{\"x\":{\"version\":1}},\"segments\":{\"x\":{\"version\":1}},";
        String last = ",\"cats\":{\"Jack\":[1]},\"\":null,\"more\":" + "[".repeat(20) + "]".repeat(20);
        return first + document(odd, twice, last).substring(1);
    }

    private String document(List<String> odd, Map<ItemKey, String> twice, String last) {
        StringBuilder text = new StringBuilder("{");
        for (ItemKind kind : ItemKind.values()) {
            List<String> members = new ArrayList<>(odd);
            for (Item item : live()) {
                if (item.kind() == kind) {
                    String name = ChaosItems.quoted(item.key()) + ":";
                    String before = twice.get(new ItemKey(kind, item.key()));
                    if (before != null) {
                        members.add(name + before);
                    }
                    members.add(name + item.json());
                }
            }
            text.append(text.length() > 1 ? "," : "")
                    .append(ChaosItems.quoted(kind.wireName()))
                    .append(":{")
                    .append(String.join(",", members))
                    .append('}');
        }
        return text.append(last).append('}').toString();
    }
}
