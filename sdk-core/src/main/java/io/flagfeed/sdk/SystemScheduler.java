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
 * <p>The thread comes with a task and lasts half a second longer than there is something to run or to wait for. Where a
 * new one cannot be had, the call that needed it throws, and its task is not taken: whoever made the call is left to
 * notice.
 */
public final class SystemScheduler implements Scheduler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SystemScheduler.class);

    // What ScheduledThreadPoolExecutor can add to its clock without overflow; 146 years.
    private static final long LONGEST_DELAY = Long.MAX_VALUE >> 1;

    // A thread costs more than a task: bursts, and what follows upon an event, share one.
    private static final Duration LASTS_IDLE = Duration.ofMillis(500);

    private final ScheduledThreadPoolExecutor executor;

    SystemScheduler(ThreadFactory threadFactory) {
        // the executor itself would say nothing, and have nobody to do the work
        executor = new ScheduledThreadPoolExecutor(
                1, task -> requireNonNull(threadFactory.newThread(task), "no thread from the thread factory"));
        executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // a closed scheduler is silent
        executor.setRemoveOnCancelPolicy(true); // a cancelled wait of an hour holds nothing (R41)
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setKeepAliveTime(LASTS_IDLE.toNanos(), TimeUnit.NANOSECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        Runnable guarded = guarded(task);
        beginThread();
        executor.execute(guarded);
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        Runnable guarded = guarded(task);
        beginThread();
        ScheduledFuture<?> future = executor.schedule(guarded, nanos(delay), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /** The executor would do so by itself, but only when it has taken the task, which it would keep where this throws. */
    private void beginThread() {
        boolean unused = executor.prestartCoreThread();
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
