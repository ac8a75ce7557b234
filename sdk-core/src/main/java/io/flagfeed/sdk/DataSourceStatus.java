package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How things stand with the data at one moment.
 *
 * @param state the state
 * @param since when the state was entered; a further failure or confirmation in the same state does not move it
 * @param lastError the newest failed attempt, kept after recovery; null if none ever failed
 * @param lastConfirmed when the service last said that what is held is current; null if it never sent anything
 * @param nextAttempt when the next attempt begins, while one is waited for after a failure; null otherwise. Of a source
 *     that does not say when an attempt begins ({@link UpdateSink#attempting}) it stays, and is in the past then
 * @param staleAt when what is held becomes too old if nothing confirms it; null if there is no limit or no data
 * @param environmentId what the service's last good response called the environment, in {@code X-LD-EnvID}; null if it
 *     did not say, or there was none. That nothing has changed (304) may be said without it
 */
public record DataSourceStatus(
        State state,
        Instant since,
        @Nullable ErrorInfo lastError,
        @Nullable Instant lastConfirmed,
        @Nullable Instant nextAttempt,
        @Nullable Instant staleAt,
        @Nullable String environmentId) {

    /** Where a data system can be. */
    public enum State {
        /** Started or not, no full data has arrived yet, whatever has failed so far. */
        INITIALIZING,
        /** The data are complete, and as far as is known current. */
        VALID,
        /** The last attempt failed. The data are the last good ones; another attempt follows. */
        INTERRUPTED,
        /** Closed, for good. The data are the last good ones. Nothing but closing leads here (R15). */
        OFF
    }

    /** Checks the components; throws {@link NullPointerException} for a null state or time. */
    public DataSourceStatus {
        requireNonNull(state, "state");
        requireNonNull(since, "since");
    }

    /** A status without a name for the environment. */
    public DataSourceStatus(
            State state,
            Instant since,
            @Nullable ErrorInfo lastError,
            @Nullable Instant lastConfirmed,
            @Nullable Instant nextAttempt,
            @Nullable Instant staleAt) {
        this(state, since, lastError, lastConfirmed, nextAttempt, staleAt, null);
    }

    /** A status without a limit to the age of the data, and without a name for the environment. */
    public DataSourceStatus(
            State state,
            Instant since,
            @Nullable ErrorInfo lastError,
            @Nullable Instant lastConfirmed,
            @Nullable Instant nextAttempt) {
        this(state, since, lastError, lastConfirmed, nextAttempt, null, null);
    }

    /** Whether the data are older than {@link DataSystem.Builder#staleAfter} allows at the given time on the wall. */
    public boolean isStale(Instant now) {
        return staleAt != null && !now.isBefore(staleAt);
    }
}
