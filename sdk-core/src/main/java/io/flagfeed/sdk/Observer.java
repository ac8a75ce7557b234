package io.flagfeed.sdk;

import java.time.Duration;

/**
 * Is told what a system does, for metrics and tracing: see {@link DataSystem.Builder#observer}. Every method has a
 * default that does nothing.
 *
 * <p>All but {@link #listenerFailed} are called on the scheduler's thread, one at a time, in order; so they return soon
 * and wait for nothing. A source that is not the library's may tell its news on another thread, and is heard on that.
 * {@link DataSourceStatus.State#OFF} alone is told on the thread that closes the system, where what goes on at that
 * moment may still be told beside it. What an observer throws is logged once and goes no further.
 */
public interface Observer {
    /** An attempt begins: a connection of a stream, a poll. Sources other than the library's may not say so. */
    default void attemptStarted() {}

    /** The service answered with what an attempt was made for; data follow, unless they are known already. */
    default void connected() {}

    /**
     * An attempt failed. Attempts that end well are not told: their data are.
     *
     * @param error why
     * @param nextAttemptIn how long from now until the next one
     */
    default void attemptFailed(ErrorInfo error, Duration nextAttemptIn) {}

    /**
     * A change set was applied.
     *
     * @param applied what and how much it was
     */
    default void applied(Applied applied) {}

    /** The status moved, be it only in when the data were last confirmed; or the data have become stale. */
    default void statusMoved(DataSourceStatus status) {}

    /** A listener threw. Called on the listener's thread. */
    default void listenerFailed(Throwable error) {}

    /**
     * A change set that was applied.
     *
     * @param type whether it was everything or a part
     * @param items how many items were in it, whether or not they were newer than what was held
     * @param bytes how much was read from the service for it, decompressed; 0 if the source does not say
     * @param decoding how long it took to turn these into the change set; zero if the source does not say
     * @param applying how long it took to make it what readers see, finding out what changed for listeners included
     */
    record Applied(ChangeSet.Type type, int items, long bytes, Duration decoding, Duration applying) {}
}
