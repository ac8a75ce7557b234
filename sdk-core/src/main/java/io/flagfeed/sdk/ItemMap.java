package io.flagfeed.sdk;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The items of one kind, tombstones included. Immutable; a changed copy costs O(√n), because n items lie in about √n
 * buckets and a copy shares every bucket that no change touches.
 *
 * <p>Buckets are the JDK's hash maps, which stay fast when somebody picks keys with equal hash codes.
 */
final class ItemMap {
    static final ItemMap EMPTY = new ItemMap(buckets(1), 0, 0);

    private final Map<String, Item>[] buckets; // their number is a power of two; never written after construction
    private final int size;
    private final int live;

    private ItemMap(Map<String, Item>[] buckets, int size, int live) {
        this.buckets = buckets;
        this.size = size;
        this.live = live;
    }

    /** Holds the given items; the last one of each key counts. */
    static ItemMap of(Collection<Item> items) {
        return fill(items.stream(), items.size());
    }

    /** The item or tombstone, or null. */
    @Nullable
    Item get(String key) {
        return buckets[index(key, buckets.length)].get(key);
    }

    /** A copy in which the given items have replaced those of their keys. */
    ItemMap with(Collection<Item> changes) {
        if (changes.isEmpty()) {
            return this;
        }
        if (size + changes.size() > capacity(buckets.length)) {
            // grows by half at least, so that the cost of filling anew, shared by the additions before, stays small
            int expected = Math.max(size + changes.size(), size + size / 2);
            return fill(
                    Stream.concat(Arrays.stream(buckets).flatMap(b -> b.values().stream()), changes.stream()),
                    expected);
        }
        Map<String, Item>[] copy = buckets.clone();
        int newSize = size;
        int newLive = live;
        for (Item item : changes) {
            int index = index(item.key(), copy.length);
            if (copy[index] == buckets[index]) {
                copy[index] = new HashMap<>(buckets[index]);
            }
            Item before = copy[index].put(item.key(), item);
            newSize += before == null ? 1 : 0;
            newLive += liveness(item) - liveness(before);
        }
        return new ItemMap(copy, newSize, newLive);
    }

    /** What is not a tombstone, as an unmodifiable map that never changes. */
    Map<String, Item> live() {
        return new LiveView();
    }

    int liveCount() {
        return live;
    }

    private static ItemMap fill(Stream<Item> items, int expected) {
        int count = 1;
        while (capacity(count) < expected) {
            count *= 2;
        }
        Map<String, Item>[] buckets = buckets(count);
        items.forEach(item -> buckets[index(item.key(), buckets.length)].put(item.key(), item));
        int size = 0;
        int live = 0;
        for (Map<String, Item> bucket : buckets) {
            size += bucket.size();
            for (Item item : bucket.values()) {
                live += liveness(item);
            }
        }
        return new ItemMap(buckets, size, live);
    }

    /** The most items that this many buckets hold: a quarter as many in each as there are buckets, but eight at least. */
    private static long capacity(int buckets) {
        return (long) buckets * Math.max(8, buckets / 4);
    }

    private static int index(String key, int buckets) {
        // The buckets' own maps use the low bits of the hash code. Other bits choose the bucket.
        return ((key.hashCode() * 0x9E3779B9) >>> 16) & (buckets - 1);
    }

    private static int liveness(@Nullable Item item) {
        return item == null || item.deleted() ? 0 : 1;
    }

    private static Map<String, Item>[] buckets(int count) {
        @SuppressWarnings({"unchecked", "rawtypes"}) // there are no generic arrays
        Map<String, Item>[] buckets = new Map[count];
        Arrays.setAll(buckets, i -> new HashMap<>());
        return buckets;
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
                    return new LiveEntries();
                }

                @Override
                public int size() {
                    return live;
                }
            };
        }
    }

    private final class LiveEntries implements Iterator<Map.Entry<String, Item>> {
        private int bucket;
        private Iterator<Item> items = buckets[0].values().iterator();
        private @Nullable Item next = advance();

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public Map.Entry<String, Item> next() {
            Item item = next;
            if (item == null) {
                throw new NoSuchElementException();
            }
            next = advance();
            return Map.entry(item.key(), item);
        }

        private @Nullable Item advance() {
            while (true) {
                while (items.hasNext()) {
                    Item item = items.next();
                    if (!item.deleted()) {
                        return item;
                    }
                }
                if (++bucket == buckets.length) {
                    return null;
                }
                items = buckets[bucket].values().iterator();
            }
        }
    }
}
