package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.testing.RecordingSink.News;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link DataSource} owes its sink, as JUnit 5 tests. Extend it, and say how the service behind the source
 * is moved; the library's own sources and fakes pass it too.
 *
 * <p>Waits are virtual; for sources with threads of their own a test waits in real time for what they hand over, some
 * seconds at most.
 */
public abstract class DataSourceContract {
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final int LOOKS_FOR_LATE_NEWS = 60; // some milliseconds each

    /** The time of this test. */
    protected final VirtualScheduler time = new VirtualScheduler();

    /** For subclasses. */
    protected DataSourceContract() {}

    /** The source under test, the same during one test. Its first wait after a failure is less than a day. */
    protected abstract DataSource source();

    /**
     * Makes the service hold exactly these items, and lets runs that are going on hear of it; where that takes time, as
     * polling does, it moves {@link #time} on.
     */
    protected abstract void serve(List<Item> items);

    /** Makes one attempt of every run that is going on fail, or the attempt after the one that is under way. */
    protected abstract void interrupt();

    /** Lets go of whatever {@link #source} needs, after all runs were cancelled. Default: nothing. */
    protected void release() throws Exception {}

    private final RecordingSink sink = new RecordingSink();
    private final List<Cancellable> runs = new ArrayList<>();

    @AfterEach
    final void end() throws Exception {
        runs.forEach(Cancellable::cancel);
        release();
    }

    private Cancellable start(UpdateSink to) {
        Cancellable run = source().start(to, time);
        runs.add(run);
        return run;
    }

    private static List<Item> version(long version) {
        return List.of(TestFlags.flag("a").version(version).build());
    }

    /** Nothing is told inside {@code start}, nor before the scheduler runs. */
    @Test
    void startReturnsBeforeAnythingIsTold() {
        serve(version(1));
        Cancellable run = start(sink);
        sink.assertExhausted();
        run.cancel();
    }

    @Test
    void theFirstDataAreAFullSet() {
        Cancellable run = startWith(1);
        run.cancel();
    }

    @Test
    void changesArriveInOrderAndTheLastOneArrives() {
        Cancellable run = startWith(1);
        long last = 1;
        for (long version = 2; version <= 5; version++) {
            serve(version(version));
        }
        while (last < 5) {
            News news = next();
            if (news instanceof News.Applied applied
                    && !applied.changes().items().isEmpty()) {
                long version = applied.changes().items().get(0).version();
                assertTrue(version >= last, "version " + version + " after " + last);
                last = version;
            }
        }
        run.cancel();
    }

    @Test
    void aFailureIsReportedAndDoesNotEndTheRun() {
        Cancellable run = startWith(1);
        interrupt();
        News.Interrupted interrupted = nextInterrupted();
        assertFalse(interrupted.nextAttemptIn().isNegative(), interrupted::toString);
        assertTrue(interrupted.nextAttemptIn().compareTo(Duration.ofDays(1)) < 0, interrupted::toString);
        time.advance(interrupted.nextAttemptIn());
        serve(version(2));
        awaitVersion(2);
        run.cancel();
    }

    @Test
    void nothingIsToldAfterCancellingBeforeTheFirstAttempt() {
        serve(version(1));
        Cancellable run = start(sink);
        run.cancel();
        run.cancel();
        assertQuiet();
    }

    @Test
    void nothingIsToldAfterCancellingWithData() {
        Cancellable run = startWith(1);
        run.cancel();
        drain();
        serve(version(2));
        assertQuiet();
        run.cancel();
    }

    @Test
    void nothingIsToldAfterCancellingDuringAWait() {
        Cancellable run = startWith(1);
        interrupt();
        nextInterrupted();
        run.cancel();
        drain();
        serve(version(2));
        assertQuiet();
    }

    @Test
    void cancellingFromTheSinkEndsTheRun() {
        serve(version(1));
        AtomicInteger calls = new AtomicInteger();
        Cancellable[] run = new Cancellable[1];
        run[0] = start(new UpdateSink() {
            @Override
            public void apply(ChangeSet changes) {
                calls.incrementAndGet();
                run[0].cancel();
            }

            @Override
            public void confirm() {
                calls.incrementAndGet();
            }

            @Override
            public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                calls.incrementAndGet();
            }
        });
        serve(version(2));
        runUntil("the sink is told anything", () -> calls.get() > 0);
        assertQuiet();
        assertEquals(1, calls.get(), "calls of the sink");
    }

    @Test
    void runsOfOneSourceAreIndependent() {
        Cancellable first = startWith(1);
        RecordingSink other = new RecordingSink();
        Cancellable second = start(other);
        serve(version(2));
        runUntil("the second run has data", () -> !other.waiting().isEmpty());
        first.cancel();
        drain();
        serve(version(3));
        runUntil(
                "the second run has version 3",
                () -> other.waiting().stream()
                        .anyMatch(news -> news instanceof News.Applied applied
                                && applied.changes().items().stream().anyMatch(item -> item.version() == 3)));
        sink.assertExhausted();
        second.cancel();
    }

    /** The source asks again, and what the sink did not take arrives once it takes it. */
    @Test
    void aSinkThatThrowsLosesNothingForGood() {
        serve(version(1));
        AtomicInteger refused = new AtomicInteger();
        Cancellable run = start(new UpdateSink() {
            @Override
            public void apply(ChangeSet changes) {
                if (refused.getAndIncrement() == 0) {
                    throw new IllegalStateException("thrown on purpose");
                }
                sink.apply(changes);
            }

            @Override
            public void confirm() {
                sink.confirm();
            }

            @Override
            public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                sink.interrupted(error, nextAttemptIn);
            }
        });
        serve(version(1));
        News.Interrupted interrupted = nextInterrupted();
        time.advance(interrupted.nextAttemptIn());
        serve(version(2));
        awaitVersion(2);
        run.cancel();
    }

    @Test
    void theSinkIsCalledOnceAtATime() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Cancellable run = start(new UpdateSink() {
            @Override
            public void apply(ChangeSet changes) {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                sink.apply(changes);
                inside.decrementAndGet();
            }

            @Override
            public void confirm() {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                inside.decrementAndGet();
            }

            @Override
            public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                inside.decrementAndGet();
            }
        });
        for (long version = 1; version <= 20; version++) {
            serve(version(version));
        }
        awaitVersion(20);
        assertEquals(1, most.get(), "calls of the sink at a time");
        run.cancel();
    }

    @Test
    void nullIsRefusedAtOnce() {
        assertThrows(NullPointerException.class, () -> source().start(nothing(), time));
        assertThrows(NullPointerException.class, () -> source().start(sink, nothing()));
        assertQuiet();
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a caller without null checks would do
    private static <T> T nothing() {
        return null;
    }

    /** A run whose first data have arrived. */
    private Cancellable startWith(long version) {
        serve(version(version));
        Cancellable run = start(sink);
        time.runDue();
        serve(version(version)); // for sources that tell only what comes while they run
        News first = next();
        if (!(first instanceof News.Applied applied)) {
            return fail("the first news is no data: " + first);
        }
        assertEquals(ChangeSet.Type.FULL, applied.changes().type());
        assertEquals(version, applied.changes().items().get(0).version());
        return run;
    }

    private News next() {
        runUntil("the sink is told anything", () -> !sink.waiting().isEmpty());
        return sink.take();
    }

    private News.Interrupted nextInterrupted() {
        while (true) {
            if (next() instanceof News.Interrupted interrupted) {
                return interrupted;
            }
        }
    }

    private long nextVersion() {
        while (true) {
            if (next() instanceof News.Applied applied
                    && !applied.changes().items().isEmpty()) {
                return applied.changes().items().get(0).version();
            }
        }
    }

    /** A connection may have begun with the version before. */
    private void awaitVersion(long version) {
        long latest = nextVersion();
        while (latest < version) {
            latest = nextVersion();
        }
        assertEquals(version, latest);
    }

    /** What had been told before the run was cancelled is not what comes after it. */
    private void drain() {
        while (!sink.waiting().isEmpty()) {
            sink.take();
        }
    }

    /** A day goes by; and a moment of real time, in which threads hand over what is to be dropped. */
    private void assertQuiet() {
        time.advance(Duration.ofDays(1));
        AtomicInteger looks = new AtomicInteger();
        runUntil("a moment has passed", () -> looks.incrementAndGet() > LOOKS_FOR_LATE_NEWS);
        runUntil("nothing is left to do", () -> time.pending().isEmpty());
        sink.assertExhausted();
    }

    /** Runs what is due, again and again, until the condition holds; some seconds at most. */
    protected final void runUntil(String condition, BooleanSupplier holds) {
        try {
            time.runUntil(holds, LONGEST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting until " + condition, e);
        } catch (AssertionError e) {
            throw new AssertionError("waited in vain until " + condition + ": " + e.getMessage(), e);
        }
    }
}
