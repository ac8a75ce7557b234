package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static io.flagfeed.sdk.ItemKind.SEGMENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeEvent.Change;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What change listeners hear: direct changes, and those that reach an item through what it refers to. */
class ChangesTest {
    private Snapshot snapshot = Snapshot.EMPTY;
    private final References references = References.of(snapshot);

    // ---- direct changes

    @Test
    void addedChangedAndDeleted() {
        Item a = flag("a", 1, "");
        Item newerA = flag("a", 2, "");
        assertChanges("+a", full(a));
        assertChanges("*a", partial(newerA));
        assertChanges("-a", partial(gone("a", 3)));
        assertChanges("+a", partial(flag("a", 4, "")));
    }

    @Test
    void aChangeHoldsTheItemAsItWasAndAsItIs() {
        Item a = flag("a", 1, "");
        Item newerA = flag("a", 2, "");
        assertEquals(List.of(new Change(FLAG, "a", null, a, null)), full(a).changes());
        assertEquals(
                List.of(new Change(FLAG, "a", a, newerA, null)), partial(newerA).changes());
        assertEquals(
                List.of(new Change(FLAG, "a", newerA, null, null)),
                partial(gone("a", 3)).changes());
    }

    // STORE-06
    @Test
    void whatStaysTheSameIsNoChange() {
        full(flag("a", 1, ""), flag("b", 1, ""));
        assertChanges("", full(flag("b", 1, ""), flag("a", 1, "")));
        assertChanges("*a", full(flag("a", 1, "'x':1"), flag("b", 1, ""))); // same version, other content
        assertChanges("*a", full(flag("a", 2, "'x':1"), flag("b", 1, ""))); // other version, same content
        assertChanges("*a", full(flag("a", 1, "'x':1"), flag("b", 1, ""))); // rolled back
        assertChanges("", partial(flag("a", 1, "'x':2"))); // not greater: ignored
        assertChanges("", partial(gone("b", 0)));
    }

    @Test
    void deletingWhatIsNotThereIsNoChange() {
        assertChanges("", partial(gone("z", 3)));
        assertChanges("", partial(flag("z", 2, "")));
        assertChanges("", partial(gone("z", 4)));
        assertChanges("", full(gone("z", 1)));
    }

    // STORE-03, DATA-09
    @Test
    void aFullSetTellsOfEachKeyOnceAlsoOfThoseItLacks() {
        full(flag("a", 5, ""), flag("b", 1, ""), segment("s", 1, ""));
        assertChanges("*a -b -s +c", full(flag("a", 3, ""), flag("c", 1, "")));
    }

    @Test
    void manyItemsOfOneKeyAreOneChange() {
        ChangeEvent event = partial(flag("a", 1, ""), flag("a", 2, ""), gone("a", 3), flag("a", 4, ""));
        assertEquals(List.of(new Change(FLAG, "a", null, flag("a", 4, ""), null)), event.changes());
        assertChanges("-a", partial(gone("a", 5), flag("b", 1, ""), gone("b", 2))); // b came and went
    }

    @Test
    void theEventSaysWhatKindOfSetItWas() {
        assertEquals(ChangeSet.Type.FULL, full(flag("a", 1, "")).type());
        assertEquals(ChangeSet.Type.PARTIAL, partial(flag("a", 2, "")).type());
    }

    // ---- indirect changes

    @Test
    void aFlagChangesWithItsPrerequisite() {
        full(flag("a", 1, prerequisites("b")), flag("b", 1, ""), flag("c", 1, ""));
        assertChanges("*b a<b", partial(flag("b", 2, "")));
        assertChanges("-b a<b", partial(gone("b", 3)));
        assertChanges("+b a<b", partial(flag("b", 4, "")));
        assertChanges("*a", partial(flag("a", 2, prerequisites("b")))); // not the other way
    }

    @Test
    void aFlagChangesWithItsSegment() {
        full(flag("a", 1, segmentMatch("s", "t")), segment("s", 1, ""), segment("u", 1, ""));
        assertChanges("*s a<s", partial(segment("s", 2, "")));
        assertChanges("+t a<t", partial(segment("t", 1, ""))); // known by name before it came
        assertChanges("*u", partial(segment("u", 2, "")));
    }

    @Test
    void aFlagAndASegmentMayShareAKey() {
        full(flag("a", 1, segmentMatch("x")), flag("b", 1, prerequisites("x")), flag("x", 1, ""), segment("x", 1, ""));
        assertEquals(
                Set.of(new ItemKey(FLAG, "x"), new ItemKey(FLAG, "b")), keys(partial(flag("x", 2, "")))); // and not a
        assertEquals(
                Set.of(new ItemKey(SEGMENT, "x"), new ItemKey(FLAG, "a")),
                keys(partial(segment("x", 2, "")))); // and not b
    }

    @Test
    void changesGoThroughAnyNumberOfItems() {
        full(
                flag("a", 1, prerequisites("b")),
                flag("b", 1, prerequisites("c")),
                flag("c", 1, segmentMatch("s")),
                segment("s", 1, segmentMatch("t")),
                segment("t", 1, ""));
        assertChanges("*t s<t c<s b<c a<b", partial(segment("t", 2, "")));
        assertChanges("*c b<c a<b", partial(flag("c", 2, "")));
        // the way is cut, and what is behind it hears no more
        assertChanges("*t s<t", partial(segment("t", 3, "")));
    }

    @Test
    void theNearestWayIsTheOneThatCounts() {
        full(flag("a", 1, prerequisites("b", "c")), flag("b", 1, prerequisites("c")), flag("c", 1, ""));
        ChangeEvent event = partial(flag("c", 2, ""));
        assertEquals(Set.of("*c", "a<c", "b<c"), shown(event));
        assertTrue(event.changes().get(0).direct()); // direct ones first
    }

    @Test
    void whatChangedItselfIsNotToldOfTwice() {
        full(flag("a", 1, prerequisites("b")), flag("b", 1, ""));
        assertChanges("*a *b", partial(flag("b", 2, ""), flag("a", 2, prerequisites("b"))));
    }

    @Test
    void anItemWithoutADirectChangeIsTheSameBeforeAndAfter() {
        Item a = flag("a", 1, prerequisites("b"));
        full(a, flag("b", 1, ""));
        Change indirect = partial(flag("b", 2, "")).changes().get(1);
        assertSame(a, indirect.before());
        assertSame(a, indirect.after());
        assertEquals(new ItemKey(FLAG, "b"), indirect.through());
    }

    @Test
    void circlesEnd() {
        full(
                flag("a", 1, prerequisites("b")),
                flag("b", 1, prerequisites("c")),
                flag("c", 1, prerequisites("a")),
                flag("self", 1, prerequisites("self")));
        assertChanges("*a c<a b<c", partial(flag("a", 2, prerequisites("b"))));
        assertChanges("*self", partial(flag("self", 2, prerequisites("self"))));
    }

    @Test
    void anItemThatIsGoneIsNotToldOf() {
        full(flag("a", 1, prerequisites("b")), flag("b", 1, ""));
        assertChanges("-a", partial(gone("a", 2)));
        assertChanges("*b", partial(flag("b", 2, "")));
        assertChanges("+a", partial(flag("a", 3, prerequisites("b"))));
        assertChanges("*b a<b", partial(flag("b", 3, "")));
    }

    @Test
    void theNewestReferencesCount() {
        full(flag("a", 1, prerequisites("b")), flag("b", 1, ""), flag("c", 1, ""));
        assertChanges("*a", partial(flag("a", 2, prerequisites("c"))));
        assertChanges("*b", partial(flag("b", 2, "")));
        assertChanges("*c a<c", partial(flag("c", 2, "")));
        assertChanges("*a *c", partial(flag("a", 3, ""), flag("c", 3, "")));
        assertChanges("*c", partial(flag("c", 4, "")));
    }

    // ---- where references are found

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'prerequisites':[{'key':'x'}]",
                "'prerequisites':[{'variation':0,'key':'x'},{'key':'y'}]",
                "'prerequisites':[null,1,'z',[],{},{'key':'x'}]",
                "'prerequisites':{'key':'x'}",
                "'more':[{'key':'z'}],'prerequisites':[{'key':'x','more':{'key':'z'}}]"
            })
    void prerequisitesAreFound(String members) {
        assertTrue(found(FLAG, members).contains(new ItemKey(FLAG, "x")), members);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'rules':[{'clauses':[{'op':'segmentMatch','values':['x']}]}]",
                "'rules':[{'clauses':[{'values':['x'],'op':'segmentMatch'}]}]", // op comes last
                "'rules':[{'id':'z','clauses':[{'op':'segmentMatch','values':['x']}]}]",
                "'prerequisites':[{'key':'y'}],'rules':[{'clauses':[{'op':'segmentMatch','values':['x']}]}]",
                "'rules':[{'clauses':[{'negate':true,'values':['x'],'attribute':'','op':'segmentMatch'}]}]",
                "'rules':[{'clauses':[{'op':'in','values':['z']}]},{'clauses':[{'op':'segmentMatch','values':['y','x']}]}]",
                "'rules':[null,0,'z',[],{},{'clauses':7},{'clauses':[null,7,{},{'op':'segmentMatch','values':['x']}]}]",
                "'rules':[{'clauses':[{'op':'segmentMatch','values':[null,1,true,{},['z'],'x']}]}]"
            })
    void segmentsAreFound(String members) {
        ItemKey x = new ItemKey(SEGMENT, "x");
        assertTrue(found(FLAG, members).contains(x), members);
        assertTrue(found(SEGMENT, members).contains(x), members);
        assertTrue(found(FLAG, members).stream().noneMatch(key -> key.key().equals("z")), members);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "'prerequisites':null",
                "'prerequisites':'x'",
                "'prerequisites':['x']",
                "'prerequisites':[{'key':7}]",
                "'prerequisites':[{'key':null}]",
                "'prerequisites':[[{'key':'x'}]]",
                "'rules':null",
                "'rules':'x'",
                "'rules':[{'clauses':null}]",
                "'rules':[{'clauses':{'op':'segmentMatch','values':['x']}}]",
                "'rules':[{'clauses':[{'op':'segmentMatch'}]}]",
                "'rules':[{'clauses':[{'op':'segmentMatch','values':'x'}]}]",
                "'rules':[{'clauses':[{'op':'segmentMatch','values':{'0':'x'}}]}]",
                "'rules':[{'clauses':[{'op':'in','values':['x']}]}]",
                "'rules':[{'clauses':[{'op':null,'values':['x']}]}]",
                "'rules':[{'clauses':[{'op':['segmentMatch'],'values':['x']}]}]",
                "'rules':[{'clauses':[{'values':['x']}]}]",
                "'rules':[{'clauses':[{'op':'SEGMENTMATCH','values':['x']}]}]",
                "'x':{'prerequisites':[{'key':'x'}]}"
            })
    void whatIsShapedOtherwiseHoldsNone(String members) {
        assertEquals(Set.of(), found(FLAG, members), members);
    }

    @Test
    void aSegmentHasNoPrerequisites() {
        assertEquals(Set.of(), found(SEGMENT, prerequisites("x")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "7",
                "'x'",
                "[]",
                "{",
                "}",
                "{'prerequisites':[{'key':",
                "not JSON",
                "\u0000",
                "{'prerequisites':[{'key':'b'}],}",
                "{'a':1e99999}",
                "{'a':-}",
                "{'prerequisites':[{'key':'b'}]"
            })
    void textThatIsNoJsonObjectIsNobodysTrouble(String json) {
        full(Item.of(FLAG, "a", 1, json.replace('\'', '"')));
        assertChanges("*a", partial(Item.of(FLAG, "a", 2, json.replace('\'', '"'))));
        assertChanges("-a", partial(gone("a", 3)));
    }

    @Test
    void whatWasFoundBeforeTheTextBrokeOffCounts() {
        full(Item.of(FLAG, "a", 1, "{\"prerequisites\":[{\"key\":\"b\"}],"), flag("b", 1, ""));
        assertChanges("*b a<b", partial(flag("b", 2, "")));
    }

    // DATA-01
    @Test
    void deepNestingIsNobodysTrouble() {
        String deep = "[".repeat(200_000) + "]".repeat(200_000);
        full(flag("a", 1, "'deep':" + deep), flag("b", 1, "'prerequisites':" + deep), flag("c", 1, "'rules':" + deep));
        assertChanges("*a", partial(flag("a", 2, "'deep':" + deep + "," + prerequisites("b"))));
    }

    // ---- books that are kept

    /** However the items came and went, the references are those of the snapshot as it is. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.flagfeed.sdk.Seeds#all")
    void referencesAreKeptUpToDate(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int step = 1; step <= 100; step++) {
            List<Item> items = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                String key = "k" + random.nextInt(6);
                String others = prerequisites(anyKeys(random)) + "," + segmentMatch(anyKeys(random));
                items.add(
                        switch (random.nextInt(4)) {
                            case 0 -> gone(key, step);
                            case 1 -> segment(key, step, segmentMatch(anyKeys(random)));
                            default -> flag(key, step, others);
                        });
            }
            apply(random.nextInt(8) == 0 ? ChangeSet.full(items) : ChangeSet.partial(items));
            References fresh = References.of(snapshot);
            for (ItemKind kind : ItemKind.values()) {
                for (int i = 0; i < 6; i++) {
                    ItemKey key = new ItemKey(kind, "k" + i);
                    assertEquals(
                            fresh.sourcesOf(key),
                            references.sourcesOf(key),
                            "seed " + seed + ", step " + step + ", " + key);
                }
            }
        }
    }

    private static String[] anyKeys(RandomGenerator random) {
        return random.ints(random.nextInt(3), 0, 6).mapToObj(i -> "k" + i).toArray(String[]::new);
    }

    // ---- the script's words

    private ChangeEvent full(Item... items) {
        return apply(ChangeSet.full(List.of(items)));
    }

    private ChangeEvent partial(Item... items) {
        return apply(ChangeSet.partial(List.of(items)));
    }

    private ChangeEvent apply(ChangeSet changes) {
        Snapshot before = snapshot;
        snapshot = before.with(changes);
        return Changes.between(before, snapshot, changes, references);
    }

    /** {@code +} added, {@code *} changed, {@code -} deleted, {@code a<b} a through b. */
    private static void assertChanges(String expected, ChangeEvent event) {
        Set<String> all =
                Arrays.stream(expected.split(" ")).filter(s -> !s.isEmpty()).collect(Collectors.toSet());
        assertEquals(new TreeSet<>(all), new TreeSet<>(shown(event)));
        assertEquals(all.size(), event.changes().size());
    }

    private static Set<String> shown(ChangeEvent event) {
        return event.changes().stream()
                .map(change -> {
                    if (change.through() != null) {
                        return change.key() + "<" + change.through().key();
                    }
                    return (change.before() == null ? "+" : change.after() == null ? "-" : "*") + change.key();
                })
                .collect(Collectors.toSet());
    }

    private static Set<ItemKey> keys(ChangeEvent event) {
        return event.changes().stream()
                .map(change -> new ItemKey(change.kind(), change.key()))
                .collect(Collectors.toSet());
    }

    /** What an item refers to among things called x, y and z. */
    private static Set<ItemKey> found(ItemKind kind, String members) {
        References references = References.of(Snapshot.EMPTY);
        references.put(item(kind, "source", 1, members));
        Set<ItemKey> found = new HashSet<>();
        for (ItemKind target : ItemKind.values()) {
            for (String key : List.of("x", "y", "z", "7", "null")) {
                if (!references.sourcesOf(new ItemKey(target, key)).isEmpty()) {
                    found.add(new ItemKey(target, key));
                }
            }
        }
        return found;
    }

    private static Item flag(String key, long version, String members) {
        return item(FLAG, key, version, members);
    }

    private static Item segment(String key, long version, String members) {
        return item(SEGMENT, key, version, members);
    }

    private static Item gone(String key, long version) {
        return Item.tombstone(FLAG, key, version);
    }

    private static Item item(ItemKind kind, String key, long version, String members) {
        return Item.of(kind, key, version, ("{" + members + "}").replace('\'', '"'));
    }

    private static String prerequisites(String... keys) {
        return "'prerequisites':["
                + Stream.of(keys).map(key -> "{'key':'" + key + "'}").collect(Collectors.joining(",")) + "]";
    }

    private static String segmentMatch(String... keys) {
        return "'rules':[{'clauses':[{'op':'segmentMatch','values':["
                + Stream.of(keys).map(key -> "'" + key + "'").collect(Collectors.joining(",")) + "]}]}]";
    }
}
