package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheduler of real life: the computer's clocks and one daemon thread.
 *
 * <p>The thread begins with the first task and lasts until {@link #close}, though it mostly waits: if it ended and there
 * were no thread to be had at the moment it is needed again, nobody would be left to notice.
 */
public final class SystemScheduler implements Scheduler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SystemScheduler.class);

    // What ScheduledThreadPoolExecutor can add to its clock without overflow; 146 years.
    private static final long LONGEST_DELAY = Long.MAX_VALUE >> 1;

    private final ScheduledThreadPoolExecutor executor;

    SystemScheduler(ThreadFactory threadFactory) {
        // the executor itself would say nothing, and have nobody to do the work
        executor = new ScheduledThreadPoolExecutor(
                1, task -> requireNonNull(threadFactory.newThread(task), "no thread from the thread factory"));
        executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // a closed scheduler is silent
        executor.setRemoveOnCancelPolicy(true); // a cancelled wait of an hour holds nothing (R41)
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(guarded(task));
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        ScheduledFuture<?> future = executor.schedule(guarded(task), nanos(delay), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public boolean isClosed() {
        return executor.isShutdown();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    /** Ends the thread once the task it runs is done; what is waiting is dropped, what comes later is ignored. */
    @Override
    public void close() {
        executor.shutdown(); // not shutdownNow: a task that closes its own scheduler is not interrupted
    }

    private static Runnable guarded(Runnable task) {
        requireNonNull(task, "task");
        return () -> {
            try {
                task.run();
            } catch (Throwable e) { // an Error too: the thread serves others
                LOG.error("A scheduled task failed", e);
            }
        };
    }

    private static long nanos(Duration delay) {
        try {
            return Math.min(delay.toNanos(), LONGEST_DELAY);
        } catch (ArithmeticException e) {
            return delay.isNegative() ? 0 : LONGEST_DELAY;
        }
    }
}
