package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemMapTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.flagfeed.sdk.Seeds#all")
    void itHoldsWhatAHashMapWould(long seed) {
        RandomGenerator random = Seeds.random(seed);
        int keys = 1 << random.nextInt(13);
        ItemMap map = ItemMap.EMPTY;
        Map<String, Item> model = new HashMap<>();
        IdentityHashMap<ItemMap, Map<String, Item>> earlier = new IdentityHashMap<>();
        for (int step = 0; step < 60; step++) {
            List<Item> items = new ArrayList<>();
            for (int i = random.nextInt(1 + random.nextInt(1 + keys)); i > 0; i--) {
                items.add(item(random.nextInt(keys), step, random.nextInt(3) == 0));
            }
            if (random.nextInt(20) == 0) {
                map = ItemMap.of(items);
                model.clear();
            } else {
                map = with(map, items);
            }
            for (Item item : items) {
                model.put(item.key(), item);
            }
            assertHolds(model, keys, map, "seed " + seed + ", step " + step);
            if (random.nextInt(5) == 0) {
                earlier.put(map, new HashMap<>(model));
            }
        }
        earlier.forEach((old, content) -> assertHolds(content, keys, old, "seed " + seed + ", an earlier copy"));
    }

    private static void assertHolds(Map<String, Item> model, int keys, ItemMap map, String message) {
        Map<String, Item> live = new HashMap<>(model);
        live.values().removeIf(Item::deleted);
        assertEquals(live.size(), map.liveCount(), message);
        assertEquals(live, new HashMap<>(map.live()), message); // by its iterator
        assertEquals(live.size(), map.live().size(), message);
        assertEquals(live.size(), map.live().entrySet().size(), message);
        for (int i = 0; i < keys; i++) {
            Item item = model.get("key-" + i);
            assertSame(item, map.get("key-" + i), message);
            assertSame(live.get("key-" + i), map.live().get("key-" + i), message);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 16, 17, 1000, 20_000})
    void oneByOneIsLikeAllAtOnce(int n) {
        ItemMap grown = ItemMap.EMPTY;
        for (int i = 0; i < n; i++) {
            grown = grown.with(item(i, 1, i % 5 == 0));
        }
        ItemMap filled = ItemMap.of(items(n, i -> item(i, 1, i % 5 == 0)));
        assertEquals(filled.live(), grown.live());
        assertEquals(n - (n + 4) / 5, grown.liveCount());
        assertEquals(filled.liveCount(), grown.liveCount());
    }

    @Test
    void anIterationGoesOnOverWhatWasThereWhenItBegan() {
        ItemMap map = ItemMap.of(items(100, i -> item(i, 1, false)));
        Iterator<Map.Entry<String, Item>> iterator = map.live().entrySet().iterator();
        Map<String, Item> seen = new HashMap<>();
        for (int i = 0; iterator.hasNext(); i++) {
            Map.Entry<String, Item> entry = iterator.next();
            seen.put(entry.getKey(), entry.getValue());
            map = map.with(item(i, 2, i % 2 == 0)).with(item(1000 + i, 1, false));
        }
        assertEquals(ItemMap.of(items(100, i -> item(i, 1, false))).live(), seen);
        assertEquals(150, map.liveCount());
    }

    @Test
    void theViewIsAMapThatCannotBeChanged() {
        Map<String, Item> live =
                ItemMap.of(List.of(item(1, 1, false), item(2, 1, true))).live();
        Item other = item(3, 1, false);
        assertThrows(UnsupportedOperationException.class, () -> live.put("key-3", other));
        assertThrows(UnsupportedOperationException.class, () -> live.remove("key-1"));
        assertThrows(UnsupportedOperationException.class, live::clear);
        assertThrows(UnsupportedOperationException.class, () -> live.keySet().clear());
        assertThrows(UnsupportedOperationException.class, () -> live.values().removeIf(item -> true));
        Map.Entry<String, Item> entry = live.entrySet().iterator().next();
        assertThrows(UnsupportedOperationException.class, () -> entry.setValue(other));

        assertEquals(Set.of("key-1"), live.keySet());
        assertTrue(live.containsKey("key-1"));
        assertFalse(live.containsKey("key-2"));
        assertFalse(live.containsKey(null));
        assertNull(live.get((Object) 1));
        assertEquals(Map.of("key-1", item(1, 1, false)), live);
    }

    @Test
    void anIterationEnds() {
        Iterator<String> iterator =
                ItemMap.of(List.of(item(1, 1, false))).live().keySet().iterator();
        assertEquals("key-1", iterator.next());
        assertFalse(iterator.hasNext());
        assertThrows(NoSuchElementException.class, iterator::next);
        assertThrows(NoSuchElementException.class, iterator::next);
    }

    @Test
    void keysWithEqualHashCodesAreKeptApart() {
        List<String> keys = List.of("AaAa", "BBBB", "AaBB", "BBAa");
        ItemMap map =
                ItemMap.of(keys.stream().map(key -> Item.of(FLAG, key, 1, "{}")).toList());
        assertEquals(4, map.liveCount());
        ItemMap grown = ItemMap.EMPTY;
        for (String key : keys) {
            grown = grown.with(Item.of(FLAG, key, 1, "{}"));
        }
        assertEquals(map.live(), grown.live());
        map = map.with(Item.tombstone(FLAG, "AaBB", 2));
        assertEquals(Set.of("AaAa", "BBBB", "BBAa"), map.live().keySet());
        assertEquals(2, requireNonNull(map.get("AaBB")).version());
        assertNull(map.get("AaB"));
        // one whose hash differs only in bits that are looked at last comes to lie beside them
        map = with(map, items(10_000, i -> item(i, 1, false)));
        assertEquals(10_003, map.liveCount());
        assertEquals(1, requireNonNull(map.get("BBAa")).version());
    }

    /** The longest way there is: hashes that differ only in the two bits looked at last, two keys for each. */
    @Test
    void keysThatLieDeepestAreKeptApart() {
        List<String> keys = new ArrayList<>();
        for (int last = 0; last < 4; last++) {
            int code = codeOfHash(0x1234_5678 | (last << 30));
            keys.add(keyOfCode(code, 1));
            keys.add(keyOfCode(code, 2));
            assertEquals(keys.get(2 * last).hashCode(), keys.get(2 * last + 1).hashCode());
        }
        assertEquals(8, Set.copyOf(keys).size());
        List<Item> items = keys.stream().map(key -> Item.of(FLAG, key, 1, "{}")).toList();
        ItemMap map = ItemMap.of(items);
        ItemMap grown = ItemMap.EMPTY;
        for (Item item : items) {
            grown = grown.with(item);
        }
        for (ItemMap each : List.of(map, grown)) {
            assertEquals(Set.copyOf(keys), each.live().keySet());
            for (String key : keys) {
                assertEquals(key, requireNonNull(each.get(key)).key());
                ItemMap changed = each.with(Item.of(FLAG, key, 2, "{}"));
                assertEquals(2, requireNonNull(changed.get(key)).version());
                assertEquals(8, changed.live().size());
                assertEquals(1, requireNonNull(each.get(key)).version());
            }
        }
    }

    /** The hash code that the map makes this hash of. */
    private static int codeOfHash(int hash) {
        int mixed = hash ^ (hash >>> 15) ^ (hash >>> 30);
        BigInteger inverse = BigInteger.valueOf(0x9E3779B9L).modInverse(BigInteger.ONE.shiftLeft(32));
        return mixed * inverse.intValue();
    }

    /** Keys of the same hash code differ by how often that has overflowed. */
    private static String keyOfCode(int code, int overflows) {
        StringBuilder key = new StringBuilder();
        for (long rest = Integer.toUnsignedLong(code) + ((long) overflows << 32); rest > 0; rest /= 31) {
            key.insert(0, (char) (rest % 31));
        }
        return key.toString();
    }

    /** A patch copies the nodes on the way to its item, however many other items there are. */
    @Test
    void aPatchCostsAboutTheSameWithAThousandTimesTheItems() {
        long few = allocatedByPatch(100);
        long many = allocatedByPatch(100_000);
        assertTrue(many < 4 * few, few + " bytes of 100 items, " + many + " of 100,000");
        assertTrue(many < 1_500, many + " bytes of 100,000 items");
    }

    private static long allocatedByPatch(int n) {
        ItemMap map = ItemMap.of(items(n, i -> item(i, 1, false)));
        long all = 0;
        for (int i = 0; i < 100; i++) {
            Item patch = item(i * (n / 100), 2, false);
            Supplier<ItemMap> patched = () -> map.with(patch);
            assertEquals(n, patched.get().liveCount());
            long before = THREADS.getCurrentThreadAllocatedBytes();
            ItemMap result = patched.get();
            all += THREADS.getCurrentThreadAllocatedBytes() - before;
            assertEquals(n, result.liveCount());
        }
        return all / 100;
    }

    @Test
    void growingItemByItemCostsNoMoreThanThat() {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        ItemMap map = ItemMap.EMPTY;
        for (int i = 0; i < 10_000; i++) {
            map = map.with(item(i, 1, false));
        }
        long each = (THREADS.getCurrentThreadAllocatedBytes() - before) / 10_000;
        assertEquals(10_000, map.liveCount());
        assertTrue(each < 2_000, each + " bytes for each item");
    }

    private static ItemMap with(ItemMap map, List<Item> items) {
        ItemMap result = map;
        for (Item item : items) {
            result = result.with(item);
        }
        return result;
    }

    private static List<Item> items(int n, IntFunction<Item> item) {
        return IntStream.range(0, n).mapToObj(item).toList();
    }

    private static Item item(int i, long version, boolean deleted) {
        return deleted ? Item.tombstone(FLAG, "key-" + i, version) : Item.of(FLAG, "key-" + i, version, "{}");
    }
}
