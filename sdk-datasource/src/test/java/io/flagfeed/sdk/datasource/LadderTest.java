package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The ladders as the other end sees them: every row of the wait vectors played to the loop, with the times at which its
 * attempts begin; and what cannot be said in those rows.
 */
final class LadderTest {
    private static final Duration TOLERANCE = Duration.ofNanos(1000); // of the infimum, which chance never reaches

    private static final AtomicInteger PLAYED = new AtomicInteger();
    private static int wanted;

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final HandTransport transport = new HandTransport();
    private final RecordingSink sink = new RecordingSink();

    @TestFactory
    Stream<DynamicTest> everyRowOfTheVectors() throws IOException {
        JsonArray rows = JsonParser.parseString(Files.readString(
                        Path.of("..", "sdk-core", "src", "test", "resources", "vectors", "waits.json")))
                .getAsJsonArray();
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonElement element : rows) {
            JsonObject row = element.getAsJsonObject();
            String name = row.get("name").getAsString();
            tests.add(dynamicTest(name + ", no jitter", () -> play(row, 0, "waitsNoJitter")));
            tests.add(
                    dynamicTest(name + ", most jitter", () -> play(row, Math.nextDown(1.0), "waitsFullJitterInfimum")));
        }
        wanted = 2 * rows.size();
        return tests.stream();
    }

    @AfterAll
    static void everyRowWasRun() {
        assertEquals(wanted, PLAYED.get(), "rows that were played, without and with jitter");
    }

    /** A wait is the time from the news to the beginning of the next attempt. */
    private static void play(JsonObject row, double chance, String expected) {
        Mode mode = row.get("mode").getAsString().equals("streaming") ? Mode.STREAMING : Mode.POLLING;
        VirtualScheduler scheduler = new VirtualScheduler();
        HandTransport transport = new HandTransport();
        RetryPolicy policy = RetryPolicy.builder()
                .retryAfterCap(
                        Duration.ofSeconds(row.get("retryAfterCapSeconds").getAsLong()))
                .build();
        Cancellable run =
                mode.loop(transport, seconds(row.get("baseSeconds")), policy, chance, new RecordingSink(), scheduler);
        scheduler.runDue();
        List<Duration> waits = new ArrayList<>();
        for (JsonElement element : row.getAsJsonArray("events")) {
            JsonObject event = element.getAsJsonObject();
            JsonElement at = event.get("at");
            if (at != null) { // an attempt's news may be long in coming
                scheduler.advance(seconds(at).minusNanos(scheduler.nanoTime()));
            }
            int attempts = transport.attempts.size();
            Receiver receiver = transport.attempts.get(attempts - 1).receiver;
            boolean failure = event.get("do").getAsString().equals("failure");
            if (failure) {
                receiver.failed(failure(event));
            } else {
                receiver.event(mode.event(), mode.data(""), null);
                if (mode == Mode.POLLING) {
                    receiver.ended();
                }
            }
            scheduler.runDue();
            if (failure || mode == Mode.POLLING) {
                waits.add(untilNextAttempt(scheduler, transport));
            }
        }
        run.cancel();
        PLAYED.incrementAndGet();
        List<Duration> wanted = new ArrayList<>();
        row.getAsJsonArray(expected).forEach(seconds -> wanted.add(seconds(seconds)));
        assertEquals(wanted.size(), waits.size(), waits::toString);
        for (int i = 0; i < waits.size(); i++) {
            Duration excess = waits.get(i).minus(wanted.get(i));
            boolean close = !excess.isNegative() && excess.compareTo(chance == 0 ? Duration.ZERO : TOLERANCE) <= 0;
            assertTrue(close, "wait " + i + " of " + waits + ", expected " + wanted);
        }
    }

    private static Duration untilNextAttempt(VirtualScheduler scheduler, HandTransport transport) {
        int attempts = transport.attempts.size();
        long before = scheduler.nanoTime();
        while (transport.attempts.size() == attempts) {
            scheduler.advance(scheduler.pending().get(0));
        }
        return Duration.ofNanos(scheduler.nanoTime() - before);
    }

    private static Failure failure(JsonObject event) {
        JsonElement seconds = event.get("retryAfter");
        int status = event.get("class").getAsString().equals("NORMAL") ? 503 : 401;
        return Failure.httpStatus(
                status, seconds == null ? OptionalLong.empty() : OptionalLong.of(seconds.getAsLong()));
    }

    private static Duration seconds(JsonElement json) {
        BigDecimal nanos = json.getAsBigDecimal().movePointRight(9);
        return Duration.ofNanos(nanos.longValueExact());
    }

    private Receiver start(Mode mode, Scheduler time) {
        mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, time);
        scheduler.runDue();
        return transport.attempt(1).receiver;
    }

    private Receiver failAndExpect(Receiver receiver, long seconds) {
        receiver.failed(Failure.network("reset"));
        scheduler.runDue();
        assertEquals(Duration.ofSeconds(seconds), untilNextAttempt(scheduler, transport));
        return transport.attempts.get(transport.attempts.size() - 1).receiver;
    }

    @Test
    void commentsAloneAreNoHealth() {
        Receiver receiver = start(Mode.STREAMING, scheduler);
        for (long wait : new long[] {1, 2}) {
            for (int second = 0; second < 600; second++) {
                receiver.heartbeat();
                scheduler.advance(Duration.ofSeconds(1));
            }
            receiver = failAndExpect(receiver, wait);
        }
    }

    @Test
    void pollThatTakesLongIsFollowedAnIntervalAfterItsEnd() { // R37
        Receiver receiver = start(Mode.POLLING, scheduler);
        scheduler.advance(Duration.ofSeconds(20));
        failAndExpect(receiver, 30);
    }

    /** Healthy for ten seconds, but the scheduler's thread was busy for two minutes when that was to be noted (R13). */
    @Test
    void healthIsMeasuredToTheDetectionOfTheFailure() {
        Duration[] delay = {Duration.ZERO};
        Scheduler busy = new Scheduler() {
            @Override
            public void execute(Runnable task) {
                scheduler.schedule(delay[0], task);
            }

            @Override
            public Cancellable schedule(Duration delay, Runnable task) {
                return scheduler.schedule(delay, task);
            }

            @Override
            public long nanoTime() {
                return scheduler.nanoTime();
            }

            @Override
            public Instant now() {
                return scheduler.now();
            }
        };
        Receiver receiver = start(Mode.STREAMING, busy);
        receiver = failAndExpect(receiver, 1);
        receiver = failAndExpect(receiver, 2);
        receiver.event("put", Mode.STREAMING.data(""), null);
        scheduler.advance(Duration.ofSeconds(10));
        delay[0] = Duration.ofMinutes(2);
        receiver.failed(Failure.network("reset"));
        scheduler.advance(Duration.ofMinutes(2));
        assertEquals(Duration.ofSeconds(4), untilNextAttempt(scheduler, transport));
    }

    /** An NTP step or a suspended machine moves the wall clock; neither waits nor health hear of it (R35). */
    @Test
    void wallClockThatJumpsHasNoEffect() {
        Receiver receiver = start(Mode.STREAMING, scheduler);
        for (long hours : new long[] {1, -1}) {
            receiver = failAndExpect(receiver, 1);
            scheduler.stepWallClock(Duration.ofHours(hours));
            receiver = failAndExpect(receiver, 2);
            receiver.event("put", Mode.STREAMING.data(""), null);
            scheduler.stepWallClock(Duration.ofHours(-hours));
            scheduler.advance(Duration.ofSeconds(59));
            receiver = failAndExpect(receiver, 4);
            receiver.event("put", Mode.STREAMING.data(""), null);
            scheduler.advance(Duration.ofSeconds(60));
        }
    }

    @Test
    void aThousandClientsDoNotReturnTogether() { // bug 18: a fleet in step
        long distinct = Stream.generate(VirtualScheduler::new)
                .limit(1000)
                .map(time -> {
                    HandTransport hand = new HandTransport();
                    java.util.SplittableRandom random = new java.util.SplittableRandom();
                    new SourceLoop(
                                    "Streaming",
                                    hand,
                                    Fdv1Decoder::ofStream,
                                    io.flagfeed.sdk.retry.RetryState.forStreaming(
                                            RetryPolicy.DEFAULT, Duration.ofSeconds(1), random::nextDouble),
                                    Mode.NO_SPREAD,
                                    new RecordingSink(),
                                    time)
                            .start(Credential.of("sdk-key"));
                    time.runDue();
                    hand.attempt(1).receiver.failed(Failure.network("reset"));
                    time.runDue();
                    return time.pending().get(0).toMillis();
                })
                .distinct()
                .count();
        assertTrue(distinct > 200, "different waits in milliseconds: " + distinct);
    }
}
