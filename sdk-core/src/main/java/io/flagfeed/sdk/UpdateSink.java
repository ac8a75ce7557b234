package io.flagfeed.sdk;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a data source puts what it learns. Called from any thread, one call at a time; returns at once. If
 * {@link #apply} throws, the source counts a failed attempt and asks for everything again, so that no change is lost
 * for good; what the others throw is logged.
 *
 * <p>A source that wants to be observed well says also when an attempt begins, when the service answers, and what came;
 * the data do not depend on it.
 */
public interface UpdateSink {
    /** Data arrived. */
    void apply(ChangeSet changes);

    /**
     * The service says that what it sent earlier is still current: an unchanged poll, a heartbeat of a stream that has
     * delivered its data.
     */
    void confirm();

    /**
     * An attempt failed and another follows.
     *
     * @param error what went wrong
     * @param nextAttemptIn how long from now until the next attempt
     */
    void interrupted(ErrorInfo error, Duration nextAttemptIn);

    /** An attempt begins, so that no other is waited for. Default: nothing. */
    default void attempting() {}

    /** The service answered with what the attempt was made for. Default: nothing. */
    default void connected() {}

    /**
     * The next attempt begins at another time than was said, without one having failed meanwhile. Default: nothing.
     *
     * @param nextAttemptIn how long from now
     */
    default void rescheduled(Duration nextAttemptIn) {}

    /**
     * Says what a good response called the environment. Default: nothing.
     *
     * @param id the name, or null if the response had none
     */
    default void environment(@Nullable String id) {}

    /**
     * Says of the change set that is applied next what it came in. Default: nothing.
     *
     * @param bytes how much was read for it, decompressed
     * @param decoding how long it took to make it of these
     */
    default void received(long bytes, Duration decoding) {}
}
