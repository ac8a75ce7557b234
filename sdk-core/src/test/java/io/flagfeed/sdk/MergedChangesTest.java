package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static io.flagfeed.sdk.ItemKind.SEGMENT;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeEvent.Change;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MergedChangesTest {
    private static final ItemKey S = new ItemKey(SEGMENT, "s");

    private static Item a(long version) {
        return Item.of(FLAG, "a", version, "{\"version\":" + version + "}");
    }

    private static Change direct(@Nullable Item before, @Nullable Item after) {
        return new Change(FLAG, "a", before, after, null);
    }

    private static final Item S1 = Item.of(SEGMENT, "s", 1, "{}");
    private static final Item S2 = Item.of(SEGMENT, "s", 2, "{}");

    /** A flag with a rule about the segment. */
    private static final Item D =
            Item.of(FLAG, "d", 1, "{\"rules\":[{\"clauses\":[{\"op\":\"segmentMatch\",\"values\":[\"s\"]}]}]}");

    private static final Change INDIRECT = new Change(FLAG, "d", D, D, S);

    private static Change ofS(@Nullable Item before, @Nullable Item after) {
        return new Change(SEGMENT, "s", before, after, null);
    }

    private static Change ofD(@Nullable Item before, @Nullable Item after) {
        return new Change(FLAG, "d", before, after, null);
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
        Item changed = Item.of(FLAG, "d", 2, D.json());
        assertEquals(List.of(ofS(S1, S2), INDIRECT), changesOf(ofS(S1, S2), INDIRECT));
        assertEquals(List.of(ofS(S1, S2), ofD(D, changed)), changesOf(ofS(S1, S2), INDIRECT, ofD(D, changed)));
        // back to what it was, but what it refers to is not
        assertEquals(
                List.of(ofS(S1, S2), INDIRECT), changesOf(ofS(S1, S2), INDIRECT, ofD(D, changed), ofD(changed, D)));
        assertEquals(List.of(ofS(S1, S2)), changesOf(ofD(null, D), ofS(S1, S2), INDIRECT, ofD(D, null)));
    }

    /** It was told of neither time, for it changed itself. */
    @Test
    void whatWasAwayWhileItsReferenceChangedIsChangedThroughIt() {
        assertEquals(List.of(ofS(S1, S2), INDIRECT), changesOf(ofD(D, null), ofS(S1, S2), ofD(null, D)));
    }

    @Test
    void nothingIsChangedThroughWhatIsBackToWhatItWas() {
        assertNull(merged(ofS(S1, S2), INDIRECT, ofS(S2, S1), INDIRECT));
    }

    private static List<Change> changesOf(Change... changes) {
        return requireNonNull(merged(changes)).changes();
    }

    @Test
    void directChangesComeFirstAndAFullSetMakesItFull() {
        MergedChanges merged = new MergedChanges();
        merged.add(new ChangeEvent(ChangeSet.Type.PARTIAL, List.of(ofS(S1, S2), INDIRECT)));
        merged.add(new ChangeEvent(ChangeSet.Type.FULL, List.of(direct(a(1), a(2)))));
        merged.add(new ChangeEvent(ChangeSet.Type.PARTIAL, List.of(direct(a(2), a(3)))));
        assertEquals(
                new ChangeEvent(ChangeSet.Type.FULL, List.of(ofS(S1, S2), direct(a(1), a(3)), INDIRECT)),
                merged.event());
    }

    /** Whatever happens in between: the changes are those from the first snapshot to the last. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.flagfeed.sdk.Seeds#all")
    void mergingSaysWhatComparingTheEndsSays(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int history = 0; history < 300; history++) { // few bring an item back as it was
            assertMergedAsCompared(random);
        }
    }

    private static void assertMergedAsCompared(RandomGenerator random) {
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
        List<Item> held = new ArrayList<>();
        for (ItemKind kind : ItemKind.values()) {
            held.addAll(last.all(kind).values());
        }
        ChangeEvent expected = Changes.between(first, last, ChangeSet.full(held), References.of(first));
        assertEquals(withoutWays(expected.changes()), withoutWays(told));
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

    /** Through which of several a change is told does not matter. */
    private static Set<String> withoutWays(List<Change> changes) {
        return changes.stream()
                .map(change -> change.kind() + " " + change.key() + " " + change.before() + " " + change.after() + " "
                        + change.direct())
                .collect(Collectors.toSet());
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
