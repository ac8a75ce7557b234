package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
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

    @Test
    void everyUnexpectedFailureIsAnErrorAndTheExtendedLadderIsSaidOncePerEntry() {
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
                        "ERROR Streaming failed with HTTP status 403; check the SDK key and the address. Next attempt in PT20M",
                        "INFO Streaming works again after PT35M and 3 failures",
                        "WARN Streaming failed: HTTP status 503. Next attempt in PT1S",
                        "ERROR Streaming failed with HTTP status 404; check the SDK key and the address. Next attempt in PT5M",
                        "INFO Streaming waits minutes between attempts until it has been healthy again"),
                log.lines(Level.DEBUG));
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
