package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.retry.RetryState;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The extra wait against herds: when there is one, and how long it is. */
final class SpreadTest {
    private static final Duration LONGEST = Duration.ofSeconds(100);

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final HandTransport transport = new HandTransport();
    private final RecordingSink sink = new RecordingSink();
    private final Credential credential = Credential.of("key-1");

    private Cancellable start(Mode mode, Spread spread) {
        RetryState retry = mode == Mode.STREAMING
                ? RetryState.forStreaming(RetryPolicy.DEFAULT, mode.base, () -> 0)
                : RetryState.forPolling(RetryPolicy.DEFAULT, mode.base, () -> 0);
        SourceLoop loop = new SourceLoop(
                "Test",
                transport,
                mode == Mode.STREAMING ? Fdv1Decoder::ofStream : Fdv1Decoder::ofPoll,
                retry,
                spread,
                sink,
                scheduler);
        Cancellable run = loop.start(credential);
        scheduler.runDue();
        return run;
    }

    private static Spread spread(double chance) {
        return new Spread(LONGEST, () -> chance);
    }

    private void assertNextAttempt(Duration wait, int number) {
        assertEquals(List.of(wait), scheduler.pending());
        scheduler.advance(wait.minusNanos(1));
        assertEquals(number - 1, transport.attempts.size());
        scheduler.advance(Duration.ofNanos(1));
        assertEquals(number, transport.attempts.size());
    }

    @ParameterizedTest
    @CsvSource({"STREAMING, 0.25, 25", "POLLING, 0.25, 25", "STREAMING, 0.5, 50", "POLLING, 0.999, 99.9"})
    void firstAttemptWaits(Mode mode, double chance, double seconds) {
        start(mode, spread(chance));
        assertNextAttempt(Duration.ofMillis(Math.round(seconds * 1000)), 1);
    }

    @Test
    void withoutSpreadNothingWaitsAndChanceIsNotAsked() {
        start(Mode.STREAMING, new Spread(Duration.ZERO, () -> fail("asked")));
        transport.attempt(1);
        assertEquals(List.of(), scheduler.pending());
    }

    /** All clients of a service that restarts lose their connections at once. */
    @Test
    void connectionThatHadItsDataIsFollowedByALongerWait() {
        start(Mode.STREAMING, spread(0.5));
        scheduler.advance(Duration.ofSeconds(50));
        Receiver first = transport.attempt(1).receiver;
        first.event("put", Mode.STREAMING.data(""), null);
        first.failed(Failure.network("the service ended the stream"));
        scheduler.runDue();
        sink.takeApplied();
        assertEquals(Duration.ofSeconds(51), sink.takeInterrupted().nextAttemptIn());
        assertNextAttempt(Duration.ofSeconds(51), 2);
        transport.attempt(2).receiver.failed(Failure.network("refused")); // the ladder does for these
        scheduler.runDue();
        assertNextAttempt(Duration.ofSeconds(2), 3);
    }

    @ParameterizedTest
    @CsvSource({"STREAMING", "POLLING"})
    void attemptThatBringsNothingIsFollowedByTheUsualWait(Mode mode) {
        start(mode, spread(0.5));
        scheduler.advance(Duration.ofSeconds(50));
        transport.attempt(1).receiver.failed(Failure.network("refused"));
        scheduler.runDue();
        assertNextAttempt(mode.base, 2);
    }

    @Test
    void goodPollsKeepTheInterval() {
        start(Mode.POLLING, spread(0.5));
        scheduler.advance(Duration.ofSeconds(50));
        Receiver first = transport.attempt(1).receiver;
        first.event("poll", Mode.POLLING.data(""), null);
        first.ended();
        scheduler.runDue();
        assertNextAttempt(Duration.ofSeconds(30), 2);
    }

    @ParameterizedTest
    @CsvSource({"STREAMING", "POLLING"})
    void swappedKeyWaitsToo(Mode mode) {
        start(mode, spread(0.5));
        scheduler.advance(Duration.ofSeconds(50));
        HandTransport.Attempt first = transport.attempt(1);
        credential.swap("key-2");
        scheduler.runDue();
        assertEquals(1, first.cancelled);
        assertNextAttempt(Duration.ofSeconds(50), 2);
    }

    @Test
    void cancellingDuringTheFirstWaitLeavesNothing() {
        start(Mode.STREAMING, spread(0.5)).cancel();
        assertEquals(List.of(), scheduler.pending());
    }

    @Test
    void chanceThatBreaksItsPromiseBreaksNothing() {
        List<DoubleSupplier> broken = List.of(
                () -> -1,
                () -> 2,
                () -> Double.NaN,
                () -> Double.POSITIVE_INFINITY,
                () -> {
                    throw new IllegalStateException();
                },
                () -> {
                    throw new NoClassDefFoundError();
                });
        for (DoubleSupplier random : broken) {
            Duration wait = new Spread(LONGEST, random).next();
            assertTrue(!wait.isNegative() && wait.compareTo(LONGEST) <= 0, wait::toString);
        }
        Duration absurd = new Spread(Duration.ofSeconds(Long.MAX_VALUE), () -> 0.999).next();
        assertTrue(absurd.compareTo(Duration.ofDays(36_500)) > 0, absurd::toString);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"PT-1S", "PT-0.000000001S"})
    void senselessSpreadIsNoneWithAWarning(Duration senseless) {
        try (RecordedLog log = new RecordedLog()) {
            StreamingDataSource.builder(URI.create("http://localhost"), "key")
                    .spread(senseless)
                    .build();
            assertEquals(
                    List.of("WARN spread makes no sense as " + senseless + ": using the default PT0S"),
                    log.lines(Level.INFO));
        }
    }

    /** That what the builder is told arrives in the loop. */
    @Test
    void bothBuildersTakeIt() {
        URI nobody = URI.create("http://localhost:1");
        StreamingDataSource.builder(nobody, "key")
                .spread(LONGEST)
                .random(() -> 0.75)
                .build()
                .start(sink, scheduler);
        PollingDataSource.builder(nobody, "key")
                .spread(LONGEST)
                .random(() -> 0.25)
                .build()
                .start(sink, scheduler);
        scheduler.runDue();
        assertEquals(List.of(Duration.ofSeconds(25), Duration.ofSeconds(75)), scheduler.pending());
    }
}
