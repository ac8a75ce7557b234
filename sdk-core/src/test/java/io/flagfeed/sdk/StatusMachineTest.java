package io.flagfeed.sdk;

import static io.flagfeed.sdk.DataSourceStatus.State.INITIALIZING;
import static io.flagfeed.sdk.DataSourceStatus.State.INTERRUPTED;
import static io.flagfeed.sdk.DataSourceStatus.State.OFF;
import static io.flagfeed.sdk.DataSourceStatus.State.VALID;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StatusMachineTest {
    private static final Instant THEN = Instant.parse("2026-01-02T07:00:00Z");
    private static final Instant NOW = THEN.plusSeconds(100);
    private static final Duration STALE_AFTER = Duration.ofSeconds(1000);
    private static final ErrorInfo OLD_ERROR = ErrorInfo.of(Failure.network("reset"), THEN);
    private static final ErrorInfo NEW_ERROR = ErrorInfo.of(Failure.invalidData("no JSON"), NOW);
    private static final Duration RETRY = Duration.ofSeconds(4);

    // a status in each state in which nothing is null that may be set
    private static final Instant STALE_AT = THEN.plus(STALE_AFTER);
    private static final Instant NEXT_ATTEMPT = THEN.plusSeconds(2);

    private final StatusMachine machine = new StatusMachine(STALE_AFTER);

    enum News {
        FULL,
        PARTIAL,
        CONFIRMED,
        FAILED,
        CLOSED
    }

    private DataSourceStatus after(DataSourceStatus status, News news) {
        return switch (news) {
            case FULL -> machine.full(status, NOW);
            case PARTIAL -> machine.partial(status, NOW);
            case CONFIRMED -> machine.confirmed(status, NOW);
            case FAILED -> machine.interrupted(status, NEW_ERROR, RETRY, NOW);
            case CLOSED -> machine.closed(status, NOW);
        };
    }

    private static DataSourceStatus in(State state) {
        return switch (state) {
            case INITIALIZING -> new DataSourceStatus(INITIALIZING, THEN, OLD_ERROR, null, NEXT_ATTEMPT, null);
            case VALID -> new DataSourceStatus(VALID, THEN, OLD_ERROR, THEN, null, STALE_AT);
            case INTERRUPTED -> new DataSourceStatus(INTERRUPTED, THEN, OLD_ERROR, THEN, NEXT_ATTEMPT, STALE_AT);
            case OFF -> new DataSourceStatus(OFF, THEN, OLD_ERROR, THEN, null, STALE_AT);
        };
    }

    /** Each of the columns after the state is what became of that component: kept, or set anew from the news. */
    @ParameterizedTest(name = "{0} and {1}")
    @CsvSource({
        // state,       news,      state,        since, error, confirmed, next attempt, stale at
        "INITIALIZING,  FULL,      VALID,        now,   kept,  now,       none,         anew",
        "INITIALIZING,  PARTIAL,   INITIALIZING, kept,  kept,  kept,      kept,         kept", // DATA-03
        "INITIALIZING,  CONFIRMED, INITIALIZING, kept,  kept,  kept,      kept,         kept",
        "INITIALIZING,  FAILED,    INITIALIZING, kept,  anew,  kept,      anew,         kept", // R15
        "INITIALIZING,  CLOSED,    OFF,          now,   kept,  kept,      none,         kept",
        "VALID,         FULL,      VALID,        kept,  kept,  now,       none,         anew",
        "VALID,         PARTIAL,   VALID,        kept,  kept,  now,       none,         anew",
        "VALID,         CONFIRMED, VALID,        kept,  kept,  now,       none,         anew",
        "VALID,         FAILED,    INTERRUPTED,  now,   anew,  kept,      anew,         kept",
        "VALID,         CLOSED,    OFF,          now,   kept,  kept,      none,         kept",
        "INTERRUPTED,   FULL,      VALID,        now,   kept,  now,       none,         anew",
        "INTERRUPTED,   PARTIAL,   VALID,        now,   kept,  now,       none,         anew",
        "INTERRUPTED,   CONFIRMED, VALID,        now,   kept,  now,       none,         anew",
        "INTERRUPTED,   FAILED,    INTERRUPTED,  kept,  anew,  kept,      anew,         kept",
        "INTERRUPTED,   CLOSED,    OFF,          now,   kept,  kept,      none,         kept",
        "OFF,           FULL,      OFF,          kept,  kept,  kept,      kept,         kept",
        "OFF,           PARTIAL,   OFF,          kept,  kept,  kept,      kept,         kept",
        "OFF,           CONFIRMED, OFF,          kept,  kept,  kept,      kept,         kept",
        "OFF,           FAILED,    OFF,          kept,  kept,  kept,      kept,         kept",
        "OFF,           CLOSED,    OFF,          kept,  kept,  kept,      kept,         kept",
    })
    void table(
            State state,
            News news,
            State next,
            String since,
            String error,
            String confirmed,
            String attempt,
            String stale) {
        DataSourceStatus before = in(state);
        DataSourceStatus expected = new DataSourceStatus(
                next,
                since.equals("now") ? NOW : before.since(),
                error.equals("anew") ? NEW_ERROR : before.lastError(),
                confirmed.equals("now") ? NOW : before.lastConfirmed(),
                switch (attempt) {
                    case "none" -> null;
                    case "anew" -> NOW.plus(RETRY);
                    default -> before.nextAttempt();
                },
                stale.equals("anew") ? NOW.plus(STALE_AFTER) : before.staleAt());

        assertEquals(expected, after(before, news));
    }

    @Test
    void itBeginsInitializingWithNothingKnown() {
        assertEquals(new DataSourceStatus(INITIALIZING, NOW, null, null, null, null), machine.initial(NOW));
    }

    @ParameterizedTest
    @EnumSource(names = {"FULL", "PARTIAL", "CONFIRMED", "FAILED"})
    void offAbsorbs(News news) {
        DataSourceStatus off = in(OFF);
        assertSame(off, after(off, news));
    }

    @Test
    void withoutALimitNothingGetsStale() {
        DataSourceStatus status = new StatusMachine(null).full(machine.initial(THEN), THEN);
        assertNull(status.staleAt());
        assertFalse(status.isStale(Instant.MAX));
    }

    @Test
    void staleFromTheLimitOn() {
        DataSourceStatus status = machine.full(machine.initial(THEN), THEN);
        assertFalse(status.isStale(THEN.plusSeconds(1000).minusNanos(1)));
        assertTrue(status.isStale(THEN.plusSeconds(1000)));
        assertTrue(status.isStale(THEN.plusSeconds(1001)));

        DataSourceStatus confirmed = machine.confirmed(status, THEN.plusSeconds(600));
        assertFalse(confirmed.isStale(THEN.plusSeconds(1599)));
        assertTrue(confirmed.isStale(THEN.plusSeconds(1600)));
    }

    @Test
    void staleWhileInterruptedAndOff() {
        DataSourceStatus valid = machine.full(machine.initial(THEN), THEN);
        DataSourceStatus interrupted = machine.interrupted(valid, NEW_ERROR, RETRY, NOW);
        assertFalse(interrupted.isStale(NOW));
        assertTrue(interrupted.isStale(THEN.plusSeconds(1000)));
        assertTrue(machine.closed(interrupted, NOW).isStale(THEN.plusSeconds(1000)));
        assertFalse(machine.initial(THEN).isStale(Instant.MAX));
    }

    @Test
    void whatIsStaleIsSoNowEvenIfTheClockWasSetBack() {
        DataSourceStatus valid = machine.full(machine.initial(THEN), THEN);
        assertSame(valid, machine.stale(valid, THEN.plusSeconds(1000)));
        assertSame(valid, machine.stale(valid, THEN.plusSeconds(1001)));

        Instant setBack = THEN.minusSeconds(1);
        DataSourceStatus failed = machine.interrupted(valid, NEW_ERROR, RETRY, NOW);
        DataSourceStatus stale = machine.stale(failed, setBack);
        assertTrue(stale.isStale(setBack));
        assertEquals(
                new DataSourceStatus(INTERRUPTED, NOW, NEW_ERROR, THEN, failed.nextAttempt(), setBack, null), stale);
    }

    @Test
    void timesBeyondWhatCanBeSaidAreTheLastMoment() {
        Duration absurd = Duration.ofSeconds(Long.MAX_VALUE);
        DataSourceStatus valid = new StatusMachine(absurd).full(machine.initial(THEN), NOW);
        assertEquals(Instant.MAX, valid.staleAt());
        assertEquals(
                Instant.MAX, machine.interrupted(valid, NEW_ERROR, absurd, NOW).nextAttempt());
        assertEquals(
                Instant.MAX,
                machine.interrupted(valid, NEW_ERROR, RETRY, Instant.MAX).nextAttempt());
    }

    @Test
    void aStatusNeedsAStateAndATime() {
        assertThrows(NullPointerException.class, () -> new DataSourceStatus(null, NOW, null, null, null));
        assertThrows(NullPointerException.class, () -> new DataSourceStatus(VALID, null, null, null, null));
        assertNull(new DataSourceStatus(VALID, NOW, null, NOW, null).staleAt());
    }
}
