package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Observer;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FakeDataSourceTest {
    private static final ChangeSet CHANGES = ChangeSet.full(List.of());
    private static final Failure FAILURE = Failure.network("reset");
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();
    private final FakeDataSource source = new FakeDataSource();

    @Test
    void whatItIsToldArrivesOnTheScheduler() {
        source.start(sink, scheduler);
        source.apply(CHANGES);
        source.confirm();
        source.fail(FAILURE, RETRY);
        sink.assertExhausted();

        scheduler.advance(Duration.ofSeconds(5));
        assertSame(CHANGES, sink.takeApplied());
        sink.takeConfirmed();
        // dated by the scheduler, at the moment it came
        assertEquals(
                new RecordingSink.News.Interrupted(
                        ErrorInfo.of(FAILURE, scheduler.now().minusSeconds(5)), RETRY),
                sink.takeInterrupted());
        sink.assertExhausted();
    }

    /** What a status and an observer show beside the data. */
    @Test
    void whatElseASourceSaysShowsInTheStatus() {
        List<String> observed = new ArrayList<>();
        DataSystem system = DataSystem.builder(source)
                .scheduler(scheduler)
                .observer(new Observer() {
                    @Override
                    public void attemptStarted() {
                        observed.add("attempt");
                    }

                    @Override
                    public void connected() {
                        observed.add("connected");
                    }
                })
                .build();
        system.start();
        source.fail(FAILURE, RETRY);
        source.rescheduled(Duration.ofSeconds(9));
        scheduler.runDue();
        assertEquals(scheduler.now().plusSeconds(9), system.status().nextAttempt());
        source.attempting();
        source.connected();
        source.environment("test");
        scheduler.runDue();
        assertNull(system.status().nextAttempt());
        assertEquals("test", system.status().environmentId());
        assertEquals(List.of("attempt", "connected"), observed);
        source.environment(null);
        scheduler.runDue();
        assertNull(system.status().environmentId());
        system.close();
    }

    @Test
    void everyRunHearsEverythingUntilItIsCancelled() {
        RecordingSink other = new RecordingSink();
        Cancellable run = source.start(sink, scheduler);
        source.start(other, scheduler);
        assertEquals(2, source.running());

        source.confirm();
        scheduler.runDue();
        run.cancel();
        run.cancel();
        source.apply(CHANGES);
        scheduler.runDue();

        sink.takeConfirmed();
        sink.assertExhausted();
        other.takeConfirmed();
        other.takeApplied();
        other.assertExhausted();
        assertEquals(2, source.starts());
        assertEquals(1, source.running());
    }

    @Test
    void newsOnItsWayIsDroppedByCancelling() {
        Cancellable run = source.start(sink, scheduler);
        source.confirm();
        run.cancel();
        scheduler.runDue();
        sink.assertExhausted();
    }

    @Test
    void nobodyHearsWhatWasSaidBeforeTheStart() {
        source.apply(CHANGES);
        source.start(sink, scheduler);
        scheduler.runDue();
        sink.assertExhausted();
        assertEquals(1, source.starts());
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> source.start(null, scheduler));
        assertThrows(NullPointerException.class, () -> source.start(sink, null));
        assertThrows(NullPointerException.class, () -> source.apply(null));
        assertThrows(NullPointerException.class, () -> source.fail(null, RETRY));
        assertThrows(NullPointerException.class, () -> source.fail(FAILURE, null));
        assertThrows(NullPointerException.class, () -> source.rescheduled(null));
    }
}
