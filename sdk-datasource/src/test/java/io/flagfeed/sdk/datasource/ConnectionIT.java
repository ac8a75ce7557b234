package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.RecordingSink.News;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sockets and threads: never more than one of each, whatever happens how often, and none after the end. */
@Timeout(120)
final class ConnectionIT {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration DEADLINE = Duration.ofSeconds(45); // no wait is that long

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();
    private final FakeFlagServer server = FakeFlagServer.start();

    @BeforeEach
    void serve() {
        server.set(TestFlags.flag("a").build());
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Cancellable start(Mode mode, HttpSettings http) {
        return mode.source(server.uri(), mode.base, http).start(sink, scheduler);
    }

    private void awaitNews() {
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
    }

    private void awaitNoConnection() {
        Sockets.await().until(() -> server.openConnections() == 0);
    }

    /** Not only with the next event: on an idle stream there may be none for hours. */
    @ParameterizedTest
    @EnumSource
    void closingClosesTheConnectionUnderAnApplicationsClientToo(Mode mode) throws Exception { // CONN-03
        OkHttpClient client = new OkHttpClient();
        Cancellable run = start(mode, HttpSettings.builder().client(client).build());
        awaitNews();
        sink.takeApplied();
        assertEquals(1, server.openConnections());
        run.cancel();
        server.awaitConnectionClosed(server.requests().get(0).connectionId(), SOON);
        assertEquals(0, client.connectionPool().connectionCount());
        Sockets.awaitNoThreads();
    }

    /** The read timeout and a reset fall into the same moment, then the port is closed, then it is open again. */
    @Test
    void timeoutAndResetAtOnceAreOneFailure() { // CONN-06
        Duration timeout = Duration.ofMillis(60);
        Duration reset = timeout;
        server.stream().put(TestFlags.flag("a").build()).pause(reset).reset();
        Cancellable run = start(
                Mode.STREAMING, HttpSettings.builder().readTimeout(timeout).build());
        int timeouts = 0;
        for (int round = 1; round <= 50; round++) {
            boolean timedOut = awaitOneFailure();
            timeouts += timedOut ? 1 : 0;
            reset = timedOut ? reset.minusMillis(2) : reset.plusMillis(2); // to where either may be first
            server.stream().put(TestFlags.flag("a").build()).pause(reset).reset();
            server.refuse();
            scheduler.advanceToNext();
            awaitOneFailure();
            server.accept();
            assertEquals(round, server.requests().size());
            scheduler.advanceToNext();
        }
        assertTrue(timeouts > 0 && timeouts < 50, "never both: " + timeouts);
        run.cancel();
    }

    /** Whatever came before it. Says whether it was a timeout. */
    private boolean awaitOneFailure() {
        Sockets.runUntil(
                scheduler, () -> Sockets.threads().isEmpty() && !sink.waiting().isEmpty());
        scheduler.runDue();
        List<News.Interrupted> failures = sink.waiting().stream()
                .filter(News.Interrupted.class::isInstance)
                .map(News.Interrupted.class::cast)
                .toList();
        while (!sink.waiting().isEmpty()) {
            sink.take();
        }
        assertEquals(1, failures.size(), failures::toString);
        assertEquals(1, scheduler.pending().size());
        awaitNoConnection();
        return failures.get(0).error().message().startsWith("SocketTimeoutException");
    }

    /** The same with the limit for the first payload, which is the scheduler's to keep. */
    @Test
    void deadlineAndResetAtOnceAreOneFailure() throws Exception { // CONN-06
        server.stream().comment("no data yet").forever();
        Cancellable run = start(
                Mode.STREAMING,
                HttpSettings.builder().firstPayloadTimeout(DEADLINE).build());
        for (int round = 1; round <= 50; round++) {
            openStream();
            server.awaitStreams(1, SOON);
            assertEquals(server.requests().size() - 1, sink.waiting().size()); // each but this one has failed once
            Thread reset = new Thread(server::resetStreams);
            reset.start();
            scheduler.advance(DEADLINE);
            reset.join();
        }
        run.cancel();
        Sockets.awaitNoThreads();
        awaitNoConnection();
    }

    /** Lets time pass until a stream has just been opened, with nothing scheduled but its limit. */
    private void openStream() {
        while (true) {
            Sockets.runUntil(
                    scheduler,
                    () -> Sockets.isWaiting(scheduler) && scheduler.pending().size() == 1);
            if (scheduler.pending().equals(List.of(DEADLINE))) {
                break;
            }
            scheduler.advanceToNext();
        }
        Sockets.await().until(() -> server.openConnections() == 1);
    }

    /** Answers of all kinds, whose bodies are read or not: one connection, and OkHttp has no leak to complain of. */
    @Test
    void fiveHundredPollsUseOneConnection() { // CONN-10
        try (LeakLog leaks = new LeakLog()) {
            for (int round = 0; round < 100; round++) {
                server.poll()
                        .atOnce(script -> script.serve()
                                .etag("\"x\"")
                                .then()
                                .respond(304)
                                .then()
                                .respond(401)
                                .body("text/plain", "not you")
                                .then()
                                .respond(503)
                                .body("text/plain", "not now")
                                .then()
                                .body("application/json", "{\"flags\": [")
                                .etag("\"bad\""));
            }
            Cancellable run = start(Mode.POLLING, HttpSettings.DEFAULT);
            for (int poll = 1; poll <= 500; poll++) {
                awaitNews();
                sink.take();
                Sockets.runUntilWaiting(scheduler);
                Sockets.await().until(() -> server.openConnections() <= 1);
                if (poll % 100 == 0) {
                    leaks.look();
                }
                scheduler.advanceToNext();
            }
            awaitNews();
            List<FakeFlagServer.Request> requests = server.requests();
            for (int poll = 1; poll <= 500; poll++) { // bad data end an attempt at once, and perhaps its connection
                boolean same = requests.get(poll).connectionId()
                        == requests.get(poll - 1).connectionId();
                assertTrue(same || poll % 5 == 0, "another connection for poll " + poll);
            }
            assertEquals(List.of(), server.poll().pending());
            run.cancel();
            leaks.assertNone();
        }
        awaitNoConnection();
        Sockets.awaitNoThreads();
    }

    /** Ended as HTTP says, closed and reset in turn, with answers that are no streams between them. */
    @Test
    void twoHundredFortyStreamsThatTheServiceEndsLeaveNothingBehind() { // CONN-10
        try (LeakLog leaks = new LeakLog()) {
            for (int round = 0; round < 40; round++) {
                server.stream()
                        .atOnce(script -> script.serve()
                                .end()
                                .then()
                                .serve()
                                .drop()
                                .then()
                                .serve()
                                .reset()
                                .then()
                                .event("put", "{sorry")
                                .end()
                                .then()
                                .html()
                                .then()
                                .respond(503)
                                .body("text/plain", "not now"));
            }
            Cancellable run = start(Mode.STREAMING, HttpSettings.DEFAULT);
            for (int stream = 1; stream <= 240; stream++) {
                Sockets.runUntilWaiting(scheduler);
                Sockets.awaitNoThreads();
                Sockets.await().until(() -> server.openConnections() <= 1); // one that ended in order may be kept
                if (stream % 40 == 0) {
                    leaks.look();
                }
                scheduler.advanceToNext();
            }
            server.stream().clear();
            run.cancel();
            leaks.assertNone();
        }
        awaitNoConnection();
        Sockets.awaitNoThreads();
    }

    /** What OkHttp says of responses that nobody closed, once the garbage collector has found them. */
    private static final class LeakLog extends Handler implements AutoCloseable {
        private final Logger logger = Logger.getLogger(OkHttpClient.class.getName());
        private final List<String> lines = new CopyOnWriteArrayList<>();

        LeakLog() {
            logger.addHandler(this);
        }

        /** Has what is unreachable found; OkHttp looks at it with the next request. */
        void look() {
            WeakReference<Object> garbage = new WeakReference<>(new Object());
            Sockets.await().until(() -> {
                System.gc();
                return garbage.get() == null;
            });
        }

        void assertNone() {
            assertEquals(List.of(), lines);
        }

        @Override
        public void publish(LogRecord line) {
            lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            logger.removeHandler(this);
        }
    }
}
