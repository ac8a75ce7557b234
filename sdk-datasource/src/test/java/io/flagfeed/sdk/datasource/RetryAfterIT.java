package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.testing.Answer;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every odd {@code Retry-After} with the statuses that OkHttp would send again by itself, and one that it would not:
 * one request for each attempt, counted at the server's socket, and the right wait (R17 to R32, R36).
 */
final class RetryAfterIT {
    private static final Duration CAP = Duration.ofSeconds(60);

    /** What is sent, what it means in seconds, and how long that makes the wait beside a backoff of nothing. */
    private record Sent(String name, Consumer<Answer> headers, OptionalLong seconds, Duration floor) {}

    private static Sent sent(String value, long seconds, long floor) {
        return new Sent(value, answer -> answer.retryAfter(value), OptionalLong.of(seconds), Duration.ofSeconds(floor));
    }

    private static Sent garbage(String value) {
        return new Sent(value, answer -> answer.retryAfter(value), OptionalLong.empty(), Duration.ZERO);
    }

    private static final List<Sent> ALL = List.of(
            new Sent("nothing", answer -> {}, OptionalLong.empty(), Duration.ZERO),
            sent("0", 0, 0),
            sent("00", 0, 0),
            sent("5", 5, 5),
            sent("45", 45, 45),
            sent("600", 600, 60),
            sent("99999999999", 2_147_483_647L, 60),
            sent("{{httpdate+7s}}", 8, 8), // resolved to the second after, so that it is never less (S2's token)
            sent("{{httpdate850+7s}}", 8, 8),
            sent("{{httpdateasctime+7s}}", 8, 8),
            sent("Sun, 06 Nov 1994 08:49:37 GMT", 0, 0),
            sent("Fri, 31 Dec 9999 23:59:59 GMT", 2_147_483_647L, 60),
            garbage("soon"),
            garbage("-5"),
            garbage("1.5"),
            garbage("0,120"),
            garbage(""),
            new Sent(
                    "two lines",
                    answer -> answer.header("Retry-After", "7").header("Retry-After", "9"),
                    OptionalLong.of(9),
                    Duration.ofSeconds(9)),
            new Sent(
                    "two lines, one of them good",
                    answer -> answer.header("Retry-After", "x").header("Retry-After", "6"),
                    OptionalLong.of(6),
                    Duration.ofSeconds(6)));

    static Stream<Arguments> answers() {
        List<Arguments> answers = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            for (int status : new int[] {408, 429, 503}) {
                for (Sent sent : ALL) {
                    answers.add(argumentSet(mode + " " + status + " " + sent.name, mode, status, sent));
                }
            }
        }
        return answers.stream();
    }

    /** It is only said at DEBUG, and not even that has to work (R28). */
    @ParameterizedTest
    @EnumSource
    void whatTheLogDoesWithAMalformedOneChangesNothing(Mode mode) {
        try (FakeFlagServer server = FakeFlagServer.start();
                DataSystem system = DataSystem.builder(mode.source(server)).build();
                RecordedLog log = RecordedLog.thatThrows()) {
            mode.script(server).respond(401).retryAfter("soon").forever();
            system.start();
            Sockets.await().until(() -> system.status().lastError() != null);
            assertTrue(log.texts(Level.DEBUG).contains("Malformed Retry-After: {}"));
            DataSourceStatus status = system.status();
            assertEquals(401, status.lastError().httpStatus());
            Duration wait = Duration.between(status.lastError().time(), status.nextAttempt());
            assertTrue(wait.compareTo(Duration.ofSeconds(150)) >= 0, wait::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("answers")
    void oneRequestForEachAttemptAndTheRightWait(Mode mode, int status, Sent sent) throws Exception {
        VirtualScheduler scheduler = new VirtualScheduler(Instant.parse("2026-01-02T07:00:00Z"));
        try (FakeFlagServer server =
                        FakeFlagServer.builder().clock(scheduler::now).start();
                DataSystem system = DataSystem.builder(mode.source(server))
                        .scheduler(scheduler)
                        .listenerExecutor(Runnable::run)
                        .build()) {
            server.set(TestFlags.flag("a").build());
            mode.script(server)
                    .atOnce(script -> sent.headers.accept(script.respond(status).times(2)));
            system.start();
            // R31: the floor under the backoff, which is 1 s and then 2 s for a stream and the interval for polling
            for (int attempt : IntStream.rangeClosed(1, 2).toArray()) {
                Sockets.runUntilWaiting(scheduler);
                Duration backoff = mode == Mode.STREAMING ? mode.base.multipliedBy(attempt) : mode.base;
                Duration floor = sent.floor.compareTo(CAP) > 0 ? CAP : sent.floor;
                Duration wait = floor.compareTo(backoff) > 0 ? floor : backoff;
                assertEquals(List.of(wait), scheduler.pending());
                assertEquals(attempt, server.requests().size(), server::toString);
                assertEquals(status, system.status().lastError().httpStatus());
                assertEquals(sent.seconds, system.status().lastError().retryAfterSeconds()); // as sent, uncapped (R29)
                scheduler.advance(wait);
            }
            Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
            assertEquals(3, server.requests().size(), server::toString);
        }
    }

    /** Asked to wait for two hours, which the policy allows: closing ends the wait, and nothing is left of it. */
    @ParameterizedTest
    @EnumSource
    void closingEndsTheWaitAtOnce(Mode mode) throws Exception { // RETRY-04
        Duration twoHours = Duration.ofHours(2);
        RetryPolicy policy = RetryPolicy.builder().retryAfterCap(twoHours).build();
        VirtualScheduler scheduler = new VirtualScheduler();
        try (FakeFlagServer server = FakeFlagServer.start()) {
            mode.script(server).respond(429).retryAfter("7200").forever();
            DataSource source = mode == Mode.STREAMING
                    ? StreamingDataSource.builder(server.uri(), "sdk-key")
                            .retryPolicy(policy)
                            .build()
                    : PollingDataSource.builder(server.uri(), "sdk-key")
                            .retryPolicy(policy)
                            .build();
            DataSystem system = DataSystem.builder(source)
                    .scheduler(scheduler)
                    .listenerExecutor(Runnable::run)
                    .build();
            List<State> states = new ArrayList<>();
            system.onStatus(status -> states.add(status.state()));
            CompletionStage<DataSourceStatus> stage = system.start();
            Sockets.runUntilWaiting(scheduler);
            assertEquals(List.of(twoHours), scheduler.pending());
            scheduler.advance(twoHours.dividedBy(2));
            assertEquals(List.of(twoHours.dividedBy(2)), scheduler.pending());
            FutureTask<Boolean> wait = new FutureTask<>(() -> system.awaitReady(twoHours));
            Thread waiter = new Thread(wait);
            waiter.start();
            Sockets.await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);

            system.close();
            assertEquals(List.of(), scheduler.pending());
            assertEquals(State.OFF, system.status().state());
            assertEquals(State.OFF, stage.toCompletableFuture().join().state());
            assertFalse(wait.get(10, TimeUnit.SECONDS));
            scheduler.advance(Duration.ofDays(1));
            assertEquals(1, server.requests().size());
            assertEquals(List.of(State.INITIALIZING, State.OFF), states);
            Sockets.awaitNoThreads();
            Sockets.await().until(() -> server.openConnections() == 0);
        }
    }

    /** The same with the computer's own time: the scheduler's thread does not see the wait out either. */
    @ParameterizedTest
    @EnumSource
    void closingEndsTheWaitAndItsThread(Mode mode) throws Exception { // RETRY-04
        try (FakeFlagServer server = FakeFlagServer.start()) {
            mode.script(server).respond(503).retryAfter("7200").forever();
            DataSystem system = DataSystem.builder(mode.source(server)).build();
            CompletionStage<DataSourceStatus> stage = system.start();
            Sockets.await().until(() -> system.status().nextAttempt() != null);
            assertEquals(OptionalLong.of(7200), system.status().lastError().retryAfterSeconds());
            assertTimeoutPreemptively(Duration.ofSeconds(10), system::close);
            assertEquals(
                    State.OFF,
                    stage.toCompletableFuture().get(10, TimeUnit.SECONDS).state());
            Sockets.awaitNoThreads();
            assertEquals(1, server.requests().size());
        }
    }
}
