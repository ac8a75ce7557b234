package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Script;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Neither the key, nor what an address holds beside its origin, nor a flag's content is shown to anybody. */
@Timeout(60)
final class SecretIT { // SEC-01
    private static final List<String> SECRETS =
            List.of("s3cret-key", "us3rname", "passw0rd", "s3cret-path", "s3cret-value");

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

    private static DataSource source(Mode mode, URI uri) {
        return mode == Mode.STREAMING
                ? StreamingDataSource.builder(uri, "s3cret-key").build()
                : PollingDataSource.builder(uri, "s3cret-key").build();
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

    private void assertNothingShown(Mode mode, URI uri) {
        DataSource source = source(mode, uri);
        List<String> shown = new ArrayList<>();
        DataSystem system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
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
        for (String secret : SECRETS) {
            String hex = HexFormat.of().formatHex(secret.getBytes(StandardCharsets.US_ASCII)); // as Okio quotes bytes
            for (String line : shown) {
                assertFalse(line.contains(secret) || line.contains(hex), () -> secret + " in: " + line);
            }
        }
        assertEquals(true, shown.size() > 3);
    }
}
