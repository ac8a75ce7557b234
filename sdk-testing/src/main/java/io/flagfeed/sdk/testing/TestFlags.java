package io.flagfeed.sdk.testing;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.util.Collection;
import java.util.List;

/**
 * Flags and segments with the JSON that evaluators of this protocol accept, and what sources and services make of them.
 *
 * <pre>{@code
 * FlagBuilder search = TestFlags.flag("new-search").target(0, "alice").rule(1, TestFlags.segmentMatch("beta")).off();
 * server.set(search.build());      // version 1
 * server.set(search.on().build()); // version 2
 * server.set(TestFlags.segment("beta").included("bob").build());
 * }</pre>
 */
public final class TestFlags {
    private TestFlags() {}

    /** A flag that is on and gives {@code true}; off, it gives {@code false}. Its version is 1. */
    public static FlagBuilder flag(String key) {
        return new FlagBuilder(key);
    }

    /** A segment with nobody in it. Its version is 1. */
    public static SegmentBuilder segment(String key) {
        return new SegmentBuilder(key);
    }

    /**
     * A condition on an attribute of the user that holds if the operator holds for any of the values.
     *
     * @param attribute {@code key}, {@code country}, ...
     * @param op {@code in}, {@code startsWith}, {@code greaterThan}, ...
     * @param values strings, numbers, booleans
     */
    public static Clause clause(String attribute, String op, Object... values) {
        return new Clause(attribute, op, List.of(values), false);
    }

    /** A condition that holds for the users in any of these segments. */
    public static Clause segmentMatch(String... segmentKeys) {
        return new Clause("", "segmentMatch", List.of((Object[]) segmentKeys), false);
    }

    /**
     * Flags of two to three kilobytes each, some with targets, rules, segments and prerequisites, and a segment for
     * each hundred of them: the same ones for the same arguments, wherever and whenever. The flags come first: {@code
     * flag-0}, {@code flag-1}, ... then {@code segment-0}, ...
     *
     * @param flags how many flags; there is at least one segment
     * @param seed chooses what is in them
     */
    public static List<Item> dataSet(int flags, long seed) {
        if (flags < 0) {
            throw new IllegalArgumentException("flags < 0: " + flags);
        }
        return new DataSet(flags, seed).items();
    }

    /** A change set that replaces everything. */
    public static ChangeSet full(Item... items) {
        return ChangeSet.full(List.of(items));
    }

    /** A change set with one item. */
    public static ChangeSet patch(Item item) {
        return ChangeSet.partial(List.of(item));
    }

    /** A change set that deletes one item. */
    public static ChangeSet delete(ItemKind kind, String key, long version) {
        return patch(Item.tombstone(kind, key, version));
    }

    /**
     * What a poll answers: {@code {"flags":{..},"segments":{..}}}. Tombstones are left out; of several items with one
     * key the last counts.
     */
    public static String document(Collection<Item> items) {
        return Wire.document(items);
    }
}
