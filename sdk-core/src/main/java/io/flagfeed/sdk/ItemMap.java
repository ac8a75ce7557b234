package io.flagfeed.sdk;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The items of one kind, tombstones included: a trie over the keys' hashes, five bits at a level. Immutable. A changed
 * copy shares everything with the original but the nodes on the way to what changed, each of 32 slots at most: about two
 * of them with a hundred items, four with a hundred thousand, and never more than seven.
 *
 * <p>What lies in a slot is a {@link Node}, an {@link Item}, or an array of the items whose hashes are all equal.
 */
final class ItemMap {
    static final ItemMap EMPTY = new ItemMap(Node.EMPTY, 0);

    private static final int BITS = 5;

    private final Node root;
    private final int live;

    private ItemMap(Node root, int live) {
        this.root = root;
        this.live = live;
    }

    /** The used ones of 32 slots, in order; a bit says which they are. Never written after construction. */
    private static final class Node {
        static final Node EMPTY = new Node(0, new Object[0]);

        final int used;
        final Object[] slots;

        Node(int used, Object[] slots) {
            this.used = used;
            this.slots = slots;
        }

        boolean has(int bit) {
            return (used & bit) != 0;
        }

        int index(int bit) {
            return Integer.bitCount(used & (bit - 1));
        }

        Node replaced(int bit, Object slot) {
            Object[] copy = slots.clone();
            copy[index(bit)] = slot;
            return new Node(used, copy);
        }

        Node inserted(int bit, Object slot) {
            int index = index(bit);
            Object[] copy = new Object[slots.length + 1];
            System.arraycopy(slots, 0, copy, 0, index);
            copy[index] = slot;
            System.arraycopy(slots, index, copy, index + 1, slots.length - index);
            return new Node(used | bit, copy);
        }
    }

    /** Holds the given items; the last one of each key counts. */
    static ItemMap of(Collection<Item> items) {
        if (items.isEmpty()) {
            return EMPTY;
        }
        ItemMap map = new ItemMap(node(items, 0), 0);
        int live = 0;
        for (Iterator<Item> all = map.new LiveItems(); all.hasNext(); all.next()) {
            live++;
        }
        return new ItemMap(map.root, live);
    }

    /** The item or tombstone, or null. */
    @Nullable
    Item get(String key) {
        int hash = hash(key);
        Node node = root;
        for (int shift = 0; ; shift += BITS) {
            int bit = bit(hash, shift);
            if (!node.has(bit)) {
                return null;
            }
            Object slot = node.slots[node.index(bit)];
            if (slot instanceof Item item) {
                return item.key().equals(key) ? item : null;
            } else if (slot instanceof Node next) {
                node = next;
            } else {
                return find((Item[]) slot, key);
            }
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

    /** A copy in which the given items have replaced those of their keys. */
    ItemMap with(Collection<Item> changes) {
        Node newRoot = root;
        ItemMap map = this;
        for (Item item : changes) {
            int newLive = map.live + liveness(item) - liveness(map.get(item.key()));
            newRoot = with(newRoot, 0, item);
            map = new ItemMap(newRoot, newLive);
        }
        return map;
    }

    private static Node with(Node node, int shift, Item item) {
        int hash = hash(item.key());
        int bit = bit(hash, shift);
        if (!node.has(bit)) {
            return node.inserted(bit, item);
        }
        Object slot = node.slots[node.index(bit)];
        if (slot instanceof Node next) {
            return node.replaced(bit, with(next, shift + BITS, item));
        } else if (slot instanceof Item one && one.key().equals(item.key())) {
            return node.replaced(bit, item);
        }
        List<Item> here = new ArrayList<>(slot instanceof Item one ? List.of(one) : Arrays.asList((Item[]) slot));
        here.add(item);
        return node.replaced(bit, slot(here, shift + BITS));
    }

    /** A node of what has come this far: the bits from {@code shift} on are not looked at yet. */
    private static Node node(Collection<Item> items, int shift) {
        @SuppressWarnings({"unchecked", "rawtypes"}) // there are no generic arrays
        List<Item>[] parts = new List[1 << BITS];
        int used = 0;
        for (Item item : items) {
            int bit = bit(hash(item.key()), shift);
            int part = Integer.numberOfTrailingZeros(bit);
            if ((used & bit) == 0) {
                used |= bit;
                parts[part] = new ArrayList<>();
            }
            parts[part].add(item);
        }
        Object[] slots = new Object[Integer.bitCount(used)];
        int index = 0;
        for (List<Item> part : parts) {
            if (part != null) {
                slots[index++] = slot(part, shift + BITS);
            }
        }
        return new Node(used, slots);
    }

    private static Object slot(List<Item> items, int shift) {
        int hash = hash(items.get(0).key());
        if (items.stream().anyMatch(item -> hash(item.key()) != hash)) {
            return node(items, shift);
        }
        Map<String, Item> last = new LinkedHashMap<>();
        items.forEach(item -> last.put(item.key(), item));
        return last.size() == 1 ? items.get(items.size() - 1) : last.values().toArray(new Item[0]);
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

    private static int bit(int hash, int shift) {
        return 1 << (hash >>> shift); // of what is shifted by, Java looks at the lower five bits only
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
        private final Deque<Iterator<?>> path = new ArrayDeque<>();
        private @Nullable Item next;

        LiveItems() {
            path.push(Arrays.asList(root.slots).iterator());
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
            while (!path.isEmpty()) {
                Iterator<?> slots = path.peek();
                if (!slots.hasNext()) {
                    path.pop();
                    continue;
                }
                Object slot = slots.next();
                if (slot instanceof Node node) {
                    path.push(Arrays.asList(node.slots).iterator());
                } else if (!(slot instanceof Item item)) {
                    path.push(Arrays.asList((Item[]) slot).iterator());
                } else if (!item.deleted()) {
                    return item;
                }
            }
            return null;
        }
    }
}
