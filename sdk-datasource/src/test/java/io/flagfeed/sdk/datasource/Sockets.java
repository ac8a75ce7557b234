package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** For tests in which bytes take real time while waits are virtual. */
final class Sockets {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private Sockets() {}

    static ConditionFactory await() {
        return Awaitility.await().atMost(LONGEST).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
    }

    /** Runs what the attempts' threads hand over, without moving time, until the condition holds. */
    static void runUntil(VirtualScheduler scheduler, BooleanSupplier condition) {
        try {
            scheduler.runUntil(condition, LONGEST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while it waited", e);
        }
    }

    /**
     * Runs what the attempts' threads hand over, without moving time, until nothing is left but a wait: for what
     * follows an answer that is no stream, because one that has begun waits for its first payload, too.
     */
    static void runUntilWaiting(VirtualScheduler scheduler) {
        runUntil(scheduler, () -> isWaiting(scheduler));
    }

    /** Whether something waits and nothing is due: what is due may have been handed over just now. */
    static boolean isWaiting(VirtualScheduler scheduler) {
        List<Duration> pending = scheduler.pending();
        return !pending.isEmpty() && !pending.get(0).isZero();
    }

    // Before any test: the JVM's own, and the test runner's.
    private static final Set<Thread> BEFORE = Thread.getAllStackTraces().keySet();

    /** What is alive and was not there before, but for the servers' of tests and the few that OkHttp has in any JVM. */
    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !BEFORE.contains(thread))
                .map(Thread::getName)
                .filter(name ->
                        !name.matches("flagfeed-fake-server.*|test-(relay|proxy|refusing)|OkHttp .*|Okio Watchdog"))
                // what carries and wakes the JVM's virtual threads, once there are any
                .filter(name -> !name.matches("ForkJoinPool-1-.*|VirtualThread-un.*|.*-?Poller"))
                .filter(name -> !name.matches(
                        "awaitility.*|junit-.*|process reaper.*|Common-Cleaner|surefire.*|.*CompilerThread.*"))
                .sorted()
                .toList();
    }

    static void awaitNoThreads() {
        await().untilAsserted(() -> org.junit.jupiter.api.Assertions.assertEquals(List.of(), threads()));
    }
}
