package io.flagfeed.sdk;

import io.flagfeed.sdk.DataSourceStatus.State;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What each piece of news makes of a status. Pure: the clock's time comes in as an argument.
 *
 * <table>
 *   <caption>The next state</caption>
 *   <tr><th>state \ news</th><th>full data</th><th>partial data</th>
 *       <th>confirmed</th><th>failed</th><th>closed</th></tr>
 *   <tr><td>INITIALIZING</td><td>VALID</td><td>–</td><td>–</td><td>–</td><td>OFF</td></tr>
 *   <tr><td>VALID</td><td>–</td><td>–</td><td>–</td><td>INTERRUPTED</td><td>OFF</td></tr>
 *   <tr><td>INTERRUPTED</td><td>VALID</td><td>VALID</td><td>VALID</td><td>–</td><td>OFF</td></tr>
 *   <tr><td>OFF</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td></tr>
 * </table>
 */
final class StatusMachine {
    private final @Nullable Duration staleAfter;

    /** With the age from which data count as stale, or null for never. */
    StatusMachine(@Nullable Duration staleAfter) {
        this.staleAfter = staleAfter;
    }

    DataSourceStatus initial(Instant now) {
        return new DataSourceStatus(State.INITIALIZING, now, null, null, null);
    }

    /** Full data arrived. */
    DataSourceStatus full(DataSourceStatus status, Instant now) {
        return status.state() == State.OFF ? status : current(status, now);
    }

    /** Partial data arrived; they say nothing about the rest while there is no rest. */
    DataSourceStatus partial(DataSourceStatus status, Instant now) {
        return confirmed(status, now);
    }

    /** The service says that what is held is current; nothing can be while nothing is held. */
    DataSourceStatus confirmed(DataSourceStatus status, Instant now) {
        return switch (status.state()) {
            case INITIALIZING, OFF -> status;
            case VALID, INTERRUPTED -> current(status, now);
        };
    }

    /** An attempt failed. */
    DataSourceStatus interrupted(DataSourceStatus status, ErrorInfo error, Duration nextAttemptIn, Instant now) {
        State next = switch (status.state()) {
            case INITIALIZING -> State.INITIALIZING; // R15
            case VALID, INTERRUPTED -> State.INTERRUPTED;
            case OFF -> State.OFF;
        };
        if (next == State.OFF) {
            return status;
        }
        return new DataSourceStatus(
                next,
                since(status, next, now),
                error,
                status.lastConfirmed(),
                later(now, nextAttemptIn),
                status.staleAt(),
                status.environmentId());
    }

    /** Nothing has confirmed the data for too long, whatever a clock that was set back says of it. */
    DataSourceStatus stale(DataSourceStatus status, Instant now) {
        if (status.staleAt() == null || !now.isBefore(status.staleAt())) {
            return status;
        }
        return new DataSourceStatus(
                status.state(),
                status.since(),
                status.lastError(),
                status.lastConfirmed(),
                status.nextAttempt(),
                now,
                status.environmentId());
    }

    /** An attempt began, so that none is waited for. */
    DataSourceStatus attempting(DataSourceStatus status) {
        return withNextAttempt(status, null);
    }

    /** What was waited for after a failure comes at another time. */
    DataSourceStatus rescheduled(DataSourceStatus status, Duration nextAttemptIn, Instant now) {
        return withNextAttempt(status, later(now, nextAttemptIn));
    }

    /** Only what is waited for can come at another time, or no more. */
    private static DataSourceStatus withNextAttempt(DataSourceStatus status, @Nullable Instant nextAttempt) {
        if (status.nextAttempt() == null) {
            return status;
        }
        return new DataSourceStatus(
                status.state(),
                status.since(),
                status.lastError(),
                status.lastConfirmed(),
                nextAttempt,
                status.staleAt(),
                status.environmentId());
    }

    /** The service said what the environment is called, or in a good response nothing of it. */
    DataSourceStatus environment(DataSourceStatus status, @Nullable String id) {
        if (status.state() == State.OFF || Objects.equals(status.environmentId(), id)) {
            return status;
        }
        return new DataSourceStatus(
                status.state(),
                status.since(),
                status.lastError(),
                status.lastConfirmed(),
                status.nextAttempt(),
                status.staleAt(),
                id);
    }

    /** The system was closed. */
    DataSourceStatus closed(DataSourceStatus status, Instant now) {
        return new DataSourceStatus(
                State.OFF,
                since(status, State.OFF, now),
                status.lastError(),
                status.lastConfirmed(),
                null,
                status.staleAt(),
                status.environmentId());
    }

    private DataSourceStatus current(DataSourceStatus status, Instant now) {
        Instant staleAt = staleAfter == null ? null : later(now, staleAfter);
        return new DataSourceStatus(
                State.VALID,
                since(status, State.VALID, now),
                status.lastError(),
                now,
                null,
                staleAt,
                status.environmentId());
    }

    private static Instant since(DataSourceStatus status, State next, Instant now) {
        return status.state() == next ? status.since() : now;
    }

    private static Instant later(Instant now, Duration wait) {
        try {
            return now.plus(wait);
        } catch (ArithmeticException | DateTimeException e) { // beyond what an Instant can say
            return Instant.MAX;
        }
    }
}
