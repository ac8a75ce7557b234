package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Everything that is held at one moment. Immutable: reading and iterating are safe for ever and from any thread. */
public final class Snapshot {
    /** Holds nothing. */
    public static final Snapshot EMPTY = new Snapshot(ItemMap.EMPTY, ItemMap.EMPTY);

    private final ItemMap flags;
    private final ItemMap segments;

    private Snapshot(ItemMap flags, ItemMap segments) {
        this.flags = flags;
        this.segments = segments;
    }

    /** The item, unless there is none or it was deleted. */
    public Optional<Item> get(ItemKind kind, String key) {
        Item item = held(kind, requireNonNull(key, "key"));
        return item == null || item.deleted() ? Optional.empty() : Optional.of(item);
    }

    /** All items of a kind by their keys, without deleted ones; unmodifiable, in no particular order. */
    public Map<String, Item> all(ItemKind kind) {
        return items(kind).live();
    }

    /** The item or tombstone, or null where nothing is known of the key. */
    @Nullable
    Item held(ItemKind kind, String key) {
        return items(kind).get(key);
    }

    /**
     * What is held after the changes. A full set replaces everything, tombstones included, whatever the versions. Of a
     * partial set an item counts if its version is strictly greater than that of the held item or tombstone; a
     * deletion leaves a tombstone even of a key never seen, so that a late older patch cannot bring the item back.
     *
     * @return this snapshot itself if nothing of the set counts
     */
    Snapshot with(ChangeSet changes) {
        if (changes.type() == ChangeSet.Type.FULL) {
            return new Snapshot(
                    ItemMap.of(of(ItemKind.FLAG, changes.items())), ItemMap.of(of(ItemKind.SEGMENT, changes.items())));
        }
        ItemMap newFlags = flags;
        ItemMap newSegments = segments;
        for (Item item : changes.items()) {
            boolean isFlag = item.kind() == ItemKind.FLAG;
            Item held = (isFlag ? newFlags : newSegments).get(item.key());
            if (held != null && item.version() <= held.version()) {
                continue;
            }
            if (isFlag) {
                newFlags = newFlags.with(item);
            } else {
                newSegments = newSegments.with(item);
            }
        }
        boolean same = newFlags == flags && newSegments == segments;
        return same ? this : new Snapshot(newFlags, newSegments);
    }

    /** How many flags and segments, for people. */
    @Override
    public String toString() {
        return flags.liveCount() + " flags, " + segments.liveCount() + " segments";
    }

    private ItemMap items(ItemKind kind) {
        return kind == ItemKind.FLAG ? flags : segments;
    }

    private static List<Item> of(ItemKind kind, List<Item> items) {
        List<Item> ofKind = new ArrayList<>(items.size());
        for (Item item : items) {
            if (item.kind() == kind) {
                ofKind.add(item);
            }
        }
        return ofKind;
    }
}
