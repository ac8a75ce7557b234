package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TestFlagsTest {
    private static JsonObject json(Item item) {
        return JsonParser.parseString(item.json()).getAsJsonObject();
    }

    @Test
    void aFlagIsOnAndGivesTrueByDefault() {
        Item flag = TestFlags.flag("a").build();
        assertEquals(ItemKind.FLAG, flag.kind());
        assertEquals("a", flag.key());
        assertEquals(1, flag.version());
        JsonObject expected = JsonParser.parseString("""
                        {"key": "a", "version": 1, "on": true, "prerequisites": [], "targets": [], "contextTargets": [],
                        "rules": [], "fallthrough": {"variation": 0}, "offVariation": 1, "variations": [true, false],
                        "salt": "salt-a", "clientSide": false, "trackEvents": false, "trackEventsFallthrough": false,
                        "deleted": false}
                        """).getAsJsonObject();
        assertEquals(expected, json(flag));
    }

    @Test
    void aFlagWithEverything() {
        Item flag = TestFlags.flag("a")
                .variations("red", 2, List.of("x"), JsonParser.parseString("{\"y\":null}"))
                .fallthrough(3)
                .offVariation(0)
                .target(2, "alice", "bob")
                .rule(
                        1,
                        TestFlags.clause("country", "in", "de", "at"),
                        TestFlags.segmentMatch("beta").negate())
                .prerequisite("b", 1)
                .property("description", "what")
                .version(7)
                .off()
                .build();
        JsonObject json = json(flag);
        assertEquals(7, flag.version());
        assertEquals(7, json.get("version").getAsInt());
        assertEquals(
                "[\"red\",2,[\"x\"],{\"y\":null}]",
                json.get("variations").toString().replace(" ", ""));
        assertEquals("{\"variation\":3}", json.get("fallthrough").toString());
        assertEquals(
                "[{\"values\":[\"alice\",\"bob\"],\"variation\":2}]",
                json.get("targets").toString());
        assertEquals(
                "[{\"key\":\"b\",\"variation\":1}]", json.get("prerequisites").toString());
        assertEquals("what", json.get("description").getAsString());
        assertEquals(JsonParser.parseString("""
                        [{"id": "a-rule-0", "variation": 1, "trackEvents": false, "clauses": [
                        {"contextKind": "user", "attribute": "country", "op": "in", "values": ["de", "at"], "negate": false},
                        {"contextKind": "user", "attribute": "", "op": "segmentMatch", "values": ["beta"], "negate": true}
                        ]}]
                        """), json.get("rules"));
    }

    @Test
    void aSegmentWithEverything() {
        SegmentBuilder builder =
                TestFlags.segment("s").included("alice").excluded("bob").rule(TestFlags.clause("plan", "in", "team"));
        Item segment = builder.build();
        assertEquals(ItemKind.SEGMENT, segment.kind());
        assertEquals("[\"alice\"]", json(segment).get("included").toString());
        assertEquals("[\"bob\"]", json(segment).get("excluded").toString());
        assertEquals(1, json(segment).getAsJsonArray("rules").size());
        assertEquals(2, builder.included("carol").build().version());
        assertEquals("[\"alice\"]", json(segment).get("included").toString());
        assertEquals(9, builder.version(9).build().version());
        assertEquals(10, builder.build().version());
    }

    @Test
    void eachBuildIsTheNextVersionAndWhatWasBuiltDoesNotChange() {
        FlagBuilder builder = TestFlags.flag("a");
        Item first = builder.build();
        String before = first.json();
        Item second =
                builder.target(1, "alice").rule(0).prerequisite("b", 0).off().build();
        assertEquals(2, second.version());
        assertEquals(2, json(second).get("version").getAsInt());
        assertEquals(before, first.json());
        assertEquals(3, builder.on().build().version());
    }

    @Test
    void anIndexWithoutAVariationIsRefused() {
        assertMessage(
                "fallthrough of flag a not in 0..1: 2", TestFlags.flag("a").fallthrough(2));
        assertMessage(
                "offVariation of flag a not in 0..1: -1", TestFlags.flag("a").offVariation(-1));
        assertMessage("target of flag a not in 0..1: 5", TestFlags.flag("a").target(5, "alice"));
        assertMessage("rule of flag a not in 0..1: 5", TestFlags.flag("a").rule(5));
    }

    private static void assertMessage(String expected, FlagBuilder builder) {
        assertEquals(
                expected,
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
    }

    @Test
    void changeSetsAndDocuments() {
        Item flag = TestFlags.flag("a").build();
        Item segment = TestFlags.segment("s").build();
        assertEquals(ChangeSet.Type.FULL, TestFlags.full(flag, segment).type());
        assertEquals(List.of(flag, segment), TestFlags.full(flag, segment).items());
        assertEquals(ChangeSet.Type.PARTIAL, TestFlags.patch(flag).type());
        assertEquals(
                List.of(Item.tombstone(ItemKind.FLAG, "a", 2)),
                TestFlags.delete(ItemKind.FLAG, "a", 2).items());
        assertEquals("{\"flags\":{},\"segments\":{}}", TestFlags.document(List.of()));
        assertEquals(
                "{\"flags\":{\"a\\\"b\":{}},\"segments\":{\"s\":" + segment.json() + "}}",
                TestFlags.document(List.of(
                        Item.of(ItemKind.FLAG, "a\"b", 1, "{}"), segment, Item.tombstone(ItemKind.FLAG, "gone", 1))));
        Item last = Item.of(ItemKind.FLAG, "a", 1, "{}");
        assertEquals("{\"flags\":{\"a\":{}},\"segments\":{}}", TestFlags.document(List.of(flag, last)));
    }

    @Test
    void aDataSetIsTheSameForASeed() {
        List<Item> items = TestFlags.dataSet(250, 42);
        assertEquals(items, TestFlags.dataSet(250, 42));
        assertNotEquals(items, TestFlags.dataSet(250, 43));
        assertEquals(250, items.stream().filter(i -> i.kind() == ItemKind.FLAG).count());
        assertEquals(2, items.stream().filter(i -> i.kind() == ItemKind.SEGMENT).count());
        assertEquals(1, TestFlags.dataSet(0, 1).size());
        assertThrows(IllegalArgumentException.class, () -> TestFlags.dataSet(-1, 1));
    }

    @Test
    void aDataSetIsBelievable() {
        List<Item> flags = TestFlags.dataSet(1000, 7).stream()
                .filter(item -> item.kind() == ItemKind.FLAG)
                .toList();
        Set<String> seen = new HashSet<>();
        int rules = 0;
        int prerequisites = 0;
        int targets = 0;
        for (Item flag : flags) {
            int length = flag.json().length();
            assertTrue(length >= 2000 && length <= 3072, flag + " has " + length + " characters");
            JsonObject json = json(flag);
            rules += json.getAsJsonArray("rules").size();
            targets += json.getAsJsonArray("targets").size();
            prerequisites += json.getAsJsonArray("prerequisites").size();
            json.getAsJsonArray("prerequisites")
                    .forEach(one -> assertTrue(
                            seen.contains(one.getAsJsonObject().get("key").getAsString()), flag + " " + one));
            seen.add(flag.key());
        }
        assertTrue(rules > 300 && targets > 300 && prerequisites > 50, rules + " " + targets + " " + prerequisites);
    }
}
