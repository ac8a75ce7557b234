package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static io.flagfeed.sdk.ItemKind.SEGMENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SnapshotTest {
    // STORE-01, step by step
    @Test
    void anOlderPatchDoesNotBringADeletedItemBack() {
        Snapshot snapshot = Snapshot.EMPTY.with(ChangeSet.full(List.of(flag("a", 5))));
        assertVersion(5, snapshot, "a");
        snapshot = patched(snapshot, gone("a", 7));
        assertAbsent(snapshot, "a");
        snapshot = patched(snapshot, flag("a", 6));
        assertAbsent(snapshot, "a");
        snapshot = patched(snapshot, flag("a", 8));
        assertVersion(8, snapshot, "a");

        snapshot = patched(snapshot, gone("z", 9)); // never seen before
        snapshot = patched(snapshot, flag("z", 8));
        assertAbsent(snapshot, "z");

        snapshot = snapshot.with(ChangeSet.full(List.of(flag("a", 1)))); // clears what was left behind
        assertNull(snapshot.held(FLAG, "z"));
        snapshot = patched(snapshot, flag("z", 1));
        assertVersion(1, snapshot, "z");
    }

    // STORE-03
    @Test
    void aFullSetReplacesEverythingWhateverTheVersions() {
        Snapshot before = Snapshot.EMPTY.with(ChangeSet.full(List.of(flag("a", 5), flag("b", 1), segment("s", 9))));
        Snapshot after = before.with(ChangeSet.full(List.of(flag("a", 3))));
        assertEquals(Map.of("a", flag("a", 3)), after.all(FLAG));
        assertEquals(Map.of(), after.all(SEGMENT));
        assertVersion(5, before, "a"); // what was read before stays as it was
        assertEquals(2, before.all(FLAG).size());
    }

    @ParameterizedTest(name = "v{1} over v{0}")
    @CsvSource({
        "5, 4, 5",
        "5, 5, 5",
        "5, 6, 6",
        "0, -1, 0",
        "-1, 0, 0",
        "9223372036854775807, -9223372036854775808, 9223372036854775807",
        "-9223372036854775808, 9223372036854775807, 9223372036854775807"
    })
    void ofAPartialSetOnlyAGreaterVersionCounts(long held, long patch, long expected) {
        Snapshot before = Snapshot.EMPTY.with(ChangeSet.full(List.of(flag("a", held))));
        Snapshot after = patched(before, Item.of(FLAG, "a", patch, "{\"new\":true}"));
        assertVersion(expected, after, "a");

        Snapshot deleted = patched(before, gone("a", patch));
        assertEquals(expected == held, deleted.get(FLAG, "a").isPresent());
    }

    @Test
    void aPartialSetOfWhichNothingCountsChangesNothing() {
        Snapshot before = Snapshot.EMPTY.with(ChangeSet.full(List.of(flag("a", 5))));
        assertSame(before, before.with(ChangeSet.partial(List.of())));
        assertSame(before, patched(before, flag("a", 5), gone("a", 4)));
    }

    @Test
    void withinASetItemsCountInOrder() {
        assertVersion(3, patched(Snapshot.EMPTY, flag("a", 1), flag("a", 3), flag("a", 2)), "a");
        assertAbsent(patched(Snapshot.EMPTY, flag("a", 1), gone("a", 3), flag("a", 2)), "a");
        assertVersion(4, patched(Snapshot.EMPTY, gone("a", 3), flag("a", 4)), "a");

        Snapshot full = Snapshot.EMPTY.with(ChangeSet.full(List.of(flag("a", 3), flag("a", 1))));
        assertVersion(1, full, "a");
        assertEquals("1 flags, 0 segments", full.toString());
    }

    @Test
    void aFullSetMayHoldTombstones() {
        Snapshot snapshot = Snapshot.EMPTY.with(ChangeSet.full(List.of(gone("a", 5), flag("b", 1))));
        assertAbsent(snapshot, "a");
        assertNotNull(snapshot.held(FLAG, "a"));
        assertAbsent(patched(snapshot, flag("a", 4)), "a");
        assertEquals("1 flags, 0 segments", snapshot.toString());
    }

    @Test
    void flagsAndSegmentsAreWorldsApart() {
        Snapshot snapshot = patched(Snapshot.EMPTY, flag("a", 1), segment("a", 7));
        assertEquals(Optional.of(flag("a", 1)), snapshot.get(FLAG, "a"));
        assertEquals(Optional.of(segment("a", 7)), snapshot.get(SEGMENT, "a"));
        snapshot = patched(snapshot, Item.tombstone(SEGMENT, "a", 8));
        assertVersion(1, snapshot, "a");
        assertEquals(Map.of(), snapshot.all(SEGMENT));
        assertEquals("1 flags, 0 segments", snapshot.toString());
    }

    @Test
    void aNullKeyIsRefusedEvenOfNothing() {
        assertThrows(NullPointerException.class, () -> Snapshot.EMPTY.get(FLAG, null));
    }

    /** Against the rules written as naively as can be. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.flagfeed.sdk.Seeds#all")
    void anyHistory(long seed) {
        RandomGenerator random = Seeds.random(seed);
        Snapshot snapshot = Snapshot.EMPTY;
        Map<String, Item> model = new HashMap<>();
        for (int step = 0; step < 200; step++) {
            List<Item> items = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                String key = "k" + random.nextInt(10);
                long version = random.nextInt(30);
                items.add(random.nextInt(3) == 0 ? gone(key, version) : flag(key, version));
            }
            boolean full = random.nextInt(10) == 0;
            if (full) {
                model.clear();
            }
            for (Item item : items) {
                Item held = model.get(item.key());
                if (full || held == null || held.version() < item.version()) {
                    model.put(item.key(), item);
                }
            }
            snapshot = snapshot.with(full ? ChangeSet.full(items) : ChangeSet.partial(items));

            Map<String, Item> live = new HashMap<>(model);
            live.values().removeIf(Item::deleted);
            assertEquals(live, snapshot.all(FLAG), "seed " + seed + ", step " + step);
            for (int i = 0; i < 10; i++) {
                assertEquals(model.get("k" + i), snapshot.held(FLAG, "k" + i), "seed " + seed + ", step " + step);
            }
        }
    }

    private static Snapshot patched(Snapshot snapshot, Item... items) {
        return snapshot.with(ChangeSet.partial(List.of(items)));
    }

    private static void assertVersion(long expected, Snapshot snapshot, String key) {
        assertEquals(expected, snapshot.get(FLAG, key).orElseThrow().version());
    }

    private static void assertAbsent(Snapshot snapshot, String key) {
        assertEquals(Optional.empty(), snapshot.get(FLAG, key));
        assertFalse(snapshot.all(FLAG).containsKey(key));
    }

    private static Item flag(String key, long version) {
        return Item.of(FLAG, key, version, "{}");
    }

    private static Item segment(String key, long version) {
        return Item.of(SEGMENT, key, version, "{}");
    }

    private static Item gone(String key, long version) {
        return Item.tombstone(FLAG, key, version);
    }
}
