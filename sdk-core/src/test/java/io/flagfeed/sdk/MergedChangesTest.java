package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static io.flagfeed.sdk.ItemKind.SEGMENT;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeEvent.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MergedChangesTest {
    private static final ItemKey S = new ItemKey(SEGMENT, "s");
    private static final ItemKey T = new ItemKey(SEGMENT, "t");

    private static Item a(long version) {
        return Item.of(FLAG, "a", version, "{\"version\":" + version + "}");
    }

    private static Change direct(@Nullable Item before, @Nullable Item after) {
        return new Change(FLAG, "a", before, after, null);
    }

    private static Change through(ItemKey through, Item item) {
        return new Change(FLAG, "a", item, item, through);
    }

    private static @Nullable ChangeEvent merged(Change... changes) {
        MergedChanges merged = new MergedChanges();
        for (Change change : changes) {
            merged.add(new ChangeEvent(ChangeSet.Type.PARTIAL, List.of(change)));
        }
        return merged.event();
    }

    private static void assertMerged(Change expected, Change... changes) {
        assertEquals(List.of(expected), requireNonNull(merged(changes)).changes());
    }

    @Test
    void changesOfOneKeyBecomeOne() {
        assertMerged(direct(a(1), a(3)), direct(a(1), a(2)), direct(a(2), a(3)));
        assertMerged(direct(null, a(2)), direct(null, a(1)), direct(a(1), a(2)));
        assertMerged(direct(a(1), null), direct(a(1), a(2)), direct(a(2), null));
        assertMerged(direct(a(1), a(2)), direct(a(1), null), direct(null, a(2)));
    }

    @Test
    void whatIsBackToWhatItWasHasNotChanged() {
        assertNull(merged(direct(a(1), a(2)), direct(a(2), a(1))));
        assertNull(merged(direct(null, a(2)), direct(a(2), null)));
    }

    @Test
    void indirectChangeStaysOneUnlessTheItemItselfChanged() {
        assertMerged(through(T, a(1)), through(S, a(1)), through(T, a(1)));
        assertMerged(direct(a(1), a(2)), through(S, a(1)), direct(a(1), a(2)));
        assertMerged(direct(a(1), a(2)), direct(a(1), a(2)), through(S, a(2)));
        // back to what it was, but what it refers to is not
        assertMerged(through(S, a(1)), through(S, a(1)), direct(a(1), a(2)), direct(a(2), a(1)));
        assertNull(merged(direct(null, a(1)), through(S, a(1)), direct(a(1), null)));
    }

    @Test
    void directChangesComeFirstAndAFullSetMakesItFull() {
        Item flag = Item.of(FLAG, "b", 1, "{}");
        Change indirect = new Change(FLAG, "b", flag, flag, S);
        MergedChanges merged = new MergedChanges();
        merged.add(new ChangeEvent(ChangeSet.Type.PARTIAL, List.of(indirect)));
        merged.add(new ChangeEvent(ChangeSet.Type.FULL, List.of(direct(a(1), a(2)))));
        merged.add(new ChangeEvent(ChangeSet.Type.PARTIAL, List.of(direct(a(2), a(3)))));
        assertEquals(new ChangeEvent(ChangeSet.Type.FULL, List.of(direct(a(1), a(3)), indirect)), merged.event());
    }

    /** Whatever happens in between: the direct changes are those from the first snapshot to the last. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.flagfeed.sdk.Seeds#all")
    void mergingSaysWhatComparingTheEndsSays(long seed) {
        RandomGenerator random = Seeds.random(seed);
        Snapshot first = Snapshot.EMPTY.with(changes(random, ChangeSet.Type.FULL));
        Snapshot last = first;
        References references = References.of(first);
        MergedChanges merged = new MergedChanges();
        Set<String> everTold = new HashSet<>();
        for (int i = random.nextInt(1, 12); i > 0; i--) {
            ChangeSet changes = changes(random, random.nextInt(3) == 0 ? ChangeSet.Type.FULL : ChangeSet.Type.PARTIAL);
            Snapshot next = last.with(changes);
            ChangeEvent event = Changes.between(last, next, changes, references);
            event.changes().forEach(change -> everTold.add(change.kind() + change.key()));
            if (!event.changes().isEmpty()) {
                merged.add(event);
            }
            last = next;
        }
        ChangeEvent event = merged.event();
        List<Change> told = event == null ? List.of() : event.changes();
        Map<String, Change> direct = new HashMap<>();
        for (ItemKind kind : ItemKind.values()) {
            Set<String> keys = new HashSet<>(first.all(kind).keySet());
            keys.addAll(last.all(kind).keySet());
            for (String key : keys) {
                Item before = first.all(kind).get(key);
                Item after = last.all(kind).get(key);
                if (before == null || !before.equals(after)) {
                    direct.put(kind + key, new Change(kind, key, before, after, null));
                }
            }
        }
        assertEquals(
                Set.copyOf(direct.values()),
                told.stream().filter(Change::direct).collect(Collectors.toSet()));
        for (Change change : told) {
            assertTrue(everTold.contains(change.kind() + change.key()));
            assertEquals(last.all(change.kind()).get(change.key()), change.after());
        }
        assertEquals(
                told.size(),
                told.stream()
                        .map(change -> change.kind() + change.key())
                        .distinct()
                        .count());
    }

    private static ChangeSet changes(RandomGenerator random, ChangeSet.Type type) {
        List<Item> items = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            ItemKind kind = random.nextBoolean() ? FLAG : SEGMENT;
            String key = "k" + random.nextInt(4);
            long version = random.nextLong(6);
            String json = "{\"rules\":[{\"clauses\":[{\"op\":\"segmentMatch\",\"values\":[\"k" + random.nextInt(4)
                    + "\"]}]}]}";
            items.add(random.nextInt(4) == 0 ? Item.tombstone(kind, key, version) : Item.of(kind, key, version, json));
        }
        return type == ChangeSet.Type.FULL ? ChangeSet.full(items) : ChangeSet.partial(items);
    }
}
