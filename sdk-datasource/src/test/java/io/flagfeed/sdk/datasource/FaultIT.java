package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.Script;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad data and bad answers on real sockets: what is held stays, the status says why, and the next attempt comes. */
final class FaultIT {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final List<ErrorInfo> failures = new ArrayList<>(); // listeners run on the thread that moves time
    private int taken;

    @AfterEach
    void close() {
        server.close();
    }

    private DataSystem start(Mode mode) {
        DataSystem system = DataSystem.builder(mode.source(server))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        system.onStatus(status -> {
            if (status.nextAttempt() != null) {
                failures.add(status.lastError());
            }
        });
        system.start();
        return system;
    }

    private DataSystem startWithData(Mode mode) {
        server.set(TestFlags.flag("a").version(1).build());
        DataSystem system = start(mode);
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        return system;
    }

    /** The next failure that this has not returned before. */
    private ErrorInfo awaitFailure(DataSystem system) {
        Sockets.runUntil(scheduler, () -> failures.size() > taken);
        assertEquals(failures.get(failures.size() - 1), system.status().lastError());
        return failures.get(taken++);
    }

    private static long version(DataSystem system) {
        return system.get(ItemKind.FLAG, "a").orElseThrow().version();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "put    | {sorry",
                "patch  | {sorry",
                "delete | {sorry",
                "put    | {\"data\":{\"flags\": true, \"segments\":{}}}",
                "patch  | {\"path\":\"/flags/x\",\"data\":true}",
                "delete | {\"path\":\"/flags/x\",\"version\":\"no\"",
            })
    void badEventDropsTheConnectionAndReconnectsWithBackoff(String event, String data) throws Exception { // DATA-06
        DataSystem system = startWithData(Mode.STREAMING);
        server.set(TestFlags.flag("a").version(2).build());
        Sockets.runUntil(scheduler, () -> version(system) == 2);

        server.sendEvent(event, data);
        assertEquals(Failure.Kind.INVALID_DATA, awaitFailure(system).kind());
        assertEquals(State.INTERRUPTED, system.status().state());
        assertEquals(2, version(system));
        assertEquals(List.of(Duration.ofSeconds(1)), scheduler.pending());
        server.awaitConnectionClosed(server.requests().get(0).connectionId(), LONGEST);

        server.set(TestFlags.flag("a").version(3).build());
        scheduler.advance(Duration.ofSeconds(1));
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        assertEquals(3, version(system));
        system.close();
    }

    @Test
    void badEventOnEveryConnectClimbsTheLadderWithOneRequestEach() { // 3 failures: waits 1, 2, 4
        server.stream().event("put", "{sorry").forever();
        DataSystem system = start(Mode.STREAMING);
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertEquals(Failure.Kind.INVALID_DATA, awaitFailure(system).kind());
            Duration wait = Duration.ofSeconds(1L << (attempt - 1));
            assertEquals(List.of(wait), scheduler.pending());
            assertEquals(attempt, server.requests().size());
            scheduler.advance(wait);
        }
        system.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"whatever {}", "whatever not JSON", "patch {\"path\": \"/cats/Jack\", \"data\": {}}"})
    void whatIsNotOursIsIgnoredOnTheSameConnection(String event) {
        DataSystem system = startWithData(Mode.STREAMING);
        int space = event.indexOf(' ');
        server.sendEvent(event.substring(0, space), event.substring(space + 1));
        server.set(TestFlags.flag("a").version(2).build());
        Sockets.runUntil(scheduler, () -> version(system) == 2);
        assertEquals(1, server.requests().size());
        assertEquals(null, system.status().lastError());
        system.close();
    }

    static Stream<Arguments> unusableAnswers() {
        return Stream.of(Mode.values())
                .flatMap(mode -> Stream.of(
                        answer(mode, "204", Failure.Kind.HTTP_STATUS, script -> script.respond(204)),
                        answer(mode, "login page", Failure.Kind.INVALID_DATA, Script::html),
                        answer(mode, "empty", Failure.Kind.INVALID_DATA, script -> script.body("application/json", "")),
                        answer(
                                mode,
                                "null",
                                Failure.Kind.INVALID_DATA,
                                script -> script.body("application/json", "null")),
                        answer(
                                mode,
                                "list",
                                Failure.Kind.INVALID_DATA,
                                script -> script.body("application/json", "[]")),
                        // twice: a connection that was kept may have died meanwhile, so OkHttp sends once more on a new
                        // one
                        answer(
                                mode,
                                "no answer",
                                Failure.Kind.NETWORK,
                                script -> script.drop().times(3)),
                        answer(
                                mode,
                                "reset",
                                Failure.Kind.NETWORK,
                                script -> script.reset().times(3)),
                        answer(
                                mode,
                                "no status line",
                                Failure.Kind.NETWORK,
                                script -> script.bytes(garbage("HTTP/7.1 ")).times(3)),
                        answer(
                                mode,
                                "broken chunks",
                                Failure.Kind.NETWORK,
                                script -> script.bytes(garbage("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                        + "Transfer-Encoding: chunked\r\n\r\n5"))),
                        answer(
                                mode,
                                "cut",
                                Failure.Kind.NETWORK,
                                script -> script.serve().cutHalfway()),
                        answer(
                                mode,
                                "redirect loop",
                                Failure.Kind.HTTP_STATUS,
                                script -> script.redirect(302, "").times(30)),
                        answer(
                                mode,
                                "not HTTP",
                                Failure.Kind.NETWORK,
                                script -> script.bytes("hello\r\n".getBytes(StandardCharsets.US_ASCII)))));
    }

    /** A hundred thousand characters without a blank, which a message must not quote and no pattern may choke on. */
    private static byte[] garbage(String start) {
        return (start + "<marker>".repeat(12_500) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static Arguments answer(Mode mode, String name, Failure.Kind kind, Consumer<Script> script) {
        return argumentSet(mode + " " + name, mode, kind, script);
    }

    @ParameterizedTest
    @MethodSource("unusableAnswers")
    void unusableAnswerIsAFailureAndKeepsWhatIsHeld(Mode mode, Failure.Kind kind, Consumer<Script> answer) {
        DataSystem system = startWithData(mode);
        mode.script(server).atOnce(answer);
        server.set(TestFlags.flag("a").version(2).build());
        if (mode == Mode.STREAMING) {
            Sockets.runUntil(scheduler, () -> version(system) == 2);
            server.dropStreams();
            awaitFailure(system); // the drop
        } else {
            Sockets.runUntilWaiting(scheduler);
        }
        scheduler.advance(mode.base);
        ErrorInfo error = awaitFailure(system);
        assertEquals(kind, error.kind(), error.message());
        assertEquals(State.INTERRUPTED, system.status().state());
        assertFalse(system.snapshot().all(ItemKind.FLAG).isEmpty());
        assertFalse(error.message().contains("<"), error.message()); // no page in the message
        assertTrue(error.message().length() <= 250, error.message());
        system.close();
    }

    @ParameterizedTest
    @EnumSource
    void nothingFromAnUnusableFirstAnswerMakesItReady(Mode mode) throws Exception {
        mode.script(server).html();
        DataSystem system = start(mode);
        awaitFailure(system);
        assertEquals(State.INITIALIZING, system.status().state());
        assertFalse(system.awaitReady(Duration.ZERO));
        system.close();
    }

    @Test
    void commentsAloneDoNotMakeAStreamReady() throws Exception { // SSE-04
        server.stream().comment("warming up");
        DataSystem system = start(Mode.STREAMING);
        AtomicReference<Set<String>> whenValid = new AtomicReference<>();
        system.onStatus(status -> {
            if (status.state() == State.VALID) {
                whenValid.compareAndSet(
                        null, system.snapshot().all(ItemKind.FLAG).keySet());
            }
        });
        scheduler.runDue();
        server.awaitStreams(1, LONGEST);
        server.heartbeat();
        server.sendEvent("hello", "world");
        server.sendEvent("patch", "{\"path\":\"/flags/a\",\"data\":{\"version\":5}}"); // before any put (DATA-03)
        server.sendEvent("put", "{\"data\":{\"flags\":{\"b\":{\"version\":1}}}}");
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        assertEquals(Set.of("b"), whenValid.get());
        system.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/event-stream",
                "Text/Event-Stream; charset=utf-8",
                "text/event-stream;charset=UTF-8",
                "text/event-stream ; charset=utf-8",
                "text/event-stream\t;charset=utf-8",
                "text/event-stream; charset",
                "text/event-stream;"
            })
    void contentTypeOfAStreamIsReadWithoutCaseAndParameters(String type) { // SSE-07
        server.stream().serve().contentType(type);
        DataSystem system = start(Mode.STREAMING);
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        system.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/event-streams", "text/event", "text/event-stream charset=utf-8", "x", ""})
    void nothingElseIsAStream(String type) throws Exception { // SSE-07
        server.stream().serve().contentType(type).forever();
        DataSystem system = start(Mode.STREAMING);
        awaitFailure(system);
        String message = system.status().lastError().message();
        assertTrue(message.startsWith("not an event stream but "), message);
        system.close();
    }

    @Test
    void howALongTypeIsCalledStaysShort() throws Exception {
        server.stream().serve().contentType("text/" + "x".repeat(5000)).forever();
        DataSystem system = start(Mode.STREAMING);
        awaitFailure(system);
        assertEquals(
                "not an event stream but of no known type",
                system.status().lastError().message());
        system.close();
    }

    @ParameterizedTest
    @EnumSource
    void leadingByteOrderMarkIsNoPartOfTheData(Mode mode) { // SSE-01
        server.set(TestFlags.flag("a").build());
        mode.script(server)
                .atOnce(script -> script.serve()
                        .bom()
                        .then()
                        .serve()
                        .bom()
                        .splitAt(1)
                        .then()
                        .serve()
                        .bom()
                        .splitAt(1, 2));
        for (int variant = 0; variant < 3; variant++) {
            DataSystem system = start(mode);
            Sockets.runUntil(scheduler, () -> system.status().state() != State.INITIALIZING);
            assertEquals(State.VALID, system.status().state());
            assertEquals(1, version(system));
            system.close();
        }
    }

    @Test
    void laterByteOrderMarkIsData() { // SSE-01
        String json = "{\"key\":\"a\",\"version\":1,\"name\":\"\uFEFFx\"}";
        server.stream().events("\uFEFFevent: put\ndata: {\"data\":{\"flags\":{\"a\":\ndata: " + json + "}}}\n\n");
        DataSystem system = start(Mode.STREAMING);
        Sockets.runUntil(scheduler, () -> system.status().state() != State.INITIALIZING);
        assertEquals(json, system.get(ItemKind.FLAG, "a").orElseThrow().json());
        server.stream().events("\uFEFF\uFEFFevent: put\ndata: {\"data\":{\"flags\":{}}}\n\n"); // one mark only
        server.dropStreams();
        awaitFailure(system);
        scheduler.advance(Duration.ofSeconds(1));
        List<String> changes = new ArrayList<>();
        system.onChange(event -> changes.add(event.changes().toString()));
        Sockets.runUntil(scheduler, () -> server.requests().size() == 2 && server.openStreams() == 1);
        server.sendEvent("put", "{\"data\":{\"flags\":{\"a\":" + json + ",\"b\":{\"version\":1}}}}");
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        assertEquals(1, changes.size(), changes::toString); // "a" was never away
        assertTrue(system.get(ItemKind.FLAG, "b").isPresent());
        system.close();
    }

    @ParameterizedTest
    @EnumSource
    void payloadOverTheLimitIsRefusedWithAClearError(Mode mode) {
        server.set(TestFlags.flag("a").build());
        int limit = 3000;
        HttpSettings http = HttpSettings.builder().maxPayloadBytes(limit).build();
        RecordingSink sink = new RecordingSink();
        Cancellable run = mode.source(server.uri(), mode.base, http).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        sink.takeApplied();
        // compressed it is small
        mode.script(server).oversized(limit).gzip();
        server.dropStreams();
        if (mode == Mode.STREAMING) {
            Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
            sink.takeInterrupted();
        } else {
            Sockets.runUntilWaiting(scheduler);
        }
        scheduler.advance(mode.base);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        ErrorInfo error = sink.takeInterrupted().error();
        assertEquals(Failure.Kind.INVALID_DATA, error.kind());
        assertEquals(
                mode == Mode.STREAMING
                        ? "an event is larger than maxEventBytes: 3000"
                        : "the answer is larger than maxPayloadBytes: 3000",
                error.message());
        scheduler.advance(Duration.ofMinutes(1));
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        if (mode == Mode.STREAMING) {
            sink.takeApplied();
        } else {
            sink.takeConfirmed(); // the entity tag of what is held was kept
        }
        run.cancel();
    }

    @Test
    void heartbeatConfirmsWhatAStreamDelivered() {
        DataSystem system = startWithData(Mode.STREAMING);
        DataSourceStatus valid = system.status();
        scheduler.advance(Duration.ofMinutes(3));
        server.heartbeat();
        Sockets.runUntil(scheduler, () -> !valid.equals(system.status()));
        assertEquals(scheduler.now(), system.status().lastConfirmed());
        assertEquals(valid.since(), system.status().since());
        system.close();
    }

    @Test
    void pollThatTricklesInForEverEnds() { // POLL-10
        server.set(TestFlags.flag("a").build());
        server.poll().serve().drip(1, Duration.ofMillis(20));
        HttpSettings http =
                HttpSettings.builder().callTimeout(Duration.ofMillis(200)).build();
        RecordingSink sink = new RecordingSink();
        Cancellable run =
                Mode.POLLING.source(server.uri(), Mode.POLLING.base, http).start(sink, scheduler);
        Sockets.runUntilWaiting(scheduler);
        assertEquals(Failure.Kind.NETWORK, sink.takeInterrupted().error().kind());
        run.cancel();
    }

    @Test
    void streamKnowsNoLimitToTheWhole() { // CONN-04
        server.set(TestFlags.flag("a").build());
        server.stream().serve().drip(20, Duration.ofMillis(10)); // much longer than the limit for polls
        HttpSettings http =
                HttpSettings.builder().callTimeout(Duration.ofMillis(50)).build();
        RecordingSink sink = new RecordingSink();
        Cancellable run =
                Mode.STREAMING.source(server.uri(), Mode.STREAMING.base, http).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        sink.takeApplied();
        run.cancel();
    }

    /** R42: it may lengthen the first wait, and nothing else; a number that fits nothing counts as very long. */
    @ParameterizedTest
    @CsvSource({"0, 1", "-1, 1", "500, 1", "3000, 3", "999999, 30", "99999999999999999999, 30", "x, 1", "-5, 1"})
    void reconnectionTimeOnlyLengthensTheFirstWait(String retry, long seconds) {
        server.stream()
                .events("retry: " + retry + "\n\nevent: put\ndata: {\"data\":{\"flags\":{}}}\n\n")
                .end();
        DataSystem system = start(Mode.STREAMING);
        awaitFailure(system);
        assertEquals(List.of(Duration.ofSeconds(seconds)), scheduler.pending());
        system.close();
    }

    @Test
    void reconnectionTimeStaysUntilTheNextOneOnWhateverConnection() {
        String put = "event: put\ndata: {\"data\":{\"flags\":{}}}\n\n";
        server.stream()
                .atOnce(script -> script.events("retry: 5000\n\n" + put)
                        .end()
                        .then()
                        .events(put)
                        .end()
                        .then()
                        .events("retry: 0\n\n" + put)
                        .end());
        DataSystem system = start(Mode.STREAMING);
        for (long seconds : new long[] {5, 10, 4}) { // 5, twice 5, and four times the configured 1
            awaitFailure(system);
            assertEquals(List.of(Duration.ofSeconds(seconds)), scheduler.pending());
            scheduler.advance(Duration.ofSeconds(seconds));
        }
        system.close();
    }

    @ParameterizedTest
    @EnumSource
    void wrongKeyThatIsMendedLaterRecoversByItself(Mode mode) {
        server.require("another-key");
        server.set(TestFlags.flag("a").build());
        try (RecordedLog log = new RecordedLog()) {
            DataSystem system = start(mode);
            assertEquals(401, awaitFailure(system).httpStatus());
            assertEquals(List.of(Duration.ofMinutes(5)), scheduler.pending());
            server.require("sdk-key");
            scheduler.advance(Duration.ofMinutes(5));
            Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
            system.close();
            assertEquals(
                    List.of(),
                    log.lines(Level.TRACE).stream()
                            .filter(line -> line.contains("sdk-key"))
                            .toList());
        }
    }

    /** A line when trouble starts, one when it has lasted, one when it ends, whatever lies between. */
    @ParameterizedTest
    @EnumSource
    void outageOfAHundredFailuresIsAFewLines(Mode mode) { // SEC-03
        DataSystem system = startWithData(mode);
        String name = (mode == Mode.STREAMING ? "Streaming from " : "Polling of ") + "http://127.0.0.1:"
                + server.uri().getPort();
        try (RecordedLog log = new RecordedLog()) {
            mode.script(server).respond(503).times(100);
            if (mode == Mode.STREAMING) {
                server.dropStreams();
                awaitFailure(system);
            }
            for (int failure = 0; failure < 100; failure++) {
                Sockets.runUntilWaiting(scheduler);
                scheduler.advance(scheduler.pending().get(0));
                awaitFailure(system);
            }
            Sockets.runUntilWaiting(scheduler);
            scheduler.advance(scheduler.pending().get(0));
            Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
            List<String> lines = log.lines(Level.INFO);
            String reason = mode == Mode.STREAMING ? "the service ended the stream" : "HTTP status 503";
            assertEquals("WARN " + name + " failed: " + reason + ". Next attempt in " + mode.base, lines.get(0));
            assertTrue(lines.get(1).startsWith("ERROR " + name + " has had no success for PT1M"), lines.get(1));
            assertEquals(
                    "INFO " + name + " works again after " + outage(mode) + " and "
                            + (mode == Mode.STREAMING ? 101 : 100) + " failures",
                    lines.get(2));
            assertEquals(3, lines.size(), lines::toString);
        }
        system.close();
    }

    /** A stream waits 1, 2, 4, 8, 16 and then 30 s; polls are 30 s apart. */
    private static Duration outage(Mode mode) {
        return Duration.ofSeconds(mode == Mode.STREAMING ? 31 + 96 * 30 : 100 * 30);
    }
}
