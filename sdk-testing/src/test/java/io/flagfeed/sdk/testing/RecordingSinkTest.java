package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class RecordingSinkTest {
    private static final ChangeSet CHANGES = ChangeSet.full(List.of(Item.of(ItemKind.FLAG, "a", 1, "{}")));
    private static final ErrorInfo ERROR = ErrorInfo.of(Failure.network("reset"), Instant.EPOCH);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final RecordingSink sink = new RecordingSink();

    @Test
    void itHandsOutWhatItWasToldInOrder() {
        sink.apply(CHANGES);
        sink.confirm();
        sink.interrupted(ERROR, RETRY);

        assertSame(CHANGES, sink.takeApplied());
        sink.takeConfirmed();
        assertEquals(new RecordingSink.News.Interrupted(ERROR, RETRY), sink.takeInterrupted());
        sink.assertExhausted();
    }

    @Test
    void aTestThatExpectsSomethingElseIsToldWhatCame() {
        sink.confirm();
        sink.apply(CHANGES);
        assertFails(
                "expected Applied, but the sink was told Confirmed[], then [Applied[changes=FULL [FLAG a v1]]]",
                sink::takeApplied);
        assertFails(
                "expected Interrupted, but the sink was told Applied[changes=FULL [FLAG a v1]], then []",
                sink::takeInterrupted);
    }

    @Test
    void aTestThatExpectsTooMuchIsToldThatNothingCame() {
        assertFails("expected Applied, but the sink was told nothing", sink::takeApplied);
        assertFails("expected Confirmed, but the sink was told nothing", sink::takeConfirmed);
        assertFails("expected Interrupted, but the sink was told nothing", sink::takeInterrupted);
        assertFails("the sink was told nothing for PT0.001S", () -> sink.await(Duration.ofMillis(1)));
        assertFails("the sink was told nothing for PT0S", () -> sink.await(Duration.ZERO));
    }

    @Test
    void aTestThatExpectsTooLittleIsToldWhatIsLeft() {
        sink.confirm();
        assertFails("the sink was told more than expected: [Confirmed[]]", sink::assertExhausted);
        sink.takeConfirmed();
        sink.assertExhausted();
    }

    @Test
    void waitingTakesTheOldestToo() throws InterruptedException {
        Thread other = new Thread(() -> {
            sink.confirm();
            sink.apply(CHANGES);
        });
        other.start();
        assertEquals(new RecordingSink.News.Confirmed(), sink.await(Duration.ofSeconds(10)));
        assertEquals(new RecordingSink.News.Applied(CHANGES), sink.await(Duration.ofSeconds(10)));
        other.join(10_000);
        sink.assertExhausted();
    }

    @Test
    void waitingForeverIsNoError() throws InterruptedException {
        sink.confirm();
        assertEquals(new RecordingSink.News.Confirmed(), sink.await(Duration.ofSeconds(Long.MAX_VALUE)));
    }

    @Test
    void waitingIsInterruptible() {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> sink.await(Duration.ofHours(1)));
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> sink.apply(null));
        assertThrows(NullPointerException.class, () -> sink.interrupted(null, RETRY));
        assertThrows(NullPointerException.class, () -> sink.interrupted(ERROR, null));
        sink.assertExhausted();
    }

    private static void assertFails(String message, Executable check) {
        assertEquals(message, assertThrows(AssertionError.class, check).getMessage());
    }
}
