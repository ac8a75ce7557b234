package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import okhttp3.Credentials;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Through proxies, with plain HTTP and with TLS, in both modes: a real program where there is one, and one of ours. */
@Timeout(60)
final class ProxyIT { // CONN-07
    private static final String USER = "flags";
    private static final String PASSWORD = "open-sesame";

    private static FakeFlagServer plain;
    private static FakeFlagServer secure; // its certificate takes a second

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();
    private int requestsBefore;

    @TempDir
    Path folder;

    private @Nullable AutoCloseable proxy;
    private @Nullable TcpRelay relay;

    @BeforeAll
    static void startServers() {
        plain = FakeFlagServer.start();
        secure = FakeFlagServer.builder().tls().start();
        plain.set(TestFlags.flag("a").build());
        secure.set(TestFlags.flag("a").build());
    }

    @AfterAll
    static void closeServers() {
        plain.close();
        secure.close();
    }

    @BeforeEach
    void count() {
        requestsBefore = plain.requests().size() + secure.requests().size();
    }

    @AfterEach
    void close() throws Exception {
        if (relay != null) {
            relay.close();
        }
        if (proxy != null) {
            proxy.close();
        }
    }

    enum Kind {
        TINYPROXY,
        IN_THE_TEST
    }

    enum Target {
        HTTP,
        HTTPS;

        FakeFlagServer server() {
            return this == HTTP ? plain : secure;
        }
    }

    static Stream<Arguments> everyWay() {
        return Stream.of(Kind.values())
                .flatMap(kind -> Stream.of(Mode.values())
                        .flatMap(mode -> Stream.of(Target.values())
                                .map(target -> argumentSet(kind + " " + mode + " " + target, kind, mode, target))));
    }

    /** Starts a proxy that wants a name and a password, behind a wire on which all that clients send is seen. */
    private TcpRelay start(Kind kind) {
        int port;
        if (kind == Kind.TINYPROXY) {
            Program program = Program.start(folder, "tinyproxy", ProxyIT::tinyproxy, "-d", "-c", "FILE");
            proxy = program;
            port = program.port();
        } else {
            TestProxy ours = new TestProxy(Credentials.basic(USER, PASSWORD));
            proxy = ours;
            port = ours.port();
        }
        return relayTo(port);
    }

    private TcpRelay relayTo(int port) {
        TcpRelay started = new TcpRelay(port);
        relay = started;
        return started;
    }

    private static String tinyproxy(Path folder, int port) {
        return String.join(
                "\n",
                "Port " + port,
                "Listen 127.0.0.1",
                "Allow 127.0.0.1",
                "Timeout 600",
                "LogFile \"" + folder.resolve("tinyproxy.log") + "\"",
                "BasicAuth " + USER + " " + PASSWORD,
                "");
    }

    private static Proxy address(Proxy.Type type, TcpRelay relay) {
        return new Proxy(type, new InetSocketAddress(InetAddress.getLoopbackAddress(), relay.port()));
    }

    /** A client that trusts the server's certificate, if it has one. */
    private static OkHttpClient.Builder trusting(FakeFlagServer server) {
        OkHttpClient.Builder client = new OkHttpClient.Builder();
        if (server == secure) {
            client.sslSocketFactory(server.sslContext().getSocketFactory(), server.trustManager());
        }
        return client;
    }

    private Cancellable run(Mode mode, FakeFlagServer server, HttpSettings.Builder http) {
        return mode.source(server.uri(), mode.base, http.build()).start(sink, scheduler);
    }

    private void awaitNews() {
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
    }

    private int requestsSeen() {
        return plain.requests().size() + secure.requests().size() - requestsBefore;
    }

    private void assertRefused(TcpRelay relay, int requests, Kind kind) {
        awaitNews();
        RecordingSink.News.Interrupted news = sink.takeInterrupted();
        assertEquals(Failure.Kind.HTTP_STATUS, news.error().kind(), news.toString());
        assertEquals(407, news.error().httpStatus());
        assertEquals("HTTP status 407", news.error().message());
        assertEquals(Duration.ofMinutes(5), news.nextAttemptIn());
        assertEquals(List.of(Duration.ofMinutes(5)), scheduler.pending());
        if (kind == Kind.IN_THE_TEST) {
            assertEquals(OptionalLong.of(7), news.error().retryAfterSeconds());
        }
        assertEquals(requests, relay.requestLines().size(), relay::sent);
        scheduler.advance(Duration.ofMinutes(5));
        awaitNews();
        assertEquals(Duration.ofMinutes(10), sink.takeInterrupted().nextAttemptIn());
        assertEquals(2 * requests, relay.requestLines().size(), relay::sent);
        assertEquals(0, requestsSeen());
    }

    /** Without TLS a request without and one with credentials, with TLS one with them. */
    private void assertOfferedOnce(TcpRelay relay, Kind kind, Target target) {
        int requests = target == Target.HTTPS ? 1 : 2;
        if (kind == Kind.IN_THE_TEST) {
            assertRefused(relay, requests, kind);
            return;
        }
        awaitNews(); // tinyproxy says 407 to those without credentials, but 401 to those with wrong ones
        ErrorInfo error = sink.takeInterrupted().error();
        assertEquals("HTTP status 401", error.message());
        assertEquals(requests, relay.requestLines().size(), relay::sent);
        assertEquals(0, requestsSeen());
    }

    /** Also the application's own socket factory, trust, and header, all at once. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void everyRequestGoesThroughIt(Kind kind, Mode mode, Target target) {
        FakeFlagServer server = target.server();
        TcpRelay relay = start(kind);
        AtomicInteger made = new AtomicInteger();
        WatchedSockets sockets = new WatchedSockets(made::incrementAndGet);
        HttpSettings.Builder http = HttpSettings.builder()
                .client(trusting(server).socketFactory(sockets).build())
                .proxy(address(Proxy.Type.HTTP, relay))
                .proxyAuthentication(USER, PASSWORD)
                .header("X-Team", "shop");
        Cancellable run = run(mode, server, http);
        awaitNews();
        assertEquals(1, sink.takeApplied().items().size());
        assertEquals(1, requestsSeen());
        assertEquals(made.get(), relay.accepted());
        FakeFlagServer.Request request = server.requests().get(server.requests().size() - 1);
        assertEquals(Optional.of("shop"), request.header("X-Team"));
        assertEquals(Optional.of("sdk-key"), request.header("Authorization"));
        assertEquals(Optional.empty(), request.header("Proxy-Authorization"));
        String place = server.uri().getAuthority();
        if (server == secure) {
            assertEquals(List.of("CONNECT " + place + " HTTP/1.1"), relay.requestLines());
            assertFalse(relay.sent().contains("sdk-key")); // nor anything else that is meant for the service
            assertFalse(relay.sent().contains("X-Team"));
        } else { // asked for credentials first
            String line = "GET http://" + place + request.path() + " HTTP/1.1";
            assertEquals(List.of(line, line), relay.requestLines());
        }
        if (mode == Mode.STREAMING) {
            server.heartbeat();
            awaitNews();
            sink.takeConfirmed();
        } else {
            Sockets.runUntilWaiting(scheduler);
            scheduler.advance(mode.base);
            awaitNews();
            sink.takeConfirmed();
            assertEquals(2, requestsSeen());
        }
        run.cancel();
        Sockets.await().until(() -> relay.open() == 0);
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void withoutCredentialsItIsOneRequestAndAFailure(Kind kind, Mode mode, Target target) {
        FakeFlagServer server = target.server();
        TcpRelay relay = start(kind);
        HttpSettings.Builder http =
                HttpSettings.builder().client(trusting(server).build()).proxy(address(Proxy.Type.HTTP, relay));
        Cancellable run = run(mode, server, http);
        assertRefused(relay, 1, kind);
        run.cancel();
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void wrongCredentialsAreOfferedOnce(Kind kind, Mode mode, Target target) {
        FakeFlagServer server = target.server();
        TcpRelay relay = start(kind);
        HttpSettings.Builder http = HttpSettings.builder()
                .client(trusting(server).build())
                .proxy(address(Proxy.Type.HTTP, relay))
                .proxyAuthentication(USER, "guess");
        Cancellable run = run(mode, server, http);
        assertOfferedOnce(relay, kind, target);
        run.cancel();
    }

    /** An application's authenticator, as many are written: it gives the same answer whenever it is asked. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void authenticatorOfTheApplicationIsNotAskedForEver(Kind kind, Mode mode, Target target) {
        FakeFlagServer server = target.server();
        TcpRelay relay = start(kind);
        OkHttpClient client = trusting(server)
                .proxy(address(Proxy.Type.HTTP, relay))
                .proxyAuthenticator((route, response) -> response.request()
                        .newBuilder()
                        .header("Proxy-Authorization", "Basic bm90OnRoaXM=")
                        .build())
                .build();
        Cancellable run = run(mode, server, HttpSettings.builder().client(client));
        assertOfferedOnce(relay, kind, target);
        run.cancel();
    }

    static Stream<Arguments> modesAndTargets() {
        return Stream.of(Mode.values())
                .flatMap(mode ->
                        Stream.of(Target.values()).map(target -> argumentSet(mode + " " + target, mode, target)));
    }

    /** One that tries passwords is stopped, too: three of them, and in the clear one request before that. */
    @ParameterizedTest
    @MethodSource("modesAndTargets")
    void authenticatorThatAlwaysKnowsAnotherPasswordIsStopped(Mode mode, Target target) {
        FakeFlagServer server = target.server();
        TcpRelay relay = start(Kind.IN_THE_TEST);
        AtomicInteger guesses = new AtomicInteger();
        OkHttpClient client = trusting(server)
                .proxy(address(Proxy.Type.HTTP, relay))
                .proxyAuthenticator((route, response) -> response.request()
                        .newBuilder()
                        .header("Proxy-Authorization", "Basic guess" + guesses.incrementAndGet())
                        .build())
                .build();
        Cancellable run = run(mode, server, HttpSettings.builder().client(client));
        assertRefused(relay, target == Target.HTTPS ? 3 : 4, Kind.IN_THE_TEST);
        run.cancel();
    }

    @ParameterizedTest
    @MethodSource("modesAndTargets")
    void socksWorksToo(Mode mode, Target target) {
        FakeFlagServer server = target.server();
        TestProxy ours = new TestProxy(null);
        proxy = ours;
        TcpRelay relay = relayTo(ours.port());
        HttpSettings.Builder http =
                HttpSettings.builder().client(trusting(server).build()).proxy(address(Proxy.Type.SOCKS, relay));
        Cancellable run = run(mode, server, http);
        awaitNews();
        sink.takeApplied();
        assertEquals(1, relay.accepted());
        run.cancel();
        Sockets.await().until(() -> relay.open() == 0);
    }

    /** In a tunnel it is the service that says so, and the proxy's password is none of its business. */
    @ParameterizedTest
    @CsvSource({"STREAMING", "POLLING"})
    void serviceThatAnswers407InATunnelIsNotToldThePassword(Mode mode) {
        TcpRelay relay = start(Kind.IN_THE_TEST);
        HttpSettings.Builder http = HttpSettings.builder()
                .client(trusting(secure).build())
                .proxy(address(Proxy.Type.HTTP, relay))
                .proxyAuthentication(USER, PASSWORD);
        mode.script(secure).respond(407).header("Proxy-Authenticate", "Basic realm=\"trap\"");
        Cancellable run = run(mode, secure, http);
        awaitNews();
        RecordingSink.News.Interrupted news = sink.takeInterrupted();
        assertEquals(407, news.error().httpStatus());
        assertEquals(1, requestsSeen());
        List<FakeFlagServer.Request> requests = secure.requests();
        assertEquals(Optional.empty(), requests.get(requests.size() - 1).header("Proxy-Authorization"));
        assertTrue(mode.script(secure).pending().isEmpty());
        run.cancel();
    }
}
