package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.RecordingSink.News;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import okhttp3.Dns;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Over HTTP/2, by a real nginx in front of the service, and over a wire that can go dead. */
@Timeout(60)
final class Http2IT {
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    static Path folder;

    private static Nginx nginx;

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();
    private final Set<Protocol> protocols = ConcurrentHashMap.newKeySet();
    private final FakeFlagServer server = FakeFlagServer.start();
    private Program front;
    private TcpRelay wire;

    @BeforeAll
    static void prepare() throws Exception {
        nginx = Nginx.prepare(folder);
    }

    @AfterEach
    void close() {
        wire.close();
        front.close();
        server.close();
    }

    private void startFront(String... options) {
        server.set(TestFlags.flag("a").build());
        front = nginx.start(server.uri().getPort(), options);
        wire = new TcpRelay(front.port());
    }

    private OkHttpClient client() throws Exception {
        return nginx.client()
                .addNetworkInterceptor(chain -> {
                    protocols.add(chain.connection().protocol());
                    return chain.proceed(chain.request());
                })
                .build();
    }

    private Cancellable start(Mode mode, HttpSettings.Builder http) throws Exception {
        URI uri = URI.create("https://127.0.0.1:" + wire.port());
        return mode.source(uri, mode.base, http.client(client()).build()).start(sink, scheduler);
    }

    private void awaitNews() {
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
    }

    /** Lets the next attempt begin, and waits for what comes of it. */
    private News nextAttempt() {
        Sockets.runUntilWaiting(scheduler);
        scheduler.advanceToNext();
        awaitNews();
        return sink.take();
    }

    @ParameterizedTest
    @CsvSource({
        "STREAMING, , HTTP_2",
        "POLLING, , HTTP_2",
        "STREAMING, HTTP_1_1, HTTP_1_1",
        "POLLING, HTTP_1_1, HTTP_1_1",
        "STREAMING, HTTP_2 HTTP_1_1, HTTP_2",
        "POLLING, HTTP_2 HTTP_1_1, HTTP_2",
    })
    void bothModesSpeakTheProtocolsThatTheyAreAllowed(Mode mode, String allowed, Protocol spoken) throws Exception {
        startFront("proxy_buffering off;");
        HttpSettings.Builder http = HttpSettings.builder();
        if (allowed != null) {
            http.protocols(Stream.of(allowed.split(" ")).map(Protocol::valueOf).toList());
        }
        Cancellable run = start(mode, http);
        awaitNews();
        sink.takeApplied();
        assertEquals(Set.of(spoken), protocols);
        run.cancel();
    }

    /** As over HTTP/1: what got no answer on a new connection is not sent again, where there are other addresses. */
    @ParameterizedTest
    @EnumSource
    void whatGotNoAnswerAtOneAddressIsNotSentToTheNext(Mode mode) throws Exception { // R36
        startFront("proxy_buffering off;");
        mode.script(server).hang().forever();
        Dns twice = host -> List.of(InetAddress.getLoopbackAddress(), InetAddress.getLoopbackAddress());
        HttpSettings http = HttpSettings.builder().client(client()).dns(twice).build();
        Cancellable run = mode.source(URI.create("https://localhost:" + wire.port()), mode.base, http)
                .start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> server.requests().size() == 1);
        wire.cut();
        awaitNews();
        sink.takeInterrupted();
        assertEquals(Set.of(Protocol.HTTP_2), protocols);
        assertEquals(1, wire.accepted());
        assertEquals(1, server.requests().size());
        run.cancel();
    }

    /** Without TLS there is nothing to negotiate with: the client has to know. */
    @ParameterizedTest
    @EnumSource
    void bothModesSpeakHttp2WithoutTls(Mode mode) throws Exception {
        int port = Program.freePort();
        startFront("listen 127.0.0.1:" + port + " http2;", "proxy_buffering off;");
        HttpSettings http = HttpSettings.builder()
                .client(client())
                .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                .build();
        Cancellable run = mode.source(URI.create("http://127.0.0.1:" + port), mode.base, http)
                .start(sink, scheduler);
        awaitNews();
        sink.takeApplied();
        assertEquals(Set.of(Protocol.H2_PRIOR_KNOWLEDGE), protocols);
        run.cancel();
    }

    @Test
    void pollsShareOneConnection() throws Exception {
        startFront();
        Cancellable run = start(Mode.POLLING, HttpSettings.builder());
        awaitNews();
        sink.takeApplied();
        for (int poll = 2; poll <= 20; poll++) {
            assertEquals(new News.Confirmed(), nextAttempt());
        }
        assertEquals(Set.of(Protocol.HTTP_2), protocols);
        assertEquals(1, wire.accepted());
        run.cancel();
        Sockets.await().until(() -> wire.open() == 0);
    }

    /**
     * The wire goes dead without closing anything. A poll ends by the read timeout or by the limit to the whole, and
     * the connection that it had is not used again: the first poll after the thaw succeeds, on a new one.
     */
    @ParameterizedTest
    @CsvSource({"TLSv1.2, 1000, 60000", "TLSv1.3, 1000, 60000", "TLSv1.3, 60000, 1000"})
    void pollSucceedsOnceADeadWireWorksAgain(String tls, int readMillis, int callMillis) throws Exception { // CONN-13
        startFront("ssl_protocols " + tls + ";");
        Cancellable run = start(
                Mode.POLLING,
                HttpSettings.builder()
                        .readTimeout(Duration.ofMillis(readMillis))
                        .callTimeout(Duration.ofMillis(callMillis)));
        awaitNews();
        sink.takeApplied();
        wire.freeze();
        for (int poll = 1; poll <= 2; poll++) {
            News news = nextAttempt();
            assertEquals(Failure.Kind.NETWORK, ((News.Interrupted) news).error().kind());
        }
        wire.thaw();
        assertEquals(new News.Confirmed(), nextAttempt());
        assertEquals(Set.of(Protocol.HTTP_2), protocols);

        wire.freeze();
        Sockets.runUntilWaiting(scheduler);
        scheduler.advanceToNext(); // a poll is under way when the wire comes back
        wire.thaw();
        awaitNews();
        sink.takeInterrupted();
        assertEquals(new News.Confirmed(), nextAttempt());
        run.cancel();
    }

    /** In any phase, and without waiting for a farewell that nobody hears. */
    @ParameterizedTest
    @CsvSource({"STREAMING, TLSv1.2", "STREAMING, TLSv1.3", "POLLING, TLSv1.2", "POLLING, TLSv1.3"})
    void closingWhileTheWireIsDeadReturnsAtOnce(Mode mode, String tls) throws Exception { // CONN-13
        startFront("ssl_protocols " + tls + ";", "proxy_buffering off;");
        Cancellable idleOrOpen = start(mode, HttpSettings.builder());
        awaitNews();
        sink.takeApplied();
        Cancellable asking = start(mode, HttpSettings.builder());
        awaitNews();
        sink.takeApplied();
        server.stream().hang().forever();
        server.poll().hang().forever();
        if (mode == Mode.STREAMING) {
            server.dropStreams();
        }
        Sockets.runUntilWaiting(scheduler);
        wire.freeze();
        scheduler.advance(mode.base);
        assertTimeout(
                Duration.ofSeconds(5),
                () -> { // a few milliseconds, on a machine with nothing else to do
                    idleOrOpen.cancel();
                    asking.cancel();
                });
        Sockets.awaitNoThreads();
    }

    @Test
    void streamWorksAndEndsWithTheConnection() throws Exception {
        startFront("proxy_buffering off;");
        HttpSettings.Builder http = HttpSettings.builder().firstPayloadTimeout(SHORT);
        Cancellable run = start(Mode.STREAMING, http);
        awaitNews();
        sink.takeApplied();
        server.set(TestFlags.flag("a").version(2).build());
        awaitNews();
        sink.takeApplied();
        assertEquals(Set.of(Protocol.HTTP_2), protocols);
        int connection = server.requests().get(0).connectionId();
        run.cancel();
        Sockets.await().until(() -> wire.open() == 0);
        server.awaitConnectionClosed(connection, Duration.ofSeconds(10)); // nginx lets go of the service, too
        Sockets.awaitNoThreads();
    }

    /** After the headers a silence may be as long as the read timeout, not only as long as the first payload may take. */
    @Test
    void silenceMayLastAsLongAsTheReadTimeout() throws Exception {
        startFront("proxy_buffering off;");
        server.stream().put().pause(SHORT.multipliedBy(2)).comment("still here");
        Cancellable run = start(
                Mode.STREAMING,
                HttpSettings.builder().firstPayloadTimeout(SHORT).readTimeout(Duration.ofSeconds(30)));
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 2);
        sink.takeApplied();
        sink.takeConfirmed();
        run.cancel();
    }

    @Test
    void streamLastsAsLongAsThereAreHeartbeatsAndEndsWithoutThem() throws Exception { // SSE-06
        startFront("proxy_buffering off;");
        var answer = server.stream().serve();
        for (int beat = 0; beat < 8; beat++) {
            answer.pause(SHORT.dividedBy(4)).comment("");
        }
        Cancellable run = start(Mode.STREAMING, HttpSettings.builder().readTimeout(SHORT));
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 10);
        sink.takeApplied();
        for (int beat = 0; beat < 8; beat++) {
            sink.takeConfirmed();
        }
        ErrorInfo error = sink.takeInterrupted().error();
        assertTrue(error.message().startsWith("SocketTimeoutException"), error.message());
        Sockets.await().until(() -> server.openStreams() == 0);
        run.cancel();
    }

    /** The connection that went silent is not used for the next attempt. */
    @Test
    void streamIsBackWithTheNextAttemptOnceADeadWireWorksAgain() throws Exception { // CONN-13
        startFront("proxy_buffering off;");
        Cancellable run = start(Mode.STREAMING, HttpSettings.builder().readTimeout(SHORT));
        awaitNews();
        sink.takeApplied();
        wire.freeze();
        awaitNews();
        sink.takeInterrupted();
        wire.thaw();
        assertTrue(nextAttempt() instanceof News.Applied);
        run.cancel();
    }

    /**
     * nginx that buffers passes on full buffers only, of a service that says neither length nor chunks: padding here,
     * and not the flags behind it. (Chunks of a service it passes on as they come, buffering or not.)
     */
    @Test
    void flagsThatAreHeldBackOnTheWayEndTheAttempt() throws Exception { // SSE-04
        startFront("proxy_buffering on;", "proxy_buffer_size 4k;", "proxy_buffers 8 4k;");
        server.stream()
                .comment("p".repeat(10_000))
                .put(TestFlags.flag("a").build())
                .untilClose();
        Cancellable run = start(Mode.STREAMING, HttpSettings.builder());
        Sockets.runUntil(scheduler, () -> scheduler.pending().equals(List.of(DEADLINE)));
        server.awaitStreams(1, Duration.ofSeconds(10)); // which has sent everything
        scheduler.advance(DEADLINE.minusNanos(1));
        sink.assertExhausted();
        scheduler.advance(Duration.ofNanos(1));
        News.Interrupted news = sink.takeInterrupted();
        assertEquals(
                "connected but silent: no event began within PT30S",
                news.error().message());
        assertEquals(Duration.ofSeconds(1), news.nextAttemptIn());
        Sockets.await().until(() -> wire.open() == 0 && server.openStreams() == 0);
        run.cancel();
    }

    /** With little to send, or to compress, not even the headers come. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void answerThatIsHeldBackOnTheWayEndsTheAttempt(boolean compresses) throws Exception {
        startFront(
                "proxy_buffering on;", compresses ? "gzip on; gzip_types text/event-stream; gzip_min_length 0;" : "");
        if (!compresses) {
            server.stream().serve().untilClose();
        }
        Cancellable run = start(Mode.STREAMING, HttpSettings.builder().firstPayloadTimeout(Duration.ofSeconds(1)));
        awaitNews();
        ErrorInfo error = sink.takeInterrupted().error();
        assertEquals("no headers within PT1S", error.message());
        assertEquals(1, server.requests().size()); // it was answered, to nginx
        run.cancel();
    }
}
