package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stream that is open but silent, seen at the socket; {@link SourceLoopTest} has the rule. */
@Timeout(30)
final class FirstPayloadIT {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();
    private final FakeFlagServer server = FakeFlagServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private Cancellable start(HttpSettings http) {
        return Mode.STREAMING.source(server.uri(), Mode.STREAMING.base, http).start(sink, scheduler);
    }

    /** Comments and a {@code retry:} field are no events. */
    @Test
    void connectionThatSendsNoEventIsGivenUpAfterThirtySeconds() throws Exception { // SSE-04
        server.stream().events("retry: 10\n\n: warming up\n\n");
        Cancellable run = start(HttpSettings.DEFAULT);
        Sockets.runUntil(scheduler, () -> scheduler.pending().equals(List.of(DEADLINE)));
        server.awaitStreams(1, SOON);
        for (int second = 1; second < 30; second++) {
            server.heartbeat();
            scheduler.advance(Duration.ofSeconds(1));
        }
        scheduler.advance(Duration.ofSeconds(1).minusNanos(1));
        sink.assertExhausted();
        scheduler.advance(Duration.ofNanos(1));
        RecordingSink.News.Interrupted news = sink.takeInterrupted();
        assertEquals(Failure.Kind.NETWORK, news.error().kind());
        assertEquals(
                "connected but silent: no event began within PT30S",
                news.error().message());
        assertEquals(Duration.ofSeconds(1), news.nextAttemptIn());
        Sockets.await().until(() -> server.openConnections() == 0);
        scheduler.advance(Duration.ofSeconds(1));
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty()); // by now the service has data
        sink.takeApplied();
        assertEquals(List.of(), scheduler.pending());
        run.cancel();
    }

    @Test
    void eventThatArrivesSlowlyIsNotSilence() throws InterruptedException {
        server.set(TestFlags.flag("a").build());
        VirtualScheduler serverTime = new VirtualScheduler(); // what is sent waits until the test has looked
        try (FakeFlagServer slow =
                FakeFlagServer.builder().scheduler(serverTime).start()) {
            slow.stream()
                    .comment("")
                    .pause(Duration.ofSeconds(1))
                    .events("d")
                    .pause(Duration.ofSeconds(1))
                    .events("ata: {}\n\n")
                    .event("put", "{\"data\":{\"flags\":{}}}");
            Cancellable run = Mode.STREAMING.source(slow).start(sink, scheduler);
            Sockets.runUntil(scheduler, () -> scheduler.pending().equals(List.of(DEADLINE)));
            serverTime.runUntil(() -> !serverTime.pending().isEmpty(), SOON);
            serverTime.advance(Duration.ofSeconds(1));
            Sockets.runUntil(scheduler, () -> scheduler.pending().isEmpty());
            scheduler.advance(Duration.ofHours(1));
            sink.assertExhausted();
            serverTime.runUntil(() -> !serverTime.pending().isEmpty(), SOON);
            serverTime.advance(Duration.ofSeconds(1));
            Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
            sink.takeApplied();
            sink.assertExhausted();
            run.cancel();
        }
    }

    @Test
    void cancellingLeavesNoDeadlineBehind() {
        server.stream().comment("");
        Cancellable run = start(HttpSettings.DEFAULT);
        Sockets.runUntil(scheduler, () -> scheduler.pending().equals(List.of(DEADLINE)));
        run.cancel();
        Sockets.awaitNoThreads(); // what it hands over at its end is late
        scheduler.runDue();
        assertEquals(List.of(), scheduler.pending());
    }

    /** In real time: OkHttp measures it. */
    @Test
    void headersHaveToComeInThatTimeToo() {
        server.stream().hang().times(2);
        HttpSettings http = HttpSettings.builder()
                .firstPayloadTimeout(Duration.ofMillis(100))
                .build();
        Cancellable run = start(http);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        ErrorInfo error = sink.takeInterrupted().error();
        assertEquals(Failure.Kind.NETWORK, error.kind());
        assertTrue(error.message().equals("no headers within PT0.1S"), error.message());
        run.cancel();
    }

    /** A header that trickles in is never silent for long. */
    @Test
    void headersThatTrickleInAreNoHeaders() {
        String head = "HTTP/1.1 200 OK\r\nX-Long: " + "x".repeat(1000) + "\r\n\r\n";
        server.stream().bytes(head.getBytes(StandardCharsets.US_ASCII)).drip(1, Duration.ofMillis(10));
        HttpSettings http = HttpSettings.builder()
                .firstPayloadTimeout(Duration.ofMillis(200))
                .build();
        Cancellable run = start(http);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        assertEquals("no headers within PT0.2S", sink.takeInterrupted().error().message());
        run.cancel();
    }

    /** After the headers a silence may be as long as the read timeout says, however soon the first byte had to come. */
    @Test
    void afterTheHeadersTheReadTimeoutCounts() {
        server.stream().put().pause(Duration.ofMillis(1500)).comment("still here");
        HttpSettings http = HttpSettings.builder()
                .firstPayloadTimeout(Duration.ofSeconds(1))
                .readTimeout(Duration.ofSeconds(20))
                .build();
        Cancellable run = start(http);
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 2);
        sink.takeApplied();
        sink.takeConfirmed();
        run.cancel();
    }

    /** Comments are no events, but signs of life: whoever sends them is not silent. */
    @Test
    void streamLastsAsLongAsThereAreHeartbeatsAndEndsWithoutThem() { // SSE-06
        HttpSettings http =
                HttpSettings.builder().readTimeout(Duration.ofMillis(400)).build();
        try (FakeFlagServer lively =
                FakeFlagServer.builder().heartbeatEvery(Duration.ofMillis(40)).start()) {
            Cancellable run = Mode.STREAMING
                    .source(lively.uri(), Mode.STREAMING.base, http)
                    .start(sink, scheduler);
            Sockets.runUntil(scheduler, () -> sink.waiting().size() > 30); // three times the timeout
            run.cancel();
            sink.takeApplied();
            while (!sink.waiting().isEmpty()) {
                sink.takeConfirmed();
            }
        }
        server.stream().put().comment("the last sign of life");
        Cancellable run = start(http);
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 3);
        sink.takeApplied();
        sink.takeConfirmed();
        ErrorInfo error = sink.takeInterrupted().error();
        assertTrue(error.message().startsWith("SocketTimeoutException"), error.message());
        run.cancel();
    }

    /** Sockets that know no time limit, as those of the application may. */
    @Test
    void silenceIsNoticedOnSocketsThatAreNotThePlatforms() {
        SocketFactory patient = WatchedSockets.making(() -> new Socket() {
            @Override
            public void setSoTimeout(int millis) {
                // there is none
            }
        });
        server.stream().put();
        Cancellable run = start(HttpSettings.builder()
                .socketFactory(patient)
                .readTimeout(Duration.ofMillis(200))
                .build());
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 2);
        sink.takeApplied();
        String message = sink.takeInterrupted().error().message();
        assertTrue(message.startsWith("SocketTimeoutException"), message);
        run.cancel();
    }
}
