package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one applied change set changed, each key once.
 *
 * @param type whether the set held everything or a part
 * @param changes the changes, direct ones first; never empty
 */
public record ChangeEvent(ChangeSet.Type type, List<Change> changes) {
    /** Copies the list; throws {@link NullPointerException} for null. */
    public ChangeEvent {
        requireNonNull(type, "type");
        changes = List.copyOf(changes);
    }

    /**
     * What happened to one key. A direct change has another item, or none, after than before. An indirect one has the
     * same item before and after, but what it refers to changed, so that it may evaluate differently.
     *
     * @param kind flag or segment
     * @param key the key
     * @param before the item as it was; null if there was none or a tombstone
     * @param after the item as it is; null if it was deleted
     * @param through null for a direct change; otherwise the prerequisite or segment through which the change reaches
     *     this item, the nearest on the way
     */
    public record Change(
            ItemKind kind,
            String key,
            @Nullable Item before,
            @Nullable Item after,
            @Nullable ItemKey through) {
        /** Checks the components; throws {@link NullPointerException} for a null kind or key. */
        public Change {
            requireNonNull(kind, "kind");
            requireNonNull(key, "key");
        }

        /** Whether this item itself changed. */
        public boolean direct() {
            return through == null;
        }
    }
}
