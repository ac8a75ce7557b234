package io.flagfeed.sdk.testing;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flagfeed.sdk.Cancellable;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class VirtualSchedulerTest {
    private static final Instant START = Instant.parse("2026-01-02T07:00:00Z");

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final List<String> ran = new ArrayList<>();

    private Runnable noting(String name) {
        return () -> ran.add(name + "@" + ofNanos(scheduler.nanoTime()).toSeconds());
    }

    @Test
    void nothingRunsUntilTold() {
        scheduler.execute(noting("a"));
        scheduler.schedule(ZERO, noting("b"));
        assertEquals(List.of(), ran);
        scheduler.runDue();
        assertEquals(List.of("a@0", "b@0"), ran);
    }

    @Test
    void bothSidesOfABoundary() {
        scheduler.schedule(ofSeconds(30), noting("poll"));
        scheduler.advance(ofSeconds(29));
        scheduler.advance(ofNanos(999_999_999));
        assertEquals(List.of(), ran);
        scheduler.advance(ofNanos(1));
        assertEquals(List.of("poll@30"), ran);
    }

    @Test
    void tasksRunInTheOrderOfTheirTimesAndThenOfTheirComing() {
        scheduler.schedule(ofSeconds(2), noting("c"));
        scheduler.schedule(ofSeconds(1), noting("a"));
        scheduler.schedule(ofSeconds(2), noting("d"));
        scheduler.schedule(ofSeconds(1), noting("b"));
        scheduler.advance(ofSeconds(5));
        assertEquals(List.of("a@1", "b@1", "c@2", "d@2"), ran);
        assertEquals(ofSeconds(5).toNanos(), scheduler.nanoTime());
    }

    @Test
    void timeStopsAtEachTaskOnTheWay() {
        scheduler.schedule(ofSeconds(1), () -> {
            noting("first").run();
            scheduler.execute(noting("at once"));
            scheduler.schedule(ofSeconds(1), noting("on the way"));
            scheduler.schedule(ofSeconds(9), noting("too late"));
        });
        scheduler.advance(ofSeconds(5));
        assertEquals(List.of("first@1", "at once@1", "on the way@2"), ran);
        assertEquals(List.of(ofSeconds(5)), scheduler.pending());
    }

    @Test
    void theWallAndTheMonotonicClockMoveTogether() {
        scheduler.advance(ofSeconds(90));
        assertEquals(START.plusSeconds(90), scheduler.now());
        assertEquals(ofSeconds(90).toNanos(), scheduler.nanoTime());
        assertEquals(Instant.EPOCH, new VirtualScheduler(Instant.EPOCH).now());
    }

    @Test
    void pendingSaysHowLongUntilEachIsDueTheNextFirst() {
        scheduler.schedule(ofSeconds(30), noting("b"));
        scheduler.schedule(ofSeconds(10), noting("a"));
        scheduler.execute(noting("now"));
        assertEquals(List.of(ZERO, ofSeconds(10), ofSeconds(30)), scheduler.pending());
        scheduler.advance(ofSeconds(4));
        assertEquals(List.of(ofSeconds(6), ofSeconds(26)), scheduler.pending());
    }

    @Test
    void itSaysWhoseTasksAreWaiting() {
        assertEquals("VirtualScheduler at 2026-01-02T07:00:00Z, waiting: []", scheduler.toString());
        scheduler.schedule(ofSeconds(30), noting("b"));
        scheduler.schedule(ofSeconds(10), new Named());
        scheduler.advance(ofSeconds(4));
        assertEquals(
                "VirtualScheduler at 2026-01-02T07:00:04Z, "
                        + "waiting: [VirtualSchedulerTest.Named in PT6S, VirtualSchedulerTest in PT26S]",
                scheduler.toString());
    }

    private static final class Named implements Runnable {
        @Override
        public void run() {}

        static Runnable lambda(List<String> ran) {
            return () -> ran.add("a");
        }

        static Runnable anonymous() {
            return new Runnable() {
                @Override
                public void run() {}
            };
        }
    }

    /** Whoever reads it looks for a file: no numbers, and nothing that differs from run to run. */
    @Test
    void aTaskIsNamedByTheClassItWasWrittenIn() {
        record Local() implements Runnable {
            @Override
            public void run() {}
        }
        Runnable proxy = (Runnable) Proxy.newProxyInstance(
                VirtualSchedulerTest.class.getClassLoader(),
                new Class<?>[] {Runnable.class},
                (self, method, arguments) -> null);
        for (Runnable task : List.of(
                Named.lambda(ran),
                Named.anonymous(),
                new Local(),
                new FutureTask<>(Named.lambda(ran), null),
                scheduler::runDue,
                proxy)) {
            scheduler.execute(task);
        }
        CompletableFuture<Void> unused = CompletableFuture.runAsync(Named.lambda(ran), scheduler);
        assertEquals(
                List.of(
                        "VirtualSchedulerTest.Named in PT0S",
                        "VirtualSchedulerTest.Named in PT0S",
                        "VirtualSchedulerTest.Local in PT0S",
                        "FutureTask in PT0S",
                        "VirtualSchedulerTest in PT0S",
                        proxy.getClass().getSimpleName() + " in PT0S",
                        "CompletableFuture.AsyncRun in PT0S"),
                scheduler.waiting());
    }

    @Test
    void whatIsCancelledIsGone() {
        Cancellable task = scheduler.schedule(ofSeconds(1), noting("a"));
        task.cancel();
        task.cancel();
        assertEquals(List.of(), scheduler.pending());
        scheduler.advance(ofSeconds(2));
        assertEquals(List.of(), ran);
    }

    @Test
    void aTaskMayCancelOneThatIsDueToo() {
        Cancellable[] other = new Cancellable[1];
        scheduler.execute(() -> other[0].cancel());
        other[0] = scheduler.schedule(ZERO, noting("other"));
        scheduler.runDue();
        assertEquals(List.of(), ran);
    }

    @Test
    void whatATaskThrowsComesOutAndTheRestIsStillAhead() {
        scheduler.schedule(ofSeconds(1), () -> {
            throw new IllegalStateException("thrown on purpose");
        });
        scheduler.schedule(ofSeconds(2), noting("b"));
        assertThrows(IllegalStateException.class, () -> scheduler.advance(ofSeconds(5)));
        assertEquals(ofSeconds(1).toNanos(), scheduler.nanoTime());
        scheduler.advance(ofSeconds(1));
        assertEquals(List.of("b@2"), ran);
    }

    @Test
    void aTaskMayNotMoveTime() {
        scheduler.execute(() -> assertThrows(IllegalStateException.class, () -> scheduler.advance(ofSeconds(1))));
        scheduler.execute(noting("next"));
        scheduler.runDue();
        assertEquals(List.of("next@0"), ran);
        scheduler.runDue(); // may be told again
    }

    @Test
    void timeDoesNotRunBackwards() {
        assertThrows(IllegalArgumentException.class, () -> scheduler.advance(ofNanos(-1)));
        scheduler.schedule(ofSeconds(-5), noting("a"));
        scheduler.schedule(ofSeconds(Long.MIN_VALUE), noting("b"));
        scheduler.runDue();
        assertEquals(List.of("a@0", "b@0"), ran);
    }

    @Test
    void absurdSpansDoNotOverflow() {
        Duration absurd = ofSeconds(Long.MAX_VALUE);
        scheduler.advance(ofSeconds(10));
        scheduler.schedule(absurd, noting("a"));
        scheduler.schedule(Duration.ofDays(365_000_000), noting("b"));
        scheduler.advance(Duration.ofDays(36_500));
        assertEquals(List.of(), ran);
        scheduler.advance(absurd);
        assertEquals(2, ran.size());
        assertEquals(Long.MAX_VALUE, scheduler.nanoTime());
        scheduler.execute(noting("c"));
        scheduler.advance(absurd);
        assertEquals(3, ran.size());
        VirtualScheduler late = new VirtualScheduler(Instant.MAX);
        late.advance(absurd);
        assertEquals(Instant.MAX, late.now());
    }

    /** Also while another thread hands tasks over all the time. */
    @Test
    void timeMovesAsFarAsItIsTold() throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        AtomicBoolean free = new AtomicBoolean(true); // one task at a time, or there would be no end of what is due
        Thread other = new Thread(() -> {
            while (!end.get()) {
                if (free.compareAndSet(true, false)) {
                    scheduler.execute(() -> free.set(true));
                }
            }
        });
        other.start();
        try {
            for (int i = 1; i <= 500_000; i++) {
                scheduler.advance(Duration.ofMillis(1));
                assertEquals(Duration.ofMillis(i).toNanos(), scheduler.nanoTime());
            }
        } finally {
            end.set(true);
            other.join();
        }
    }

    @Test
    void aTaskThatThrowsLeavesTimeWhereItWas() {
        scheduler.schedule(ofSeconds(1), () -> {
            throw new IllegalStateException("thrown on purpose");
        });
        assertThrows(IllegalStateException.class, () -> scheduler.advance(ofSeconds(5)));
        assertEquals(ofSeconds(1).toNanos(), scheduler.nanoTime());
    }

    @Test
    void itRunsWhatThreadsHandOverUntilAConditionHolds() throws Exception {
        Thread other = new Thread(() -> scheduler.execute(noting("a")));
        other.start();
        scheduler.runUntil(() -> !ran.isEmpty(), ofSeconds(10));
        assertEquals(List.of("a@0"), ran);
        scheduler.schedule(ofSeconds(5), noting("b"));
        AssertionError e =
                assertThrows(AssertionError.class, () -> scheduler.runUntil(() -> false, Duration.ofMillis(5)));
        assertEquals(
                "it did not come to that in PT0.005S; VirtualScheduler at 2026-01-02T07:00:00Z, "
                        + "waiting: [VirtualSchedulerTest in PT5S]",
                e.getMessage());
        other.join();
    }

    @Test
    void theNextTaskIsOneCallAwayHoweverLongThatIs() {
        scheduler.schedule(Duration.ofHours(1), noting("a"));
        scheduler.schedule(Duration.ofHours(1), noting("b"));
        scheduler.schedule(Duration.ofDays(7), noting("c"));
        scheduler.execute(noting("now"));
        assertEquals(Duration.ZERO, scheduler.advanceToNext());
        assertEquals(List.of("now@0"), ran);
        assertEquals(Duration.ofHours(1), scheduler.advanceToNext());
        assertEquals(List.of("now@0", "a@3600", "b@3600"), ran);
        assertEquals(Duration.ofDays(7).minusHours(1), scheduler.advanceToNext());
        IllegalStateException e = assertThrows(IllegalStateException.class, scheduler::advanceToNext);
        assertEquals("nothing is waiting at " + scheduler.now(), e.getMessage());
    }

    @Test
    void theWallClockCanBeSteppedAlone() {
        Instant before = scheduler.now();
        scheduler.schedule(ofSeconds(10), noting("a"));
        scheduler.stepWallClock(Duration.ofHours(1));
        assertEquals(before.plusSeconds(3600), scheduler.now());
        assertEquals(0, scheduler.nanoTime());
        assertEquals(List.of(ofSeconds(10)), scheduler.pending());
        scheduler.stepWallClock(Duration.ofHours(-2));
        scheduler.advance(ofSeconds(10));
        assertEquals(before.plusSeconds(10 - 3600), scheduler.now());
        assertEquals(List.of("a@10"), ran);
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> new VirtualScheduler(null));
        assertThrows(NullPointerException.class, () -> scheduler.execute(null));
        assertThrows(NullPointerException.class, () -> scheduler.schedule(null, noting("a")));
        assertThrows(NullPointerException.class, () -> scheduler.advance(null));
        assertEquals(List.of(), scheduler.pending());
    }
}
