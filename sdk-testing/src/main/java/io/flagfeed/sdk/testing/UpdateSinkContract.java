package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link UpdateSink} owes the source that tells it, as JUnit 5 tests. Extend it; {@link RecordingSink}
 * and the sink of a {@link io.flagfeed.sdk.DataSystem} pass it too.
 */
public abstract class UpdateSinkContract {
    private static final ErrorInfo ERROR = ErrorInfo.of(Failure.httpStatus(503, OptionalLong.of(5)), Instant.EPOCH);
    private static final long SEED = 20260102;

    /** For subclasses. */
    protected UpdateSinkContract() {}

    /** A new sink, ready to be told something. */
    protected abstract UpdateSink sink();

    /**
     * Ends what the newest sink belongs to, where there is such an end; calls that come later are late. Called after
     * each test, and by some tests before.
     */
    protected abstract void close();

    /** Whether there is such an end. Default: yes; late news is to change nothing then. */
    protected boolean hasEnd() {
        return true;
    }

    /**
     * All that anybody can see of what the newest sink belongs to: what it holds, how it says that things stand, what
     * its listeners have heard. Lists of equal things mean that nothing has happened. Default: nothing more than what
     * {@link #knows} tells.
     */
    protected List<?> shown() {
        return List.of();
    }

    /**
     * Whether the newest sink has been told of the item: it holds it, or remembers it. Asked after calls on this
     * thread.
     */
    protected abstract boolean knows(Item item);

    @AfterEach
    final void end() {
        close();
    }

    @Test
    void itTakesAnyNewsInAnyOrder() {
        SplittableRandom random = new SplittableRandom(SEED);
        UpdateSink sink = sink();
        for (int i = 0; i < 1000; i++) {
            switch (random.nextInt(4)) {
                case 0 -> sink.apply(ChangeSet.full(items(random)));
                case 1 -> sink.apply(ChangeSet.partial(items(random)));
                case 2 -> sink.confirm();
                default -> sink.interrupted(ERROR, Duration.ofNanos(random.nextLong(Long.MAX_VALUE)));
            }
        }
        Item last = TestFlags.flag("last").build();
        sink.apply(ChangeSet.full(List.of(last)));
        assertEquals(true, knows(last));
    }

    /** One call at a time, but from any thread. */
    @Test
    void itTakesNewsFromAnyThread() throws Exception {
        UpdateSink sink = sink();
        for (long version = 1; version <= 20; version++) {
            Item item = TestFlags.flag("a").version(version).build();
            CompletableFuture.runAsync(() -> sink.apply(TestFlags.full(item)), task -> new Thread(task).start())
                    .get(10, TimeUnit.SECONDS);
            assertEquals(true, knows(item));
        }
    }

    @Test
    void itRefusesNullAndGoesOn() {
        UpdateSink sink = sink();
        assertThrows(NullPointerException.class, () -> sink.apply(nothing()));
        assertThrows(NullPointerException.class, () -> sink.interrupted(nothing(), Duration.ZERO));
        assertThrows(NullPointerException.class, () -> sink.interrupted(ERROR, nothing()));
        Item item = TestFlags.flag("a").build();
        sink.apply(TestFlags.full(item));
        assertEquals(true, knows(item));
    }

    @Test
    void lateNewsIsTakenWithoutComplaint() {
        UpdateSink sink = sink();
        close();
        assertDoesNotThrow(() -> {
            sink.apply(TestFlags.full());
            sink.confirm();
            sink.interrupted(ERROR, Duration.ZERO);
        });
    }

    /** Where there is an end, what was shown then is the last word. */
    @Test
    void lateNewsChangesNothing() {
        UpdateSink sink = sink();
        Item held = TestFlags.flag("a").build();
        sink.apply(TestFlags.full(held));
        close();
        if (!hasEnd()) {
            return;
        }
        List<?> last = List.copyOf(shown());
        Item late = TestFlags.flag("late").build();
        Map<String, Runnable> news = new LinkedHashMap<>();
        news.put("a confirmation", sink::confirm);
        news.put("a failed attempt", () -> sink.interrupted(ERROR, Duration.ZERO));
        news.put("a change", () -> sink.apply(TestFlags.patch(late)));
        news.put("a deletion", () -> sink.apply(TestFlags.patch(Item.tombstone(held.kind(), held.key(), 99))));
        news.put("a full set", () -> sink.apply(TestFlags.full(late)));
        news.forEach((what, tell) -> {
            tell.run();
            assertEquals(last, shown(), () -> "shown after " + what + " that came after the end");
            assertEquals(false, knows(late), () -> "knows of " + what + " that came after the end");
        });
    }

    private static List<Item> items(SplittableRandom random) {
        List<Item> items = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            ItemKind kind = random.nextBoolean() ? ItemKind.FLAG : ItemKind.SEGMENT;
            String key = "k" + random.nextInt(5);
            long version = random.nextLong(-5, 100);
            items.add(
                    random.nextInt(3) == 0
                            ? Item.tombstone(kind, key, version)
                            : Item.of(kind, key, version, "{\"version\":" + version + "}"));
        }
        return items;
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a caller without null checks would do
    private static <T> T nothing() {
        return null;
    }
}
