package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Scheduler;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler whose time moves only when told, so that hours pass in milliseconds and both sides of a boundary can be
 * looked at.
 *
 * <pre>{@code
 * scheduler.advance(Duration.ofSeconds(29)); // nothing yet
 * scheduler.advance(Duration.ofSeconds(1));  // the poll
 * }</pre>
 *
 * <p>Tasks run only inside {@link #runDue}, {@link #runUntil}, {@link #advance} and {@link #advanceToNext}, on the
 * thread that calls these, one at a time, in the order of their times and, for equal times, in the order they were
 * handed over. What a task throws comes out of that call. Tasks may be handed over from any thread. Several systems may
 * share one.
 */
public final class VirtualScheduler implements Scheduler {
    private static final long NANOS_BETWEEN_LOOKS = 2_000_000;
    private static final Instant START = Instant.parse("2026-01-02T07:00:00Z");

    private final PriorityQueue<Task> queue = new PriorityQueue<>(); // this, the clock and the counter: guarded by this
    private final Instant start;
    private long nanoTime;
    private Duration wallStep = Duration.ZERO; // what the wall clock has been moved by
    private long tasks;
    private boolean running;

    /** Starts on 2 January 2026, 07:00 UTC, a Friday. */
    public VirtualScheduler() {
        this(START);
    }

    /** Starts at the given time on the wall. */
    public VirtualScheduler(Instant start) {
        this.start = requireNonNull(start, "start");
    }

    @Override
    public void execute(Runnable task) {
        add(0, task);
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        return add(nanos(delay), task);
    }

    @Override
    public synchronized long nanoTime() {
        return nanoTime;
    }

    @Override
    public synchronized Instant now() {
        try {
            return start.plusNanos(nanoTime).plus(wallStep);
        } catch (ArithmeticException | DateTimeException e) {
            return wallStep.isNegative() ? Instant.MIN : Instant.MAX;
        }
    }

    /** Runs what is due now, and what that makes due now, without moving time. */
    public void runDue() {
        advance(Duration.ZERO);
    }

    /**
     * Runs what is due, again and again in real time but without moving this one, until a condition holds: for what
     * threads of real sockets hand over.
     *
     * @param condition looked at on this thread, every few milliseconds
     * @param longest about how long to wait in real time
     * @throws AssertionError if it does not come to that in time; the message says what is waiting
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void runUntil(BooleanSupplier condition, Duration longest) throws InterruptedException {
        CountDownLatch pause = new CountDownLatch(1);
        for (long looks = nanos(longest) / NANOS_BETWEEN_LOOKS; ; looks--) {
            runDue();
            if (condition.getAsBoolean()) {
                return;
            }
            if (looks <= 0) {
                throw new AssertionError("it did not come to that in " + longest + "; " + this);
            }
            boolean unused = pause.await(NANOS_BETWEEN_LOOKS, TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Moves time, stopping at each task on the way to run it at its own time.
     *
     * @param duration how far; zero runs what is due
     * @throws IllegalArgumentException if it is negative: time does not run backwards
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration < 0: " + duration);
        }
        long end = saturatedSum(nanoTime(), nanos(duration));
        enter();
        try {
            for (Task task = nextDue(end); task != null; task = nextDue(end)) {
                task.work.run();
            }
        } finally {
            leave();
        }
    }

    /**
     * Moves time to the next task and runs what is due then: however long a wait is, one call ends it.
     *
     * @return how far time moved; zero if something was due already
     * @throws IllegalStateException if nothing is waiting
     */
    public Duration advanceToNext() {
        Duration next;
        synchronized (this) {
            Task task = queue.peek();
            if (task == null) {
                throw new IllegalStateException("nothing is waiting at " + now());
            }
            next = Duration.ofNanos(Math.max(task.time - nanoTime, 0));
        }
        advance(next);
        return next;
    }

    /**
     * Moves the clock on the wall alone, as an NTP step does, and a computer that was asleep: there the monotonic clock
     * stood still meanwhile (R44). Nothing is due earlier or later because of it.
     *
     * @param step forwards, or backwards if negative
     */
    public synchronized void stepWallClock(Duration step) {
        wallStep = wallStep.plus(requireNonNull(step, "step"));
    }

    /** What is waiting, the next first: how long until each is due. Whose task each is, {@link #toString} says. */
    public synchronized List<Duration> pending() {
        return queue.stream().sorted().map(this::dueIn).toList();
    }

    /** What is waiting, the next first: whose task it is, and how long until it is due. */
    synchronized List<String> waiting() {
        return queue.stream()
                .sorted()
                .map(task -> task.owner() + " in " + dueIn(task))
                .toList();
    }

    /**
     * The time and what is waiting, for messages of failed tests: {@code assertEquals(expected, time.pending(),
     * time::toString)}. A task is named by its class, and a lambda by the class that it was written in.
     */
    @Override
    public synchronized String toString() {
        return "VirtualScheduler at " + now() + ", waiting: " + waiting();
    }

    private Duration dueIn(Task task) {
        return Duration.ofNanos(Math.max(task.time - nanoTime, 0));
    }

    private synchronized Cancellable add(long delay, Runnable work) {
        Task task = new Task(saturatedSum(nanoTime, delay), tasks++, requireNonNull(work, "task"));
        queue.add(task);
        return () -> remove(task);
    }

    private synchronized void remove(Task task) {
        queue.remove(task);
    }

    private synchronized @Nullable Task nextDue(long end) {
        Task next = queue.peek();
        if (next == null || next.time > end) {
            // under the same lock as the look: what another thread hands over from here on comes at the new time
            nanoTime = Math.max(nanoTime, end);
            return null;
        }
        nanoTime = Math.max(nanoTime, next.time);
        return queue.poll();
    }

    private synchronized void enter() {
        if (running) {
            throw new IllegalStateException("time is moved by a task or by another thread already");
        }
        running = true;
    }

    /** After a task that threw, time stays where it was, so that what comes after it is still ahead. */
    private synchronized void leave() {
        running = false;
    }

    private static long saturatedSum(long time, long delay) {
        return delay > Long.MAX_VALUE - time ? Long.MAX_VALUE : time + delay;
    }

    private static long nanos(Duration delay) {
        try {
            return Math.max(delay.toNanos(), 0);
        } catch (ArithmeticException e) { // over 292 years either way
            return delay.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    private record Task(long time, long order, Runnable work) implements Comparable<Task> {
        /** The class without its package, and without what the compiler and the JVM add where it has no name. */
        String owner() {
            String name = work.getClass().getName().replaceFirst("(\\$\\$Lambda.*|/.*)$", "");
            return name.substring(name.lastIndexOf('.') + 1)
                    .replaceFirst("(\\$\\d+)+$", "")
                    .replaceAll("(?<=\\w)(\\$\\d*)+", ".");
        }

        @Override
        public int compareTo(Task other) {
            return time != other.time ? Long.compare(time, other.time) : Long.compare(order, other.order);
        }
    }
}
