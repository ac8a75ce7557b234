package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The lines of an outage, from the loop to the log, in virtual time (R30, R43). */
final class OutageLogTest {
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final HandTransport transport = new HandTransport();
    private final RecordedLog log = new RecordedLog();

    @AfterEach
    void close() {
        log.close();
    }

    private void start() {
        Mode.STREAMING.loop(transport, Duration.ofSeconds(1), RetryPolicy.DEFAULT, 0, new RecordingSink(), scheduler);
        scheduler.runDue();
    }

    private void fail(int status, OptionalLong retryAfter) {
        last().failed(Failure.httpStatus(status, retryAfter));
        scheduler.runDue();
        scheduler.advance(scheduler.pending().get(0));
    }

    private void fail(int status) {
        fail(status, OptionalLong.empty());
    }

    private void succeedFor(Duration time) {
        last().event("put", Mode.STREAMING.data(""), null);
        scheduler.runDue();
        scheduler.advance(time);
    }

    private Receiver last() {
        return transport.attempts.get(transport.attempts.size() - 1).receiver;
    }

    @Test
    void healthyIsQuiet() {
        start();
        succeedFor(Duration.ofHours(1));
        last().heartbeat();
        succeedFor(Duration.ofHours(1));
        assertEquals(List.of(), log.lines(Level.DEBUG));
    }

    @Test
    void outageIsOneLineAtItsBeginningAndOneAtItsEnd() {
        start();
        succeedFor(Duration.ofMinutes(1));
        fail(503);
        fail(500);
        fail(429);
        succeedFor(Duration.ZERO);
        assertEquals(
                List.of(
                        "WARN Streaming failed: HTTP status 503. Next attempt in PT1S",
                        "DEBUG Streaming failed again: HTTP status 500. Next attempt in PT2S",
                        "DEBUG Streaming failed again: HTTP status 429. Next attempt in PT4S",
                        "INFO Streaming works again after PT7S and 3 failures"),
                log.lines(Level.DEBUG));
    }

    /** What a person has to check is said once; that nobody has yet is said once more, after a minute. */
    @Test
    void unexpectedFailureSaysOncePerOutageWhatToCheck() {
        start();
        fail(401);
        fail(503);
        fail(403);
        succeedFor(Duration.ofMinutes(1)); // healthy: what comes next starts afresh
        fail(503);
        fail(404);
        assertEquals(
                List.of(
                        "ERROR Streaming failed with HTTP status 401; check the SDK key and the address. Next attempt in PT5M",
                        "INFO Streaming waits minutes between attempts until it has been healthy again",
                        "DEBUG Streaming failed again: HTTP status 503. Next attempt in PT10M",
                        "ERROR Streaming has had no success for PT5M; failures by kind: HTTP_STATUS 2",
                        "DEBUG Streaming failed again: HTTP status 403. Next attempt in PT20M",
                        "INFO Streaming works again after PT35M and 3 failures",
                        "WARN Streaming failed: HTTP status 503. Next attempt in PT1S",
                        "ERROR Streaming failed with HTTP status 404; check the SDK key and the address. Next attempt in PT5M",
                        "INFO Streaming waits minutes between attempts until it has been healthy again"),
                log.lines(Level.DEBUG));
    }

    /** A minute is not longer than a minute. */
    @Test
    void outageIsLongWhenItHasLastedMoreThanAMinute() {
        start();
        succeedFor(Duration.ofMinutes(2));
        last().failed(Failure.network("reset"));
        scheduler.runDue();
        scheduler.advance(Duration.ofMinutes(1));
        last().failed(Failure.invalidData("put: not JSON"));
        scheduler.runDue();
        assertEquals(List.of(), errors());
        scheduler.advance(Duration.ofSeconds(2)); // the next attempt begins, and ends
        last().failed(Failure.network("reset"));
        scheduler.runDue();
        List<String> once =
                List.of("ERROR Streaming has had no success for PT1M2S; failures by kind: NETWORK 2, INVALID_DATA 1");
        assertEquals(once, errors());
        fail(503);
        assertEquals(once, errors());
    }

    private List<String> errors() {
        return log.lines(Level.ERROR);
    }

    /** Ten minutes of all sorts of trouble: every line of them, nothing else, and no stack trace. */
    @Test
    void tenMinutesOfOutage() {
        DataSystem system = DataSystem.builder((sink, time) ->
                        Mode.STREAMING.loop(transport, Duration.ofSeconds(1), RetryPolicy.DEFAULT, 0, sink, time))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        system.start();
        scheduler.runDue();
        scheduler.advance(Duration.ofMillis(1500)); // the service takes its time
        last().event("put", Mode.STREAMING.data("\"a\":{\"version\":1}"), null);
        scheduler.runDue();
        succeedFor(Duration.ofHours(3));
        last().failed(Failure.network("the service ended the stream"));
        scheduler.runDue();
        scheduler.advance(Duration.ofSeconds(1));
        int failures = 1;
        for (Duration outage = Duration.ofSeconds(1); outage.toMinutes() < 10; failures++) {
            last().failed(
                            failures % 3 == 0
                                    ? Failure.network("refused")
                                    : Failure.httpStatus(503, OptionalLong.empty()));
            scheduler.runDue();
            outage = outage.plus(scheduler.advanceToNext());
        }
        succeedFor(Duration.ofHours(1));
        system.close();
        assertEquals(
                List.of(
                        "INFO Ready after 1500 ms: 1 flags, 0 segments",
                        "WARN Streaming failed: the service ended the stream. Next attempt in PT1S",
                        "ERROR Streaming has had no success for PT1M1S; failures by kind: NETWORK 3, HTTP_STATUS 4",
                        "INFO Streaming works again after PT10M1S and 24 failures"),
                log.lines(Level.INFO));
        assertEquals(23, log.lines(Level.DEBUG).size() - 4, "a line at DEBUG for each retry");
        assertEquals(0, log.stackTraces(Level.INFO));
    }

    /** Left and entered in one and the same failure: the reset comes before the classification. */
    @Test
    void extendedLadderThatIsEnteredAnewIsSaidAgain() {
        start();
        fail(401);
        succeedFor(Duration.ofMinutes(2));
        fail(401);
        assertEquals(
                2,
                log.lines(Level.INFO).stream()
                        .filter(line -> line.contains("waits minutes"))
                        .count());
    }

    /** It is honoured in full by a ladder that is longer anyway. */
    @Test
    void capThatDoesNotBiteIsNotSaid() {
        start();
        fail(401, OptionalLong.of(200));
        assertEquals(
                List.of(),
                log.lines(Level.INFO).stream()
                        .filter(line -> line.contains("cap"))
                        .toList());
    }

    @Test
    void capThatBitesIsSaidOncePerOutageWithBothNumbers() {
        start();
        fail(503, OptionalLong.of(600));
        fail(503, OptionalLong.of(7200));
        succeedFor(Duration.ZERO);
        fail(503, OptionalLong.of(60)); // as long as the cap: honoured in full
        fail(503, OptionalLong.of(61));
        assertEquals(
                List.of(
                        "WARN Streaming was asked to wait PT10M, which is over the cap, and waits PT1M",
                        "WARN Streaming was asked to wait PT1M1S, which is over the cap, and waits PT1M"),
                log.lines(Level.WARN).stream()
                        .filter(line -> line.contains("cap"))
                        .toList());
    }
}
