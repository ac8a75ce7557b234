package io.flagfeed.sdk;

import java.time.Duration;

/**
 * Where a data source puts what it learns. Called from any thread, one call at a time; returns at once. If
 * {@link #apply} throws, the source counts a failed attempt and asks for everything again, so that no change is lost for
 * good; what the other two throw is logged.
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
}
