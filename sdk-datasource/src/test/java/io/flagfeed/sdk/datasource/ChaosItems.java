package io.flagfeed.sdk.datasource;

import com.google.gson.JsonPrimitive;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.ItemKind;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The flags and segments of the chaos soak. An item's content is a function of its key and version, so that whoever
 * sees one can tell whether the service ever had it.
 */
final class ChaosItems {
    /** Is never deleted: a reader that finds nothing at all has found a fault. */
    static final ItemKey ANCHOR = new ItemKey(ItemKind.FLAG, "anchor");

    /** Every key there may be, odd ones included (the empty one, slashes, percent signs, line breaks, other scripts). */
    static final List<ItemKey> KEYS = Stream.concat(
                    Stream.of(
                                    "anchor",
                                    "",
                                    "/",
                                    "a/b",
                                    "a%2Fb",
                                    "//a/",
                                    "with space",
                                    "quo\"te\\",
                                    "new\nline",
                                    "\u2028",
                                    "e\u0301",
                                    "\u00e9",
                                    "флаг",
                                    "旗🚩",
                                    "flags",
                                    "version",
                                    "deleted",
                                    "__proto__",
                                    "<b>&",
                                    "plain")
                            .map(key -> new ItemKey(ItemKind.FLAG, key)),
                    Stream.of("", "plain", "a/b", "a%2Fb", "флаг", "segments")
                            .map(key -> new ItemKey(ItemKind.SEGMENT, key)))
            .toList();

    // Where versions begin: below zero, and shortly before what fits an int, an unsigned one and a double ends.
    private static final long[] FIRST = {
        1, -30_000, (1L << 31) - 30_000, (1L << 32) - 30_000, (1L << 53) - 30_000, Long.MIN_VALUE, 1L << 62
    };
    private static final int MOST_EDITS = 10_000; // in a round

    private ChaosItems() {}

    /** The version that an edit gives: higher than those of all earlier edits. */
    static long version(ItemKey key, int round, int edit) {
        return FIRST[KEYS.indexOf(key) % FIRST.length] + 1 + (long) round * MOST_EDITS + edit;
    }

    static Item item(ItemKey key, long version) {
        return Item.of(key.kind(), key.key(), version, json(key, version));
    }

    /** Whether this is what the service has, or had, under this key and version. */
    static boolean isTrue(Item item) {
        return item.equals(item(new ItemKey(item.kind(), item.key()), item.version()));
    }

    static String quoted(String text) {
        return new JsonPrimitive(text).toString();
    }

    private static String json(ItemKey key, long version) {
        Random random = new Random(key.hashCode() * 31L + version);
        ItemKey other = KEYS.get(random.nextInt(KEYS.size()));
        String reference = other.kind() == ItemKind.FLAG
                ? "\"prerequisites\":[{\"key\":" + quoted(other.key()) + ",\"variation\":0}]"
                : "\"rules\":[{\"clauses\":[{\"op\":\"segmentMatch\",\"values\":[" + quoted(other.key()) + "]}]}]";
        return "{\"key\":" + quoted(key.key()) + ",\"version\":" + version + ",\"on\":" + random.nextBoolean() + ","
                + reference + ",\"variations\":[" + random.nextLong() + ",1.0,1e5,12345678901234567890,null,"
                + quoted("ü€𝄞 \r\n\t\u2029 " + Integer.toString(random.nextInt(), 36)) + ",{\"version\":[]},\""
                + "x".repeat(random.nextInt(60)) + "\"],\"deleted\":false}";
    }
}
