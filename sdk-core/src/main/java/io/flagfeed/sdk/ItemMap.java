package io.flagfeed.sdk;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The items of one kind, tombstones included: a trie over the keys' hashes, six bits at a level. Immutable. A changed
 * copy shares everything with the original but the nodes on the way to what changed, of 64 slots each: two of them with
 * a thousand items, three or four with a hundred thousand, and never more than six.
 *
 * <p>A node is an array. What lies in a slot of it is nothing, an {@link Item}, an array of the items whose hashes are
 * all equal, or the next node.
 */
final class ItemMap {
    private static final int BITS = 6;
    private static final int WIDTH = 1 << BITS;
    private static final int DEEPEST = 7; // six levels use up the 32 bits of a hash; below them are items of equal hash

    static final ItemMap EMPTY = new ItemMap(new Object[WIDTH], 0);

    private final Object[] root; // like all nodes never written once the map is there
    private final int live;

    private ItemMap(Object[] root, int live) {
        this.root = root;
        this.live = live;
    }

    /** Holds the given items; the last one of each key counts. */
    static ItemMap of(Collection<Item> items) {
        Object[] root = new Object[WIDTH];
        for (Item item : items) {
            put(root, 0, item);
        }
        return new ItemMap(root, live(root));
    }

    private static int live(Object[] slots) {
        int live = 0;
        for (Object slot : slots) {
            live += slot instanceof Object[] more ? live(more) : liveness((Item) slot);
        }
        return live;
    }

    /** The item or tombstone, or null. */
    @Nullable
    Item get(String key) {
        Object[] node = root;
        for (int hash = hash(key); ; hash >>>= BITS) {
            Object slot = node[hash & (WIDTH - 1)];
            if (slot instanceof Item item) {
                return item.key().equals(key) ? item : null;
            } else if (slot == null) {
                return null;
            } else if (slot instanceof Item[] items) {
                return find(items, key);
            }
            node = (Object[]) slot;
        }
    }

    private static @Nullable Item find(Item[] items, String key) {
        for (Item item : items) {
            if (item.key().equals(key)) {
                return item;
            }
        }
        return null;
    }

    /** A copy in which the given item has replaced that of its key. */
    ItemMap with(Item item) {
        return new ItemMap(with(root, 0, item), live + liveness(item) - liveness(get(item.key())));
    }

    /** A copy of a node, and of those below it on the way to the item. */
    private static Object[] with(Object[] node, int shift, Item item) {
        Object[] copy = node.clone();
        int index = index(hash(item), shift);
        Object slot = node[index];
        if (slot instanceof Item one && one.key().equals(item.key())) { // most patches
            copy[index] = item;
        } else if (isNode(slot)) {
            copy[index] = with((Object[]) slot, shift + BITS, item);
        } else {
            copy[index] = joined(slot, item, shift + BITS);
        }
        return copy;
    }

    /** The same in place, for nodes that nobody else has seen. */
    private static void put(Object[] node, int shift, Item item) {
        int index = index(hash(item), shift);
        Object slot = node[index];
        if (isNode(slot)) {
            put((Object[]) slot, shift + BITS, item);
        } else {
            node[index] = joined(slot, item, shift + BITS);
        }
    }

    private static boolean isNode(@Nullable Object slot) {
        return slot instanceof Object[] && !(slot instanceof Item[]);
    }

    /**
     * What a slot with one item, some of equal hash, or nothing holds when an item is added; a node below looks from
     * {@code shift} on.
     */
    private static Object joined(@Nullable Object slot, Item item, int shift) {
        if (slot == null || (slot instanceof Item one && one.key().equals(item.key()))) {
            return item;
        }
        Item[] here = slot instanceof Item one ? new Item[] {one} : (Item[]) slot;
        if (hash(here[0]) == hash(item)) {
            return with(here, item);
        }
        Object[] node = new Object[WIDTH];
        node[index(hash(here[0]), shift)] = slot;
        put(node, shift, item);
        return node;
    }

    private static Item[] with(Item[] items, Item item) {
        for (int i = 0; i < items.length; i++) {
            if (items[i].key().equals(item.key())) {
                Item[] copy = items.clone();
                copy[i] = item;
                return copy;
            }
        }
        Item[] copy = Arrays.copyOf(items, items.length + 1);
        copy[items.length] = item;
        return copy;
    }

    /** What is not a tombstone, as an unmodifiable map that never changes. */
    Map<String, Item> live() {
        return new LiveView();
    }

    int liveCount() {
        return live;
    }

    /** Different for different hash codes, with all bits of these in the lower ones, which are looked at first. */
    private static int hash(String key) {
        int mixed = key.hashCode() * 0x9E3779B9;
        return mixed ^ (mixed >>> 15);
    }

    private static int hash(Item item) {
        return hash(item.key());
    }

    private static int index(int hash, int shift) {
        return (hash >>> shift) & (WIDTH - 1);
    }

    private static int liveness(@Nullable Item item) {
        return item == null || item.deleted() ? 0 : 1;
    }

    private final class LiveView extends AbstractMap<String, Item> {
        @Override
        public @Nullable Item get(Object key) {
            Item item = key instanceof String text ? ItemMap.this.get(text) : null;
            return item == null || item.deleted() ? null : item;
        }

        @Override
        public boolean containsKey(Object key) {
            return get(key) != null;
        }

        @Override
        public int size() {
            return live;
        }

        @Override
        public Set<Entry<String, Item>> entrySet() {
            return new AbstractSet<>() {
                @Override
                public Iterator<Entry<String, Item>> iterator() {
                    Iterator<Item> items = new LiveItems();
                    return new Iterator<>() {
                        @Override
                        public boolean hasNext() {
                            return items.hasNext();
                        }

                        @Override
                        public Entry<String, Item> next() {
                            Item item = items.next();
                            return Map.entry(item.key(), item);
                        }
                    };
                }

                @Override
                public int size() {
                    return live;
                }
            };
        }
    }

    /** Walks the trie, depth first. */
    private final class LiveItems implements Iterator<Item> {
        private final Object[][] path = new Object[DEEPEST][]; // nodes, and at its end perhaps items of equal hash
        private final int[] places = new int[DEEPEST]; // of what comes next in each
        private int depth;
        private @Nullable Item next;

        LiveItems() {
            path[0] = root;
            next = advance();
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public Item next() {
            Item item = next;
            if (item == null) {
                throw new NoSuchElementException();
            }
            next = advance();
            return item;
        }

        private @Nullable Item advance() {
            while (depth >= 0) {
                Object[] slots = path[depth];
                int place = places[depth];
                while (place < slots.length && slots[place] == null) {
                    place++;
                }
                places[depth] = place + 1;
                if (place == slots.length) {
                    depth--;
                } else if (slots[place] instanceof Object[] more) {
                    depth++;
                    path[depth] = more;
                    places[depth] = 0;
                } else if (slots[place] instanceof Item item && !item.deleted()) {
                    return item;
                }
            }
            return null;
        }
    }
}
