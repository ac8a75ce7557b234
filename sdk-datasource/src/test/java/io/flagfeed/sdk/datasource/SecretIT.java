package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Observer;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.Script;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Neither the key, nor what an address holds beside its origin, nor a flag's content is shown to anybody. */
@Timeout(60)
final class SecretIT { // SEC-01
    private static final List<String> SECRETS =
            List.of("s3cret-key", "us3rname", "passw0rd", "s3cret-path", "s3cret-value", "s3cret-header");

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Level levelBefore = root.getLevel();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final FakeFlagServer server = FakeFlagServer.start();

    @BeforeEach
    void listen() {
        log.start();
        root.addAppender(log);
        root.setLevel(Level.TRACE);
    }

    @AfterEach
    void close() {
        root.setLevel(levelBefore);
        root.detachAppender(log);
        server.close();
    }

    private static SourceBuilder<?> source(Mode mode, URI uri, Credential credential) {
        ServiceEndpoints endpoints = ServiceEndpoints.relay(uri);
        return mode == Mode.STREAMING
                ? StreamingDataSource.builder(endpoints, credential)
                : PollingDataSource.builder(endpoints, credential);
    }

    private static HttpSettings.Builder http() {
        return HttpSettings.builder().header("X-Token", "s3cret-header").proxyAuthentication("us3rname", "passw0rd");
    }

    static Stream<Arguments> failures() {
        String flag = "{\"flags\":{\"a\":{\"version\":\"s3cret-value\"}}}";
        String chunk = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5;s3cret-value"; // a size line that never ends
        String rude = "HTTP/7.7 s3cret-value\r\n\r\n";
        return Stream.of(Mode.values())
                .flatMap(mode -> Stream.of(
                        failure(mode, "401", script -> script.respond(401).header("X-Echo", "s3cret-key")),
                        failure(mode, "503", script -> script.respond(503).retryAfter("soon")),
                        failure(mode, "bad data", script -> {
                            if (mode == Mode.STREAMING) {
                                script.event("put", "{\"data\":" + flag + "}");
                            } else {
                                script.body("application/json", flag);
                            }
                        }),
                        failure(mode, "not JSON", script -> {
                            if (mode == Mode.STREAMING) {
                                script.event("put", "s3cret-value");
                            } else {
                                script.body("application/json", "s3cret-value");
                            }
                        }),
                        failure(mode, "HTML", script -> script.body("text/html", "<p>s3cret-value</p>")),
                        failure(
                                mode,
                                "redirect",
                                script -> script.redirect(302, "http://us3rname:passw0rd@localhost:1/s3cret-path")),
                        failure(
                                mode,
                                "redirect loop",
                                script -> script.redirect(302, "?s3cret-value").times(30)),
                        failure(
                                mode,
                                "not HTTP",
                                script -> script.bytes(rude.getBytes(StandardCharsets.US_ASCII))
                                        .times(3)),
                        failure(
                                mode,
                                "no line of HTTP", // nor of anything
                                script -> script.bytes("s3cret-value".getBytes(StandardCharsets.US_ASCII))
                                        .times(3)),
                        failure(
                                mode,
                                "half a header",
                                script -> script.bytes("HTTP/1.1 200 OK\r\nX: s3cret-value"
                                                .getBytes(StandardCharsets.US_ASCII))
                                        .times(3)),
                        failure(mode, "chunk", script -> script.bytes(chunk.getBytes(StandardCharsets.US_ASCII))),
                        failure(mode, "reset", script -> script.reset().times(3)),
                        failure(mode, "cut", script -> script.serve().cutHalfway())));
    }

    private static Arguments failure(Mode mode, String name, Consumer<Script> answer) {
        return argumentSet(mode + " " + name, mode, answer);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void noFailureShowsASecret(Mode mode, Consumer<Script> answer) {
        server.set(TestFlags.flag("a").variations("s3cret-value", "other").build());
        mode.script(server).atOnce(answer);
        URI base = server.uri();
        assertNothingShown(mode, URI.create("http://us3rname:passw0rd@127.0.0.1:" + base.getPort() + base.getPath()));
    }

    @ParameterizedTest
    @EnumSource
    void nobodyThereShowsNoSecret(Mode mode) {
        server.refuse();
        int port = server.uri().getPort();
        assertNothingShown(mode, URI.create("http://us3rname:passw0rd@127.0.0.1:" + port + "/s3cret-path"));
    }

    @ParameterizedTest
    @EnumSource
    void nameThatDoesNotResolveShowsNoSecret(Mode mode) {
        assertNothingShown(mode, URI.create("http://us3rname:passw0rd@no-such-host.invalid/s3cret-path"));
    }

    /** The handshake fails before anything is sent, and the certificate is shown instead. */
    @ParameterizedTest
    @EnumSource
    void certificateThatIsNotTrustedShowsNoSecret(Mode mode) throws Exception {
        TestCertificates.Identity stranger = new TestCertificates().issue("127.0.0.1");
        try (FakeFlagServer secure =
                FakeFlagServer.builder().tls(stranger.serverContext()).start()) {
            String place = "127.0.0.1:" + secure.uri().getPort();
            assertNothingShown(mode, URI.create("https://us3rname:passw0rd@" + place + "/s3cret-path"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void certificateOfAnotherHostShowsNoSecret(Mode mode, @TempDir Path folder) throws Exception {
        TestCertificates authority = new TestCertificates();
        TlsSettings tls = TlsSettings.builder()
                .trustedCertificates(authority.authorityFile(folder))
                .build();
        try (FakeFlagServer secure = FakeFlagServer.builder()
                .tls(authority.issue("other.example").serverContext())
                .start()) {
            URI uri = URI.create(
                    "https://us3rname:passw0rd@127.0.0.1:" + secure.uri().getPort() + "/s3cret-path");
            assertNothingShown(source(mode, uri, Credential.of("s3cret-key"))
                    .http(http().tls(tls).build()));
        }
    }

    static Stream<HttpSettings> limits() {
        Duration soon = Duration.ofMillis(50);
        return Stream.of(
                http().maxPayloadBytes(10).build(),
                http().maxHeaderBytes(10).build(),
                http().firstPayloadTimeout(soon).callTimeout(soon).build(),
                http().readTimeout(soon).build());
    }

    /** What is too large, and then what is too late. */
    @ParameterizedTest
    @MethodSource("limits")
    void limitsShowNoSecret(HttpSettings http) {
        server.set(TestFlags.flag("a").variations("s3cret-value", "other").build());
        for (Mode mode : Mode.values()) {
            if (http.maxPayloadBytes() > 10 && http.maxHeaderBytes() > 10) {
                mode.script(server).hang().times(2);
            }
            assertNothingShown(
                    source(mode, server.uri(), Credential.of("s3cret-key")).http(http));
        }
    }

    @ParameterizedTest
    @EnumSource
    void swapShowsNoKey(Mode mode) {
        server.require("another");
        Credential credential = Credential.of("s3cret-key");
        RecordingSink sink = new RecordingSink();
        Cancellable run = source(mode, server.uri(), credential).build().start(sink, scheduler);
        for (int attempt = 1; attempt <= 2; attempt++) {
            Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
            assertHoldsNoSecret(sink.takeInterrupted().toString());
            credential.swap("s3cret-key-" + attempt);
        }
        run.cancel();
        Sockets.awaitNoThreads();
        assertTrue(List.copyOf(log.list).stream()
                .anyMatch(event -> event.getFormattedMessage().endsWith(" goes on with another key")));
        for (ILoggingEvent event : List.copyOf(log.list)) {
            if (!event.getLoggerName().startsWith("io.flagfeed.sdk.testing")) {
                assertHoldsNoSecret(event.getFormattedMessage());
            }
        }
    }

    @Test
    void fetchThatFailsShowsNoSecret() {
        server.require("another");
        PollingDataSource source = PollingDataSource.builder(server.uri(), "s3cret-key")
                .http(http().build())
                .build();
        BudgetExceededException e =
                assertThrows(BudgetExceededException.class, () -> source.fetchOnce(Duration.ofSeconds(1)));
        StringWriter all = new StringWriter();
        e.printStackTrace(new PrintWriter(all));
        assertHoldsNoSecret(all.toString());
    }

    @ParameterizedTest
    @EnumSource
    void proxyThatRefusesShowsNoSecret(Mode mode) {
        try (TestProxy proxy = new TestProxy("other credentials")) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port());
            HttpSettings.Builder http = http().proxy(new Proxy(Proxy.Type.HTTP, address));
            for (String scheme : List.of("http", "https")) {
                URI uri = URI.create(scheme + "://us3rname:passw0rd@flags.invalid/s3cret-path");
                assertNothingShown(
                        source(mode, uri, Credential.of("s3cret-key")).http(http.build()));
            }
        }
    }

    /** OkHttp itself hides the header only that everybody knows. */
    @ParameterizedTest
    @EnumSource
    void interceptorThatQuotesTheRequestShowsNoKey(Mode mode) {
        List<IOException> thrown = List.of(new IOException(), new SocketException());
        for (IOException kind : thrown) {
            OkHttpClient client = new OkHttpClient.Builder()
                    .addInterceptor(chain -> {
                        String text = "refused: " + chain.request().header("X-Api-Key");
                        throw kind instanceof SocketException ? new SocketException(text) : new IOException(text);
                    })
                    .build();
            HttpSettings http = HttpSettings.builder()
                    .client(client)
                    .headerNames(
                            HeaderNames.builder().authorization("X-Api-Key").build())
                    .build();
            assertNothingShown(
                    source(mode, server.uri(), Credential.of("s3cret-key")).http(http));
        }
    }

    static Stream<Supplier<String>> providers() {
        return Stream.of(() -> "s3cret-key\n", () -> {
            throw new IllegalStateException("s3cret-key", new IOException("passw0rd"));
        });
    }

    @ParameterizedTest
    @MethodSource("providers")
    void providerOfTheKeyShowsNoSecret(Supplier<String> provider) {
        for (Mode mode : Mode.values()) {
            assertNothingShown(source(mode, server.uri(), Credential.provided(provider)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsGivenToABuilderIsNotShown(Mode mode) {
        SourceBuilder<?> builder = source(mode, server.uri(), Credential.of("s3cret-key"));
        HttpSettings http = http().build();
        List<String> shown = List.of(
                http.toString(),
                builder.toString(),
                builder.http(http).build().toString(),
                Credential.of("s3cret-key").toString(),
                ServiceEndpoints.relay(URI.create("http://us3rname:passw0rd@host/s3cret-path"))
                        .toString());
        shown.forEach(SecretIT::assertHoldsNoSecret);
    }

    private void assertNothingShown(Mode mode, URI uri) {
        assertNothingShown(source(mode, uri, Credential.of("s3cret-key")).http(http().build()));
    }

    private void assertNothingShown(SourceBuilder<?> builder) {
        DataSource source = builder.build();
        List<String> shown = Collections.synchronizedList(new ArrayList<>());
        DataSystem system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .observer(new Noting(shown))
                .build();
        system.onStatus(status -> shown.add(status.toString()));
        system.start();
        Sockets.runUntil(scheduler, () -> system.status().lastError() != null);
        DataSourceStatus status = system.status();
        shown.add(status.toString());
        shown.add(source.toString());
        shown.add(system.snapshot().toString());
        system.close();
        Sockets.awaitNoThreads(); // what an attempt says last
        for (ILoggingEvent event : List.copyOf(log.list)) {
            if (event.getLoggerName().startsWith("io.flagfeed.sdk.testing")) {
                continue; // the fake service knows them
            }
            shown.add(event.getFormattedMessage());
            if (event.getThrowableProxy() != null) {
                shown.add(ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        }
        shown.forEach(SecretIT::assertHoldsNoSecret);
        assertTrue(shown.size() > 5, shown::toString);
    }

    private static void assertHoldsNoSecret(String line) {
        for (String secret : SECRETS) {
            byte[] bytes = secret.getBytes(StandardCharsets.US_ASCII);
            String hex = HexFormat.of().formatHex(bytes); // as Okio quotes bytes
            String base64 = Base64.getEncoder().withoutPadding().encodeToString(bytes);
            assertFalse(
                    line.contains(secret) || line.contains(hex) || line.contains(base64),
                    () -> secret + " in: " + line);
        }
    }

    /** All that an observer hears, in words. */
    private record Noting(List<String> shown) implements Observer {
        @Override
        public void attemptFailed(ErrorInfo error, Duration nextAttemptIn) {
            shown.add(error.toString());
        }

        @Override
        public void applied(Applied applied) {
            shown.add(applied.toString());
        }

        @Override
        public void statusMoved(DataSourceStatus status) {
            shown.add(status.toString());
        }

        @Override
        public void listenerFailed(Throwable error) {
            shown.add(error.toString());
        }
    }
}
