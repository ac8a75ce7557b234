package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheduler of real life: the computer's clocks and one daemon thread.
 *
 * <p>The thread comes with a task and lasts half a second longer than there is something to run or to wait for. Where a
 * new one cannot be had, the call that needed it throws, and its task is not taken: whoever made the call is left to
 * notice.
 */
// Not one of the JDK's pools: in these a thread comes to its end apart from the queue, so that a task may be left in it
// without a thread and without a word; and while one waits for an hour, a thread that may end wakes all the time to
// see.
public final class SystemScheduler implements Scheduler, AutoCloseable {
    // What can be added to the clock without overflow; 146 years.
    private static final long LONGEST_DELAY = Long.MAX_VALUE >> 1;

    // A thread costs more than a task: bursts, and what follows upon an event, share one.
    private static final long LASTS_IDLE = TimeUnit.MILLISECONDS.toNanos(500);

    private final ThreadFactory threadFactory;

    // no monitor, which would hold the carrier of a virtual thread
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition sooner = lock.newCondition(); // something comes first that did not, or nothing comes

    // guarded by lock
    private final TreeSet<Task> tasks = new TreeSet<>(); // the next one first
    private long given; // how many there were
    private boolean hasThread;
    private boolean closed;

    SystemScheduler(ThreadFactory threadFactory) {
        this.threadFactory = threadFactory;
    }

    @Override
    public void execute(Runnable task) {
        add(0, task);
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        return add(nanos(delay), task);
    }

    private Cancellable add(long delay, Runnable task) {
        requireNonNull(task, "task");
        lock.lock();
        try {
            Task added = new Task(System.nanoTime() + delay, given++, task);
            if (closed) { // a closed scheduler is silent
                return added;
            }
            if (!hasThread) {
                beginThread();
            }
            tasks.add(added);
            if (tasks.first().equals(added)) {
                sooner.signal();
            }
            return added;
        } finally {
            lock.unlock();
        }
    }

    /** With the lock, so that the thread is there when the task is, or neither. */
    private void beginThread() {
        requireNonNull(threadFactory.newThread(this::work), "no thread from the thread factory")
                .start();
        hasThread = true;
    }

    private void work() {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = workOnce();
        }
    }

    /** In a frame of its own, so that no task, and nothing that hangs on it, is held while the next is waited for. */
    private boolean workOnce() {
        Task next = take();
        if (next == null) {
            return false;
        }
        boolean unused = Thread.interrupted(); // of the task before, or of nobody's business
        try {
            next.action.run();
        } catch (Throwable e) { // an Error too: the thread serves others
            report(e);
        }
        return true;
    }

    private static void report(Throwable e) {
        try {
            log().error("A scheduled task failed", e);
        } catch (RuntimeException | Error broken) {
            // a logger that throws harms nobody either
        }
    }

    /** Waits for the next task and takes it out; null once the thread has to end, which is settled with the lock. */
    private @Nullable Task take() {
        lock.lock();
        try {
            long idleSince = System.nanoTime();
            while (true) {
                long now = System.nanoTime();
                Task first = tasks.isEmpty() ? null : tasks.first();
                if (first != null && first.at - now <= 0) {
                    return tasks.pollFirst();
                }
                idleSince = first == null ? idleSince : now;
                long left = first == null ? idleSince + LASTS_IDLE - now : first.at - now;
                if (first == null && (closed || left <= 0)) {
                    hasThread = false;
                    return null;
                }
                try {
                    long unused = sooner.awaitNanos(left);
                } catch (InterruptedException e) {
                    // of nobody's business: what there is to do is looked at again
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    /** Ends the thread once what is due is done; what still waits is dropped, what comes later is ignored. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            long now = System.nanoTime();
            tasks.removeIf(task -> task.at - now > 0);
            sooner.signal();
        } finally {
            lock.unlock();
        }
    }

    private static long nanos(Duration delay) {
        try {
            return Math.max(0, Math.min(delay.toNanos(), LONGEST_DELAY));
        } catch (ArithmeticException e) {
            return delay.isNegative() ? 0 : LONGEST_DELAY;
        }
    }

    /** Something to run at a time; of the same time in the order in which they came. */
    private final class Task implements Cancellable, Comparable<Task> {
        private final long at;
        private final long number;
        private final Runnable action;

        Task(long at, long number, Runnable action) {
            this.at = at;
            this.number = number;
            this.action = action;
        }

        /** Takes it out, so that a cancelled wait of an hour holds nothing (R41). */
        @Override
        public void cancel() {
            lock.lock();
            try {
                if (tasks.remove(this) && tasks.isEmpty()) {
                    sooner.signal(); // the thread has nothing to wait for
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public int compareTo(Task other) {
            long later = at - other.at; // by subtraction, as the clock may overflow
            return later == 0 ? Long.compare(number, other.number) : Long.signum(later);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(SystemScheduler.class);
    }
}
