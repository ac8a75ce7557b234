package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.Answer;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Script;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Outages from the first failure to the recovery, on real sockets and in virtual time: who waits, what is served
 * meanwhile, how the waits grow, and what the log says of it.
 */
@Timeout(120)
final class OutageIT {
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final Duration NEARLY = Duration.ofNanos(1);

    private static final int FAILURES = 1000; // in each long outage

    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final List<ErrorInfo> failures = new ArrayList<>(); // listeners run on the thread that moves time
    private int taken;
    private long version = 1;

    @AfterEach
    void close() {
        server.close();
    }

    private DataSystem system(Mode mode) {
        DataSystem system = DataSystem.builder(mode.source(server))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        system.onStatus(status -> {
            if (status.nextAttempt() != null) {
                failures.add(status.lastError());
            }
        });
        return system;
    }

    /** The next failure; whatever is looked at meanwhile has to hold again and again. */
    private ErrorInfo awaitFailure(Runnable meanwhile) {
        Sockets.runUntil(scheduler, () -> {
            meanwhile.run();
            return failures.size() > taken;
        });
        return failures.get(taken++);
    }

    private ErrorInfo awaitFailure() {
        return awaitFailure(() -> {});
    }

    private void awaitValid(DataSystem system) {
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
    }

    /** What is good HTTP and no data. */
    private static Answer bad(Mode mode, Script script, String data) {
        return mode == Mode.STREAMING ? script.event("put", data) : script.body("application/json", data);
    }

    /** Whoever waits for the start is let go by good data, or by the end of his own patience, and by nothing else. */
    @ParameterizedTest
    @EnumSource
    void waitForTheStartEndsWithGoodDataOnly(Mode mode) throws Exception { // STATUS-03
        server.set(TestFlags.flag("a").build());
        mode.script(server).atOnce(script -> {
            script.reset();
            bad(mode, script, "{sorry");
            script.respond(503);
        });
        DataSystem system = system(mode);
        CompletionStage<DataSourceStatus> stage = system.start();
        FutureTask<Boolean> wait = new FutureTask<>(() -> system.awaitReady(LONGEST));
        Thread waiter = new Thread(wait);
        waiter.start();
        Sockets.await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        for (Failure.Kind kind : List.of(Failure.Kind.NETWORK, Failure.Kind.INVALID_DATA, Failure.Kind.HTTP_STATUS)) {
            assertEquals(kind, awaitFailure().kind());
            assertEquals(State.INITIALIZING, system.status().state());
            assertFalse(system.awaitReady(Duration.ZERO)); // which says what the waiter is about to hear
            assertFalse(system.awaitReady(Duration.ofMillis(1)));
            assertFalse(stage.toCompletableFuture().isDone());
            assertFalse(wait.isDone());
            scheduler.advanceToNext();
        }
        awaitValid(system);
        assertTrue(wait.get(LONGEST.toSeconds(), TimeUnit.SECONDS));
        assertTrue(system.awaitReady(Duration.ZERO));
        assertEquals(State.VALID, stage.toCompletableFuture().join().state());
        assertEquals(4, server.requests().size());
        assertEquals(3, failures.size());
        system.close();
    }

    /** Nobody is there for an hour, but for somebody who says 503, nonsense, and 401. */
    @ParameterizedTest
    @EnumSource
    void lastGoodDataAreServedThroughoutAnHourOfOutage(Mode mode) { // STORE-04
        Item flag = TestFlags.flag("a").build();
        Item segment = TestFlags.segment("s").build();
        server.setAll(List.of(flag, segment));
        DataSystem system = system(mode);
        system.start();
        awaitValid(system);
        Runnable served = () -> {
            assertEquals(flag, system.get(ItemKind.FLAG, "a").orElse(null));
            assertEquals(segment, system.get(ItemKind.SEGMENT, "s").orElse(null));
            assertEquals(Set.of("a"), system.snapshot().all(ItemKind.FLAG).keySet());
        };
        Set<Optional<Item>> seen = new HashSet<>(); // by whoever hears of a failure
        system.onStatus(status -> seen.add(system.get(ItemKind.FLAG, "a")));
        List<ChangeEvent> changes = new ArrayList<>();
        system.onChange(changes::add);
        if (mode == Mode.POLLING) {
            Sockets.runUntilWaiting(scheduler);
        }
        Instant began = scheduler.now();
        server.refuse();
        Map<Integer, Consumer<Script>> visits = Map.of(
                15, script -> script.respond(503),
                30, script -> bad(mode, script, "{sorry"),
                45, script -> script.respond(401));
        for (int minutes = 15; minutes <= 60; minutes += 15) {
            while (scheduler.now().isBefore(began.plus(Duration.ofMinutes(minutes)))) {
                assertEquals(Failure.Kind.NETWORK, nextFailure(system, served).kind());
            }
            if (visits.containsKey(minutes)) {
                server.accept();
                mode.script(server).atOnce(visits.get(minutes));
                ErrorInfo error = nextFailure(system, served);
                assertEquals(
                        minutes == 30 ? Failure.Kind.INVALID_DATA : Failure.Kind.HTTP_STATUS,
                        error.kind(),
                        error.message());
                server.refuse();
            }
        }
        assertTrue(failures.size() > 50, failures.size() + " failures");
        assertEquals(Set.of(Optional.of(flag)), seen);
        assertEquals(List.of(), changes);
        server.accept();
        server.set(TestFlags.flag("a").version(2).build());
        scheduler.advanceToNext();
        awaitValid(system);
        assertEquals(2, system.get(ItemKind.FLAG, "a").orElseThrow().version());
        assertEquals(1, changes.size());
        system.close();
    }

    private ErrorInfo nextFailure(DataSystem system, Runnable meanwhile) {
        if (!scheduler.pending().isEmpty()) {
            scheduler.advanceToNext();
        }
        ErrorInfo error = awaitFailure(meanwhile);
        assertEquals(State.INTERRUPTED, system.status().state());
        return error;
    }

    static Stream<Arguments> answersThatAreNoStream() {
        return Stream.of(
                answer("login page", Failure.Kind.INVALID_DATA, Script::html),
                answer("204", Failure.Kind.HTTP_STATUS, script -> script.respond(204)),
                answer("200 without content", Failure.Kind.INVALID_DATA, script -> script.respond(200)),
                answer("poll's document", Failure.Kind.INVALID_DATA, script -> script.body("application/json", "{}")));
    }

    private static Arguments answer(String name, Failure.Kind kind, Function<Script, Answer> answer) {
        return argumentSet(name, kind, answer);
    }

    /** 200 and 204 without a stream are no connection: each is a failure, asked again ever more slowly, for ever. */
    @ParameterizedTest
    @MethodSource("answersThatAreNoStream")
    void answerThatIsNoStreamClimbsTheLadder(Failure.Kind kind, Function<Script, Answer> answer)
            throws Exception { // SSE-07, SSE-09
        long[] ladder = {1, 2, 4, 8, 16, 30, 30, 30};
        String type = "Text/Event-Stream; charset=utf-8";
        server.stream().atOnce(script -> {
            answer.apply(script).times(ladder.length);
            script.serve().contentType(type).then().serve().contentType(type);
        });
        DataSystem system = system(Mode.STREAMING);
        system.start();
        for (int attempt = 1; attempt <= ladder.length; attempt++) {
            ErrorInfo error = awaitFailure();
            assertEquals(kind, error.kind(), error.message());
            assertEquals(error, system.status().lastError());
            assertEquals(State.INITIALIZING, system.status().state());
            assertFalse(system.awaitReady(Duration.ZERO));
            Duration wait = Duration.ofSeconds(ladder[attempt - 1]);
            assertEquals(List.of(wait), scheduler.pending());
            scheduler.advance(wait.minus(NEARLY));
            assertEquals(attempt, server.requests().size());
            scheduler.advance(NEARLY);
        }
        awaitValid(system);
        assertEquals(ladder.length + 1, server.requests().size());
        scheduler.advance(Duration.ofSeconds(60).minus(NEARLY));
        server.dropStreams();
        awaitFailure();
        assertEquals(List.of(Duration.ofSeconds(30)), scheduler.pending()); // not healthy for long enough
        scheduler.advanceToNext();
        awaitValid(system);
        scheduler.advance(Duration.ofSeconds(60));
        server.dropStreams();
        awaitFailure();
        assertEquals(List.of(Duration.ofSeconds(1)), scheduler.pending()); // afresh
        system.close();
    }

    /** Three long outages, a hundred good answers before each and after them, and a moment's fault: every line of it. */
    @ParameterizedTest
    @EnumSource
    void threeThousandFailuresAreAFewLines(Mode mode) { // SEC-03
        server.set(TestFlags.flag("a").build());
        try (RecordedLog log = new RecordedLog()) {
            DataSystem system = system(mode);
            system.start();
            awaitValid(system);
            String name = (mode == Mode.STREAMING ? "Streaming from " : "Polling of ") + server.uri();
            List<String> expected = new ArrayList<>();
            expected.add("INFO Ready after 0 ms: 1 flags, 0 segments");
            hundredGoodAnswers(mode, system);
            assertEquals(expected, log.lines(Level.DEBUG)); // what is well is not spoken of

            for (Outage outage : Outage.values()) {
                outage.begin(this, mode);
                for (int failure = 1; failure <= FAILURES; failure++) {
                    nextFailure(system, () -> {});
                }
                outage.end(this, mode);
                scheduler.advanceToNext();
                awaitValid(system);
                expected.addAll(outage.lines(mode, name, server.uri().getPort()));
                hundredGoodAnswers(mode, system);
            }
            assertEquals(expected, log.lines(Level.INFO));
            long retries = FAILURES - 1; // of each outage, a line at DEBUG
            assertEquals(
                    Outage.values().length * retries,
                    log.lines(Level.DEBUG).stream()
                            .filter(line -> line.startsWith("DEBUG " + name + " failed again: "))
                            .count());

            mode.script(server).respond(503);
            server.dropStreams();
            for (int failure = mode == Mode.STREAMING ? 2 : 1; failure > 0; failure--) {
                nextFailure(system, () -> {});
            }
            scheduler.advanceToNext();
            awaitValid(system);
            system.close();
            expected.addAll(
                    mode == Mode.STREAMING
                            ? List.of(
                                    "WARN " + name + " failed: the service ended the stream. Next attempt in PT1S",
                                    "INFO " + name + " works again after PT3S and 2 failures")
                            : List.of(
                                    "WARN " + name + " failed: HTTP status 503. Next attempt in PT30S",
                                    "INFO " + name + " works again after PT30S and 1 failures"));
            assertEquals(expected, log.lines(Level.INFO));
            assertEquals(
                    Set.of(
                            "Ready after {} ms: {}",
                            "{} failed: {}. Next attempt in {}",
                            "{} has had no success for {}; failures by kind: {}",
                            "{} works again after {} and {} failures"),
                    log.texts(Level.INFO));
            assertEquals(0, log.stackTraces(Level.INFO));
        }
    }

    private void hundredGoodAnswers(Mode mode, DataSystem system) {
        for (int answer = 0; answer < 100; answer++) {
            if (mode == Mode.POLLING) {
                Sockets.runUntilWaiting(scheduler);
                scheduler.advanceToNext();
            } else {
                scheduler.advance(Duration.ofSeconds(1)); // more than a minute in all: healthy
                version++;
                server.set(TestFlags.flag("a").version(version).build());
                Sockets.runUntil(
                        scheduler,
                        () -> system.get(ItemKind.FLAG, "a").orElseThrow().version() == version);
            }
        }
        if (mode == Mode.POLLING) {
            Sockets.runUntilWaiting(scheduler);
        }
    }

    private enum Outage {
        SERVER_ERRORS("HTTP_STATUS", "HTTP status 503"),
        CLOSED_PORT("NETWORK", "ConnectException: Failed to connect to /127.0.0.1:PORT"),
        BAD_DATA("INVALID_DATA", "body: neither flags nor segments");

        private final String kind;
        private final String ofAPoll; // how a poll's first failure is told; a stream's is its end

        Outage(String kind, String ofAPoll) {
            this.kind = kind;
            this.ofAPoll = ofAPoll;
        }

        void begin(OutageIT test, Mode mode) {
            int answers = mode == Mode.STREAMING ? FAILURES - 1 : FAILURES;
            switch (this) {
                case SERVER_ERRORS -> mode.script(test.server).respond(503).times(answers);
                case BAD_DATA ->
                    mode.script(test.server)
                            .atOnce(script -> bad(mode, script, "{}").times(answers));
                case CLOSED_PORT -> {}
            }
            test.server.dropStreams();
            if (this == CLOSED_PORT) {
                Sockets.runUntil(test.scheduler, () -> mode == Mode.POLLING || test.failures.size() > test.taken);
                test.server.refuse();
            }
        }

        void end(OutageIT test, Mode mode) {
            if (this == CLOSED_PORT) {
                test.server.accept();
            }
            assertEquals(List.of(), mode.script(test.server).pending());
        }

        /** A stream fails after 0, 1, 3, 7, 15, 31 and 61 s, and then every 30 s; a poll every 30 s. */
        List<String> lines(Mode mode, String name, int port) {
            boolean stream = mode == Mode.STREAMING;
            String first = stream ? "the service ended the stream" : ofAPoll.replace("PORT", "" + port);
            String counts =
                    stream && !kind.equals("NETWORK") ? "NETWORK 1, " + kind + " 6" : kind + (stream ? " 7" : " 4");
            Duration whole = Duration.ofSeconds(stream ? 31 + 30 * (FAILURES - 5) : 30 * FAILURES);
            return List.of(
                    "WARN " + name + " failed: " + first + ". Next attempt in " + mode.base,
                    "ERROR " + name + " has had no success for " + (stream ? "PT1M1S" : "PT1M30S")
                            + "; failures by kind: " + counts,
                    "INFO " + name + " works again after " + whole + " and " + FAILURES + " failures");
        }
    }
}
