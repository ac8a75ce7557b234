package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.ItemKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class DemoFlagsTest {
    private final DemoFlags flags = new DemoFlags();

    @Test
    void twentyFlagsAndTwoSegmentsEachWithItsOwnKey() {
        assertEquals(20, keys(ItemKind.FLAG).distinct().count());
        assertEquals(20, keys(ItemKind.FLAG).count());
        assertEquals(
                List.of("beta-testers", "staff"),
                keys(ItemKind.SEGMENT).sorted().toList());
        assertTrue(keys(ItemKind.FLAG).toList().contains(DemoFlags.RETIRED));
    }

    @Test
    void someAreOnAndSomeAreOff() {
        for (String on : List.of("\"on\":true", "\"on\":false")) {
            long count = flags.all().stream()
                    .filter(item -> item.json().contains(on))
                    .count();
            assertTrue(count >= 5, on + ": " + count);
        }
    }

    @Test
    void everyChangeIsOfAHeldItemAndOneVersionUp() {
        Map<ItemKey, Item> held = new HashMap<>();
        flags.all().forEach(item -> held.put(new ItemKey(item.kind(), item.key()), item));
        for (int turn = 0; turn < 100; turn++) {
            Item changed = flags.change();
            Item before = held.put(new ItemKey(changed.kind(), changed.key()), changed);
            assertEquals(before.version() + 1, changed.version(), changed.toString());
            assertNotEquals(withoutVersion(before), withoutVersion(changed), "nothing but the version has changed");
        }
        for (Item item : flags.all()) {
            assertEquals(
                    held.get(new ItemKey(item.kind(), item.key())).version(), item.version(), "all() lags: " + item);
        }
    }

    @Test
    void segmentsChangeToo() {
        List<ItemKind> kinds =
                Stream.generate(flags::change).limit(14).map(Item::kind).toList();
        assertEquals(2, kinds.stream().filter(ItemKind.SEGMENT::equals).count());
    }

    private Stream<String> keys(ItemKind kind) {
        return flags.all().stream().filter(item -> item.kind() == kind).map(Item::key);
    }

    private static String withoutVersion(Item item) {
        return item.json().replaceAll("\"version\":[0-9]+", "");
    }
}
