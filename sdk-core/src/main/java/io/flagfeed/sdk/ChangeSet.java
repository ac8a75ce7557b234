package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.List;

/** Items that a service sent together, to be applied all at once. Immutable. */
public final class ChangeSet {
    /** What the items are to what is held. */
    public enum Type {
        /** Everything there is: replaces what is held, whatever the versions. */
        FULL,
        /** A part: each item replaces a held one with a lower version, and is ignored otherwise. */
        PARTIAL
    }

    private final Type type;
    private final List<Item> items;

    private ChangeSet(Type type, Collection<Item> items) {
        this.type = requireNonNull(type, "type");
        this.items = List.copyOf(items);
    }

    /** Everything there is. Of several items with one key the last counts. */
    public static ChangeSet full(Collection<Item> items) {
        return new ChangeSet(Type.FULL, items);
    }

    /** A part: patches, and tombstones for what was deleted. They count in order. */
    public static ChangeSet partial(Collection<Item> items) {
        return new ChangeSet(Type.PARTIAL, items);
    }

    /** What the items are to what is held. */
    public Type type() {
        return type;
    }

    /** The items, unmodifiable, in the order they came. */
    public List<Item> items() {
        return items;
    }

    /** The type and the items without their content. */
    @Override
    public String toString() {
        return type + " " + (items.size() > 10 ? items.size() + " items" : items.toString());
    }
}
