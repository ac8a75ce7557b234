package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/**
 * The only source of time and the only way to run something later.
 *
 * <p>Tasks run one at a time, in order, and never inside the call that hands them over. A task that throws is logged
 * and harms no other. All methods may be called from any thread. One scheduler may serve many systems.
 */
public interface Scheduler extends Executor {
    /**
     * Runs a task as soon as those before it are done. Does nothing on a closed scheduler. If it throws, for want of a
     * thread for instance, the task is not taken, and another call may do better.
     */
    @Override
    void execute(Runnable task);

    /**
     * Runs a task after a delay. If it throws, the task is not taken.
     *
     * @param delay how long to wait; zero or negative means as soon as possible, and however long it is, it does not
     *     overflow
     * @return takes the task out again if it has not begun
     */
    Cancellable schedule(Duration delay, Runnable task);

    /**
     * Whether it takes no tasks any more. What it was given before may have been dropped, so whoever waits for that may
     * wait in vain. Default: no, as for a scheduler that is never closed.
     */
    default boolean isClosed() {
        return false;
    }

    /** Nanoseconds of a monotonic clock with an arbitrary origin: for measuring, by subtraction. */
    long nanoTime();

    /** The time on the wall: for HTTP dates, and for what people read. It may jump. */
    Instant now();

    /**
     * A scheduler of its own on the computer's clocks, with one daemon thread, which is there while there is something
     * to run or to wait for, and for half a second more. A call that needs a new one throws what the JVM does where
     * there is none to be had, and its task is not taken. Whoever made the scheduler closes it.
     */
    static SystemScheduler system(String threadName) {
        requireNonNull(threadName, "threadName");
        return systemWith(task -> {
            Thread thread = new Thread(task, threadName);
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * A scheduler like {@link #system}, with one thread at a time from the given factory, virtual or not. What the
     * factory throws, {@link NullPointerException} if it gives none, is thrown by the call that needed the thread.
     */
    static SystemScheduler systemWith(ThreadFactory threadFactory) {
        return new SystemScheduler(requireNonNull(threadFactory, "threadFactory"));
    }
}
