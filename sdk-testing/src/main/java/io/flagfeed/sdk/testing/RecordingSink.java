package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.UpdateSink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what a data source told it of its data, in order, and hands it out piece by piece: what it applied, what
 * it confirmed, and what failed. What a source may say besides, of attempts for instance, is passed over: a
 * {@link io.flagfeed.sdk.DataSystem}'s status shows it. A test takes what it expects and ends with
 * {@link #assertExhausted}. May be used from any thread.
 */
public final class RecordingSink implements UpdateSink {
    private final BlockingQueue<News> news = new LinkedBlockingQueue<>();

    /** One call of the sink. */
    public sealed interface News {
        /**
         * Data arrived.
         *
         * @param changes the data
         */
        record Applied(ChangeSet changes) implements News {}

        /** The data were said to be current. */
        record Confirmed() implements News {}

        /**
         * An attempt failed.
         *
         * @param error what went wrong
         * @param nextAttemptIn how long until the next attempt
         */
        record Interrupted(ErrorInfo error, Duration nextAttemptIn) implements News {}
    }

    /** A sink that has been told nothing yet. */
    public RecordingSink() {}

    @Override
    public void apply(ChangeSet changes) {
        news.add(new News.Applied(requireNonNull(changes, "changes")));
    }

    @Override
    public void confirm() {
        news.add(new News.Confirmed());
    }

    @Override
    public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
        news.add(new News.Interrupted(requireNonNull(error, "error"), requireNonNull(nextAttemptIn, "nextAttemptIn")));
    }

    /**
     * Takes the oldest news, which must be data.
     *
     * @throws AssertionError if it is something else, or there is none
     */
    public ChangeSet takeApplied() {
        return take(News.Applied.class).changes();
    }

    /**
     * Takes the oldest news, which must be a confirmation.
     *
     * @throws AssertionError if it is something else, or there is none
     */
    public void takeConfirmed() {
        take(News.Confirmed.class);
    }

    /**
     * Takes the oldest news, which must be a failed attempt.
     *
     * @throws AssertionError if it is something else, or there is none
     */
    public News.Interrupted takeInterrupted() {
        return take(News.Interrupted.class);
    }

    /**
     * Takes the oldest news, whatever it is.
     *
     * @throws AssertionError if there is none
     */
    public News take() {
        return take(News.class);
    }

    /**
     * Waits in real time for the oldest news and takes it: for tests over real sockets.
     *
     * @throws AssertionError if none comes in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public News await(Duration timeout) throws InterruptedException {
        News oldest = news.poll(nanos(timeout), TimeUnit.NANOSECONDS);
        if (oldest == null) {
            throw new AssertionError("the sink was told nothing for " + timeout);
        }
        return oldest;
    }

    /** What it was told and nobody has taken yet, the oldest first. */
    public List<News> waiting() {
        return List.copyOf(news);
    }

    /**
     * Checks that everything was taken.
     *
     * @throws AssertionError if something is left; the message says what
     */
    public void assertExhausted() {
        if (!news.isEmpty()) {
            throw new AssertionError("the sink was told more than expected: " + news);
        }
    }

    private static long nanos(Duration timeout) {
        try {
            return timeout.toNanos();
        } catch (ArithmeticException e) { // over 292 years either way
            return timeout.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    private <T extends News> T take(Class<T> expected) {
        @Nullable News oldest = news.poll();
        if (!expected.isInstance(oldest)) {
            throw new AssertionError("expected " + expected.getSimpleName() + ", but the sink was told "
                    + (oldest == null ? "nothing" : oldest + ", then " + news));
        }
        return expected.cast(oldest);
    }
}
