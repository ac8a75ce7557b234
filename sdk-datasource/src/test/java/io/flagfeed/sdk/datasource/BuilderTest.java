package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the builders take, refuse and replace. */
final class BuilderTest {
    private static final URI BASE = URI.create("http://localhost");

    private static DataSource build(Mode mode, URI uri, String key) {
        return mode == Mode.STREAMING
                ? StreamingDataSource.builder(uri, key).build()
                : PollingDataSource.builder(uri, key).build();
    }

    static Stream<Arguments> addresses() {
        return Stream.of(Mode.values())
                .flatMap(mode -> Stream.of(
                        argumentSet(
                                mode + " ftp",
                                mode,
                                "ftp://host",
                                "baseUri is not an http or https address: ftp://host"),
                        argumentSet(
                                mode + " no scheme", mode, "host/path", "baseUri is not an http or https address: …"),
                        argumentSet(
                                mode + " userinfo is not shown",
                                mode,
                                "ws://user:secret@host",
                                "baseUri is not an http or https address: ws://host"),
                        argumentSet(
                                mode + " query",
                                mode,
                                "http://host/p/q?x=1",
                                "baseUri has a query or a fragment: http://host"),
                        argumentSet(
                                mode + " fragment",
                                mode,
                                "http://user:secret@host#x",
                                "baseUri has a query or a fragment: http://host")));
    }

    @ParameterizedTest
    @MethodSource("addresses")
    void refusesAddress(Mode mode, String address, String message) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> build(mode, URI.create(address), "key"));
        assertEquals(message, e.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void refusesKey(Mode mode) {
        String[][] keys = {
            {"", "sdkKey is empty"},
            {"  ", "sdkKey is empty"},
            {"secret\n", "sdkKey holds a character that a header cannot carry: code 10 at index 6"},
            {"secret\u0000", "sdkKey holds a character that a header cannot carry: code 0 at index 6"},
            {"sécret", "sdkKey holds a character that a header cannot carry: code 233 at index 1"},
        };
        for (String[] key : keys) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> build(mode, BASE, key[0]), key[1]);
            assertEquals(key[1], e.getMessage());
        }
        assertEquals(
                "sdkKey",
                assertThrows(NullPointerException.class, () -> build(mode, BASE, null))
                        .getMessage());
        assertEquals(
                "baseUri",
                assertThrows(NullPointerException.class, () -> build(mode, null, "key"))
                        .getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void showsNoKey(Mode mode) {
        String text = build(mode, URI.create("https://user:word@host/secret"), "secret-key")
                .toString();
        assertEquals((mode == Mode.STREAMING ? "Streaming" : "Polling") + "DataSource[https://host:443]", text);
        String settings =
                HttpSettings.builder().header("X-Token", "secret").build().toString();
        assertTrue(settings.contains("X-Token"), settings);
        assertFalse(settings.contains("secret"), settings);
    }

    static Stream<Arguments> senselessDurations() {
        List<Arguments> rows = new ArrayList<>();
        for (Duration senseless :
                new Duration[] {null, Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MIN_VALUE)}) {
            rows.add(argumentSet(
                    "initialRetryDelay " + senseless,
                    (Runnable) () -> StreamingDataSource.builder(BASE, "key")
                            .initialRetryDelay(senseless)
                            .build(),
                    "WARN initialRetryDelay makes no sense as " + senseless + ": using the default PT1S"));
            rows.add(argumentSet(
                    "pollInterval " + senseless,
                    (Runnable) () -> PollingDataSource.builder(BASE, "key")
                            .pollInterval(senseless)
                            .build(),
                    "WARN pollInterval makes no sense as " + senseless + ": using the default PT30S"));
            rows.add(argumentSet(
                    "connectTimeout " + senseless,
                    (Runnable) () ->
                            HttpSettings.builder().connectTimeout(senseless).build(),
                    "WARN connectTimeout makes no sense as " + senseless
                            + ": using the default PT5S, or the client's"));
            rows.add(argumentSet(
                    "callTimeout " + senseless,
                    (Runnable)
                            () -> HttpSettings.builder().callTimeout(senseless).build(),
                    "WARN callTimeout makes no sense as " + senseless + ": using the default PT1M, or the client's"));
            rows.add(argumentSet(
                    "firstPayloadTimeout " + senseless,
                    (Runnable) () -> HttpSettings.builder()
                            .firstPayloadTimeout(senseless)
                            .build(),
                    "WARN firstPayloadTimeout makes no sense as " + senseless + ": using the default PT30S"));
            rows.add(argumentSet(
                    "readTimeout " + senseless,
                    (Runnable)
                            () -> HttpSettings.builder().readTimeout(senseless).build(),
                    "WARN readTimeout makes no sense as " + senseless + ": using the default of the source"));
        }
        return rows.stream();
    }

    @ParameterizedTest
    @MethodSource("senselessDurations")
    void replacesSenselessDurationWithOneWarning(Runnable build, String line) { // R16
        try (RecordedLog log = new RecordedLog()) {
            build.run();
            assertEquals(List.of(line), log.lines(Level.INFO));
        }
    }

    /** That a value reaches the loop: the wait after a failure shows it. */
    @ParameterizedTest
    @CsvSource({"PT0.000000001S", "PT0.5S", "PT2H", "PT8760000H", "PT2562047788015215H"})
    void keepsPositiveDurationHoweverSmallOrLarge(Duration duration) throws Exception { // RETRY-07
        for (Mode mode : Mode.values()) {
            VirtualScheduler scheduler = new VirtualScheduler();
            RecordingSink sink = new RecordingSink();
            try (FakeFlagServer server = FakeFlagServer.start();
                    RecordedLog log = new RecordedLog()) {
                mode.script(server).respond(500).forever();
                mode.source(server.uri(), duration, HttpSettings.DEFAULT).start(sink, scheduler);
                Sockets.runUntilWaiting(scheduler);
                Duration most = Duration.ofNanos(Long.MAX_VALUE);
                Duration expected = duration.compareTo(most) > 0 ? most : duration;
                assertEquals(expected, sink.takeInterrupted().nextAttemptIn());
                assertEquals(1, log.lines(Level.INFO).size(), "only that the attempt failed");
            }
        }
    }

    @Test
    void absurdTimeoutsAreClampedToWhatTheHttpClientTakes() {
        for (Duration absurd : List.of(Duration.ofNanos(1), Duration.ofSeconds(Long.MAX_VALUE))) {
            HttpSettings settings = HttpSettings.builder()
                    .connectTimeout(absurd)
                    .readTimeout(absurd)
                    .callTimeout(absurd)
                    .firstPayloadTimeout(absurd)
                    .build();
            StreamingDataSource.builder(BASE, "key").http(settings).build();
            PollingDataSource.builder(BASE, "key").http(settings).build();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "X Y", "X:Y", "Ü", "X\n"})
    void refusesHeaderName(String name) {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> HttpSettings.builder().header(name, "v"));
        assertEquals("header name is no HTTP token: " + name, e.getMessage());
    }

    @Test
    void refusesHeaderValueWithoutShowingIt() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> HttpSettings.builder().header("X-Token", "secret\r\nA: b"));
        assertEquals("header X-Token holds a character that a header cannot carry: code 13 at index 6", e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ".a",
                "_a",
                "-a",
                "a b",
                "a&b",
                "a+b",
                "a%20b",
                "a/b",
                "é",
                "a\n",
                "encoding necessary +! %& ( )"
            })
    void refusesFilterThatIsNoKey(String filter) {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> HttpSettings.builder().filter(filter));
        assertEquals("filter is no key of a payload filter: " + filter, e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesPayloadLimitThatAllowsNothing(int bytes) {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> HttpSettings.builder().maxPayloadBytes(bytes));
        assertEquals("maxPayloadBytes <= 0: " + bytes, e.getMessage());
    }

    @Test
    void refusesNull() {
        HttpSettings.Builder settings = HttpSettings.builder();
        assertThrows(NullPointerException.class, () -> settings.client(null));
        assertThrows(NullPointerException.class, () -> settings.proxy(null));
        assertThrows(NullPointerException.class, () -> settings.filter(null));
        assertThrows(NullPointerException.class, () -> settings.proxyAuthentication(null, "x"));
        assertThrows(NullPointerException.class, () -> settings.proxyAuthentication("x", null));
        assertThrows(IllegalArgumentException.class, () -> settings.proxyAuthentication("a:b", "x"));
        List<Consumer<StreamingDataSource.Builder>> setters = List.of(
                builder -> builder.retryPolicy(null), builder -> builder.http(null), builder -> builder.random(null));
        setters.forEach(setter -> assertThrows(
                NullPointerException.class, () -> setter.accept(StreamingDataSource.builder(BASE, "key"))));
        List<Consumer<PollingDataSource.Builder>> pollSetters = List.of(
                builder -> builder.retryPolicy(null), builder -> builder.http(null), builder -> builder.random(null));
        pollSetters.forEach(setter ->
                assertThrows(NullPointerException.class, () -> setter.accept(PollingDataSource.builder(BASE, "key"))));
    }
}
