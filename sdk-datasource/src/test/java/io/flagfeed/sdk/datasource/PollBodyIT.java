package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Script;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Answers to polls that are not what they should be: what is held stays, with the entity tag that belongs to it. */
@Timeout(60)
final class PollBodyIT {
    private static final Duration INTERVAL = Mode.POLLING.base;

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final FakeFlagServer server = FakeFlagServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private DataSystem start() {
        DataSystem system = DataSystem.builder(Mode.POLLING.source(server))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        system.start();
        return system;
    }

    /** Lets one more poll end. */
    private void poll() {
        scheduler.advance(INTERVAL);
        Sockets.runUntilWaiting(scheduler);
    }

    private List<String> sentTags() {
        return server.pollRequests().stream()
                .map(request -> request.header("If-None-Match").orElse("none"))
                .toList();
    }

    static Stream<Arguments> bodies() {
        Failure.Kind broken = Failure.Kind.NETWORK;
        Failure.Kind invalid = Failure.Kind.INVALID_DATA;
        return Stream.of(
                body("shorter than announced", broken, script -> script.serve().contentLength(100_000)),
                body(
                        "cut after a whole inner object, with no length",
                        invalid,
                        script -> script.body("application/json", "{\"flags\":{\"x\":{\"version\":1}")
                                .untilClose()),
                body("gzip that is cut", broken, script -> script.serve().gzip().truncate(60)),
                body("gzip that is none", broken, script -> script.serve().header("Content-Encoding", "gzip")),
                body(
                        "chunks that are cut",
                        broken,
                        script -> script.serve().chunked().cutHalfway()),
                body(
                        "longer than announced",
                        invalid,
                        script -> script.serve().contentLength(20).drop()),
                body("HTML", invalid, script -> script.html().etag("\"page\"")),
                body(
                        "nothing",
                        invalid,
                        script -> script.body("application/json", "").etag("\"nothing\"")),
                body(
                        "an empty object",
                        invalid,
                        script -> script.body("application/json", "{}").etag("\"{}\"")),
                body(
                        "null flags",
                        invalid,
                        script -> script.body("application/json", "{\"flags\":null}")
                                .etag("\"n\"")),
                body(
                        "204",
                        Failure.Kind.HTTP_STATUS,
                        script -> script.respond(204).etag("\"204\"")));
    }

    private static Arguments body(String name, Failure.Kind kind, Consumer<Script> answer) {
        return argumentSet(name, kind, answer);
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void unusableBodyLeavesTheDataAndTheirTag(Failure.Kind kind, Consumer<Script> answer) { // POLL-04, -06, -07
        server.set(TestFlags.flag("a").build());
        DataSystem system = start();
        Sockets.runUntilWaiting(scheduler);
        String json = system.get(ItemKind.FLAG, "a").orElseThrow().json();
        server.set(TestFlags.flag("a").version(2).build()); // or the fake would answer 304
        server.poll().atOnce(answer);
        poll();
        assertEquals(State.INTERRUPTED, system.status().state());
        assertEquals(
                kind,
                system.status().lastError().kind(),
                system.status().lastError().message());
        assertEquals(json, system.get(ItemKind.FLAG, "a").orElseThrow().json());
        poll();
        assertEquals(State.VALID, system.status().state());
        assertEquals(2, system.get(ItemKind.FLAG, "a").orElseThrow().version());
        List<String> tags = sentTags();
        assertEquals(List.of("none", tags.get(1), tags.get(1)), tags);
        system.close();
    }

    /** A whole body is a whole body, however rude the end of the connection. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wholeBodyBeforeARudeEndCounts(boolean reset) { // POLL-06
        server.set(TestFlags.flag("a").build());
        server.poll().atOnce(script -> {
            if (reset) {
                script.serve().reset();
            } else {
                script.serve().drop();
            }
        });
        DataSystem system = start();
        Sockets.runUntilWaiting(scheduler);
        assertEquals(State.VALID, system.status().state());
        poll();
        assertEquals(State.VALID, system.status().state());
        system.close();
    }

    @Test
    void noTagIsSentBeforeABodyWasAppliedAndA304IsNoAnswerThen() { // POLL-03
        server.set(TestFlags.flag("a").build());
        server.poll()
                .atOnce(script ->
                        script.serve().cutHalfway().then().respond(304).etag("\"x\""));
        DataSystem system = start();
        Sockets.runUntilWaiting(scheduler);
        assertEquals(State.INITIALIZING, system.status().state());
        poll();
        assertEquals(State.INITIALIZING, system.status().state());
        assertEquals(Failure.Kind.INVALID_DATA, system.status().lastError().kind());
        poll();
        assertEquals(State.VALID, system.status().state());
        assertEquals(List.of("none", "none", "none"), sentTags());
        system.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyFailureIsFollowedByAnotherAttempt(Mode mode) { // POLL-09
        server.set(TestFlags.flag("a").build());
        DataSystem system =
                DataSystem.builder(mode.source(server)).scheduler(scheduler).build();
        mode.script(server).atOnce(script -> {
            if (mode == Mode.STREAMING) {
                script.serve().end();
            } else {
                script.serve();
            }
            script.respond(500).then().respond(502).then().respond(404).then().respond(418);
        });
        system.start();
        Sockets.runUntil(scheduler, () -> system.status().state() != State.INITIALIZING);
        server.set(TestFlags.flag("a").version(2).build());
        for (int attempt = 0; attempt < 5; attempt++) {
            Sockets.runUntilWaiting(scheduler);
            scheduler.advanceToNext();
        }
        Sockets.runUntil(
                scheduler, () -> system.get(ItemKind.FLAG, "a").orElseThrow().version() == 2);
        assertEquals(State.VALID, system.status().state());
        system.close();
    }

    /** Nesting beyond all reason, and a log that throws whatever is logged: the polls go on. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingThatIsThrownEndsThePolls(boolean logThrowsError) { // POLL-01, STATUS-04
        Logger logger = (Logger) LoggerFactory.getLogger("io.flagfeed");
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                if (logThrowsError) {
                    throw new StackOverflowError("thrown on purpose");
                }
                throw new IllegalStateException("thrown on purpose");
            }

            @Override
            protected void append(ILoggingEvent event) {}
        };
        appender.start();
        logger.addAppender(appender);
        server.set(TestFlags.flag("a").build());
        server.poll()
                .atOnce(script -> script.serve()
                        .then()
                        .body("application/json", "{\"flags\":" + "[".repeat(200_000) + "]".repeat(200_000) + "}")
                        .then()
                        .respond(503));
        PollingDataSource source = PollingDataSource.builder(server.uri(), "sdk-key")
                .pollInterval(Duration.ofMillis(2))
                .build();
        try (SystemScheduler real = Scheduler.system("flagfeed-test");
                DataSystem system = DataSystem.builder(source).scheduler(real).build()) {
            system.start();
            Sockets.await().until(() -> server.pollRequests().size() >= 4);
            server.set(TestFlags.flag("a").version(2).build());
            Sockets.await()
                    .until(() -> system.status().state() == State.VALID
                            && system.get(ItemKind.FLAG, "a").orElseThrow().version() == 2);
            assertTrue(system.status().lastError() != null);
        } finally {
            logger.detachAppender(appender);
        }
    }
}
