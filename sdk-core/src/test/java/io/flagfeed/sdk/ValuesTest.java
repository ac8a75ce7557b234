package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static io.flagfeed.sdk.ItemKind.SEGMENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.flagfeed.sdk.ChangeEvent.Change;
import io.flagfeed.sdk.retry.Failure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the small types keep, and what they refuse. */
class ValuesTest {
    private static final Instant NOW = Instant.parse("2026-01-02T07:00:00Z");
    private static final Item ITEM = Item.of(FLAG, "a", 3, "{\"on\":true}");

    @Test
    void anItemKeepsItsContentAsItIs() {
        assertEquals(FLAG, ITEM.kind());
        assertEquals("a", ITEM.key());
        assertEquals(3, ITEM.version());
        assertEquals("{\"on\":true}", ITEM.json());
        assertFalse(ITEM.deleted());
        assertEquals("FLAG a v3", ITEM.toString()); // without the content
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "", "with \"quotes\" and \\", "\n\u2028\u0000", "<é😀>"})
    void aTombstoneSaysWhatIsGoneInJson(String key) {
        Item tombstone = Item.tombstone(SEGMENT, key, 7);
        assertTrue(tombstone.deleted());
        JsonObject expected = new JsonObject();
        expected.addProperty("key", key);
        expected.addProperty("version", 7);
        expected.addProperty("deleted", true);
        assertEquals(expected, JsonParser.parseString(tombstone.json()));
        assertEquals("SEGMENT " + key + " v7 (deleted)", tombstone.toString());
    }

    @Test
    void itemsAreEqualInEveryRespectOrNot() {
        Item same = Item.of(FLAG, "a", 3, "{\"on\":true}");
        assertEquals(ITEM, same);
        assertEquals(ITEM.hashCode(), same.hashCode());
        for (Object other : Arrays.asList(
                Item.of(SEGMENT, "a", 3, "{\"on\":true}"),
                Item.of(FLAG, "b", 3, "{\"on\":true}"),
                Item.of(FLAG, "a", 4, "{\"on\":true}"),
                Item.of(FLAG, "a", 3, "{\"on\": true}"),
                Item.tombstone(FLAG, "a", 3),
                "a",
                null)) {
            assertNotEquals(ITEM, other);
        }
        Item live = Item.of(FLAG, "a", 3, Item.tombstone(FLAG, "a", 3).json());
        assertNotEquals(live, Item.tombstone(FLAG, "a", 3));
    }

    @Test
    void aChangeSetIsACopy() {
        List<Item> items = new ArrayList<>(List.of(ITEM));
        ChangeSet changes = ChangeSet.partial(items);
        items.clear();
        assertEquals(List.of(ITEM), changes.items());
        assertEquals(ChangeSet.Type.PARTIAL, changes.type());
        assertEquals(ChangeSet.Type.FULL, ChangeSet.full(List.of()).type());
        assertThrows(UnsupportedOperationException.class, () -> changes.items().clear());
    }

    @Test
    void aChangeSetIsShownInALine() {
        assertEquals("PARTIAL [FLAG a v3]", ChangeSet.partial(List.of(ITEM)).toString());
        assertEquals("FULL []", ChangeSet.full(List.of()).toString());
        assertEquals("FULL 11 items", ChangeSet.full(times(11)).toString());
        assertTrue(ChangeSet.full(times(10)).toString().startsWith("FULL [FLAG a v3, "));
    }

    private static List<Item> times(int n) {
        return IntStream.range(0, n).mapToObj(i -> ITEM).toList();
    }

    @Test
    void aChangeIsDirectOrThroughAnother() {
        assertTrue(new Change(FLAG, "a", null, ITEM, null).direct());
        assertFalse(new Change(FLAG, "a", ITEM, ITEM, new ItemKey(SEGMENT, "s")).direct());
    }

    @Test
    void anEventIsACopy() {
        List<Change> changes = new ArrayList<>(List.of(new Change(FLAG, "a", null, ITEM, null)));
        ChangeEvent event = new ChangeEvent(ChangeSet.Type.FULL, changes);
        changes.clear();
        assertEquals(1, event.changes().size());
        assertThrows(UnsupportedOperationException.class, () -> event.changes().clear());
    }

    @Test
    void anErrorShowsAFailureAsItWas() {
        Failure failure = Failure.httpStatus(503, OptionalLong.of(7200));
        assertEquals(
                new ErrorInfo(Failure.Kind.HTTP_STATUS, 503, OptionalLong.of(7200), "HTTP status 503", NOW), // R29
                ErrorInfo.of(failure, NOW));
    }

    @Test
    void theKindsHaveNamesOnTheWire() {
        assertEquals("flags", FLAG.wireName());
        assertEquals("segments", SEGMENT.wireName());
    }

    @Test
    void nullIsRefused() {
        Failure.Kind kind = Failure.Kind.NETWORK;
        OptionalLong none = OptionalLong.empty();
        List<Executable> calls = List.of(
                () -> Item.of(null, "a", 1, "{}"),
                () -> Item.of(FLAG, null, 1, "{}"),
                () -> Item.of(FLAG, "a", 1, null),
                () -> Item.tombstone(null, "a", 1),
                () -> Item.tombstone(FLAG, null, 1),
                () -> new ItemKey(null, "a"),
                () -> new ItemKey(FLAG, null),
                () -> ChangeSet.full(null),
                () -> ChangeSet.partial(Arrays.asList(ITEM, null)),
                () -> new ChangeEvent(null, List.of()),
                () -> new ChangeEvent(ChangeSet.Type.FULL, null),
                () -> new Change(null, "a", null, null, null),
                () -> new Change(FLAG, null, null, null, null),
                () -> new ErrorInfo(null, 0, none, "", NOW),
                () -> new ErrorInfo(kind, 0, null, "", NOW),
                () -> new ErrorInfo(kind, 0, none, null, NOW),
                () -> new ErrorInfo(kind, 0, none, "", null),
                () -> ErrorInfo.of(null, NOW));
        for (int i = 0; i < calls.size(); i++) {
            assertThrows(NullPointerException.class, calls.get(i), "call " + i);
        }
        assertNull(new Change(FLAG, "a", null, null, null).after());
    }
}
