package io.flagfeed.sdk;

import io.flagfeed.sdk.ChangeEvent.Change;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a change set changed. An item counts as changed when its version or its content differs, the content
 * compared as text; tombstones count as nothing.
 */
final class Changes {
    private Changes() {}

    /** The event for a change set that made {@code after} of {@code before}; brings the references up to date. */
    static ChangeEvent between(Snapshot before, Snapshot after, ChangeSet changes, References references) {
        List<Change> found = new ArrayList<>();
        for (ItemKey item : touched(before, changes)) {
            Item old = live(before, item);
            Item current = live(after, item);
            if (!Objects.equals(old, current)) {
                found.add(new Change(item.kind(), item.key(), old, current, null));
                if (current == null) {
                    references.remove(item);
                } else {
                    references.put(current);
                }
            }
        }
        addIndirect(found, item -> live(after, item), references);
        return new ChangeEvent(changes.type(), found);
    }

    /** Every key that may have changed: those of the set, and if it replaces everything, those held before. */
    private static Set<ItemKey> touched(Snapshot before, ChangeSet changes) {
        Set<ItemKey> keys = new LinkedHashSet<>();
        for (Item item : changes.items()) {
            keys.add(new ItemKey(item.kind(), item.key()));
        }
        if (changes.type() == ChangeSet.Type.FULL) {
            for (ItemKind kind : ItemKind.values()) {
                before.all(kind).keySet().forEach(key -> keys.add(new ItemKey(kind, key)));
            }
        }
        return keys;
    }

    /**
     * Follows the references backwards from what changed, breadth first, each item once.
     *
     * @param found what changed itself
     * @param after what is held under a key, or null if that is nothing
     */
    static void addIndirect(List<Change> found, Function<ItemKey, @Nullable Item> after, References references) {
        Set<ItemKey> seen = new HashSet<>();
        Queue<ItemKey> reached = new ArrayDeque<>();
        for (Change change : found) {
            ItemKey item = new ItemKey(change.kind(), change.key());
            seen.add(item);
            reached.add(item);
        }
        for (ItemKey through = reached.poll(); through != null; through = reached.poll()) {
            for (ItemKey source : references.sourcesOf(through)) {
                Item item = after.apply(source);
                if (item != null && seen.add(source)) {
                    found.add(new Change(source.kind(), source.key(), item, item, through));
                    reached.add(source);
                }
            }
        }
    }

    private static @Nullable Item live(Snapshot snapshot, ItemKey item) {
        Item held = snapshot.held(item.kind(), item.key());
        return held == null || held.deleted() ? null : held;
    }
}
