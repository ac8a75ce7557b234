package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertAll;
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
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.testing.RecordingSink.News;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

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

    /**
     * Makes the service say to every run that is going on that what it has sent is still current.
     *
     * @return whether there is such a word; the sink is to hear of it then. Default: there is none
     */
    protected boolean confirm() {
        return false;
    }

    /**
     * Makes a source that is driven by hand do what others do by themselves when the wait after a failure is over: ask
     * for everything that the service holds. Default: nothing.
     */
    protected void tryAgain() {}

    /** Lets go of whatever {@link #source} needs, after all runs were cancelled. Default: nothing. */
    protected void release() throws Exception {}

    private final RecordingSink sink = new RecordingSink();
    private final List<Cancellable> runs = new ArrayList<>();

    /** How long a test waits in real time for what threads hand over. Shorter for tests that have to fail. */
    Duration longestWait() {
        return LONGEST;
    }

    @AfterEach
    final void end() {
        List<Executable> closings = new ArrayList<>();
        runs.forEach(run -> closings.add(run::cancel));
        closings.add(this::release);
        assertAll("closing after the test", closings);
    }

    private Cancellable start(UpdateSink to) {
        Cancellable run = source().start(to, time);
        runs.add(run);
        return run;
    }

    /** Passes everything on to the sink of the test. */
    private class Relay implements UpdateSink {
        @Override
        public void apply(ChangeSet changes) {
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

    /** By a tombstone, or by everything anew without it. */
    @Test
    void whatIsServedNoMoreIsGone() {
        Cancellable run = startWith(1);
        Item b = TestFlags.flag("b").version(1).build();
        Item a = version(1).get(0);
        Map<ItemKey, Item> held = new HashMap<>(Map.of(keyOf(a), a));
        serve(List.of(a, b));
        while (!held.containsKey(keyOf(b))) {
            hold(next(), held);
        }
        serve(List.of(b));
        while (!held.keySet().equals(Set.of(keyOf(b)))) {
            hold(next(), held);
        }
        run.cancel();
    }

    /** Live changes that go on where they left off are not enough. */
    @Test
    void whatChangedDuringAnOutageArrivesAfterIt() {
        Cancellable run = startWith(1);
        interrupt();
        News.Interrupted interrupted = nextInterrupted();
        serve(version(2));
        time.advance(interrupted.nextAttemptIn());
        tryAgain();
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
        assertOnlyTheFirstDataAreTold(new Relay() {
            @Override
            public void apply(ChangeSet changes) {
                super.apply(changes);
                runs.get(0).cancel();
            }
        });
    }

    /** A failed attempt is not told either: whoever has cancelled is not to hear anything. */
    @Test
    void nothingIsToldToASinkThatCancelsAndThrows() {
        assertOnlyTheFirstDataAreTold(new Relay() {
            @Override
            public void apply(ChangeSet changes) {
                super.apply(changes);
                runs.get(0).cancel();
                throw new IllegalStateException("thrown on purpose");
            }
        });
    }

    private void assertOnlyTheFirstDataAreTold(Relay to) {
        serve(version(1));
        Cancellable run = start(to);
        time.runDue();
        serve(version(1));
        serve(version(2)); // may be on its way when the sink hears of the first
        next();
        serve(version(3));
        tryAgain();
        assertQuiet();
        run.cancel();
    }

    @Test
    void nothingIsToldToASinkThatCancelsAndThrowsWhenItHearsOfAFailure() {
        startWith(1, new Relay() {
            @Override
            public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                super.interrupted(error, nextAttemptIn);
                runs.get(0).cancel();
                throw new IllegalStateException("thrown on purpose");
            }
        });
        interrupt();
        nextInterrupted();
        serve(version(2));
        tryAgain();
        assertQuiet();
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

    /** The source asks for everything again: the very data that the sink did not take arrive once it takes them. */
    @Test
    void aSinkThatThrowsLosesNothingForGood() {
        serve(version(1));
        AtomicInteger asked = new AtomicInteger();
        Cancellable run = start(new Relay() {
            @Override
            public void apply(ChangeSet changes) {
                if (asked.getAndIncrement() == 0) {
                    throw new IllegalStateException("thrown on purpose");
                }
                super.apply(changes);
            }
        });
        time.runDue();
        serve(version(1)); // for sources that tell only what comes while they run
        News.Interrupted interrupted = nextInterrupted();
        time.advance(interrupted.nextAttemptIn());
        tryAgain();
        assertEquals(1, nextVersion(), "the version that arrives after it was refused");
        run.cancel();
    }

    @Test
    void aSinkThatThrowsWhenDataAreConfirmedIsToldFurther() {
        AtomicInteger confirmed = new AtomicInteger();
        Cancellable run = startWith(1, new Relay() {
            @Override
            public void confirm() {
                confirmed.incrementAndGet();
                throw new AssertionError("thrown on purpose");
            }
        });
        if (confirm()) {
            runUntil("the sink hears that the data are current", () -> confirmed.get() > 0);
        }
        serve(version(2));
        awaitVersion(2);
        run.cancel();
    }

    @Test
    void aSinkThatThrowsWhenItHearsOfAFailureIsToldFurther() {
        Cancellable run = startWith(1, new Relay() {
            @Override
            public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                super.interrupted(error, nextAttemptIn);
                throw new AssertionError("thrown on purpose");
            }
        });
        interrupt();
        time.advance(nextInterrupted().nextAttemptIn());
        serve(version(2));
        awaitVersion(2);
        run.cancel();
    }

    @Test
    void theSinkIsCalledOnceAtATime() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Cancellable run = start(new Relay() {
            private void inside(Runnable call) {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                call.run();
                inside.decrementAndGet();
            }

            @Override
            public void apply(ChangeSet changes) {
                inside(() -> super.apply(changes));
            }

            @Override
            public void confirm() {
                inside(super::confirm);
            }

            @Override
            public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                inside(() -> super.interrupted(error, nextAttemptIn));
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
        return startWith(version, new Relay());
    }

    private Cancellable startWith(long version, Relay to) {
        serve(version(version));
        Cancellable run = start(to);
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

    private static ItemKey keyOf(Item item) {
        return new ItemKey(item.kind(), item.key());
    }

    /** What there is once this is told, too: versions only rise, unless everything comes anew. */
    private static void hold(News news, Map<ItemKey, Item> held) {
        if (news instanceof News.Applied applied) {
            if (applied.changes().type() == ChangeSet.Type.FULL) {
                held.clear();
            }
            for (Item item : applied.changes().items()) {
                held.merge(keyOf(item), item, (old, next) -> next.version() > old.version() ? next : old);
            }
            held.values().removeIf(Item::deleted);
        }
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
            time.runUntil(holds, longestWait());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting until " + condition, e);
        } catch (AssertionError e) {
            throw new AssertionError("waited in vain until " + condition + ": " + e.getMessage(), e);
        }
    }
}
