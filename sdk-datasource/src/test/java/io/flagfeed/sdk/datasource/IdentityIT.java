package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request says of who asks. */
@Timeout(30)
final class IdentityIT {
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final String TAGS = "X-LaunchDarkly-Tags";
    private static final String WRAPPER = "X-LaunchDarkly-Wrapper";
    private static final String INSTANCE = "X-LaunchDarkly-Instance-Id";

    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();

    @AfterEach
    void close() {
        server.close();
    }

    private FakeFlagServer.Request request(Mode mode, HttpSettings.Builder http) {
        int before = server.requests().size();
        Cancellable run = mode.source(server.uri(), mode.base, http.build()).start(new RecordingSink(), scheduler);
        Sockets.runUntil(scheduler, () -> server.requests().size() > before);
        run.cancel();
        return server.requests().get(before);
    }

    private static List<String> names(FakeFlagServer.Request request) {
        List<String> ofOkHttp = List.of("Host", "Connection", "Accept-Encoding");
        return request.headers().stream()
                .map(FakeFlagServer.Header::name)
                .filter(name -> !ofOkHttp.contains(name))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void byDefaultOnlyTheLibraryAndAnInstanceAreNamed(Mode mode) {
        FakeFlagServer.Request request = request(mode, HttpSettings.builder());
        assertEquals(
                mode == Mode.STREAMING
                        ? List.of("Authorization", "User-Agent", INSTANCE, "Accept", "Cache-Control")
                        : List.of("Authorization", "User-Agent", INSTANCE),
                names(request));
        assertTrue(request.header("User-Agent").orElseThrow().matches("Flagfeed/\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?"));
        assertEquals(4, UUID.fromString(request.header(INSTANCE).orElseThrow()).version());
    }

    @ParameterizedTest
    @EnumSource
    void everythingComesInTheProtocolsOrderAndTheUsersHeadersLast(Mode mode) {
        FakeFlagServer.Request request = request(
                mode,
                HttpSettings.builder()
                        .header("X-Team", "shop")
                        .wrapper("Spring", "6.1")
                        .applicationVersion("7")
                        .applicationId("checkout")
                        .product("ShopSdk", "1.2")
                        .header("X-Zone", "b"));
        List<String> mine = List.of("X-Team", "X-Zone");
        List<String> ours = List.of("Authorization", "User-Agent", TAGS, WRAPPER, INSTANCE);
        List<String> ofTheMode = mode == Mode.STREAMING ? List.of("Accept", "Cache-Control") : List.of();
        assertEquals(Stream.of(ours, ofTheMode, mine).flatMap(List::stream).toList(), names(request));
        assertTrue(request.header("User-Agent").orElseThrow().matches("Flagfeed/\\S+ ShopSdk/1\\.2"));
        assertEquals(Optional.of("application-id/checkout application-version/7"), request.header(TAGS));
        assertEquals(Optional.of("Spring/6.1"), request.header(WRAPPER));
        assertEquals(List.of("shop"), request.headers("X-Team"));
    }

    static Stream<Arguments> tags() {
        String all = "._-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345678";
        List<String> values = List.of("", all, "_".repeat(64));
        return values.stream().flatMap(id -> values.stream().map(version -> arguments(id, version)));
    }

    @ParameterizedTest
    @MethodSource("tags")
    void tagsAreSentWithoutThePartThatIsEmpty(String id, String version) {
        for (Mode mode : Mode.values()) {
            String expected = Stream.of("application-id/" + id, "application-version/" + version)
                    .filter(tag -> !tag.endsWith("/"))
                    .reduce((one, other) -> one + " " + other)
                    .orElse("none");
            HttpSettings.Builder http = HttpSettings.builder().applicationId(id).applicationVersion(version);
            assertEquals(expected, request(mode, http).header(TAGS).orElse("none"));
        }
    }

    static Stream<String> badTags() {
        Stream<String> ascii = Stream.iterate(33, c -> c + 1)
                .limit(127 - 33 + 1)
                .map(Character::toString)
                .filter(c -> !c.matches("[A-Za-z0-9._-]"));
        return Stream.concat(ascii, Stream.of("\t", "\n", "\r", "é", "😀", " ")).map(c -> "bad-" + c);
    }

    @ParameterizedTest
    @MethodSource("badTags")
    void badTagIsLeftOutAndTheOtherSent(String bad) {
        assertLeftOut(bad);
    }

    @ParameterizedTest
    @ValueSource(ints = {65, 1000})
    void longTagIsLeftOutAndTheOtherSent(int length) {
        assertLeftOut("a".repeat(length));
    }

    private void assertLeftOut(String bad) {
        try (RecordedLog log = new RecordedLog()) {
            HttpSettings.Builder badId =
                    HttpSettings.builder().applicationId(bad).applicationVersion("ok");
            HttpSettings.Builder badVersion =
                    HttpSettings.builder().applicationId("ok").applicationVersion(bad);
            assertEquals(
                    List.of(
                            "WARN applicationId is not sent, for it is not 1 to 64 letters, digits, '.', '_' and '-'",
                            "WARN applicationVersion is not sent, for it is not 1 to 64 letters, digits, '.', '_' and '-'"),
                    log.lines(Level.WARN));
            assertEquals(
                    Optional.of("application-version/ok"),
                    request(Mode.STREAMING, badId).header(TAGS));
            assertEquals(
                    Optional.of("application-id/ok"),
                    request(Mode.STREAMING, badVersion).header(TAGS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void wrapperMayHaveNoVersion(Mode mode) {
        assertEquals(
                Optional.of("TestName"),
                request(mode, HttpSettings.builder().wrapper("TestName", "")).header(WRAPPER));
    }

    /** In polls of the same connection and over reconnects of a stream. */
    @ParameterizedTest
    @EnumSource
    void instanceIsTheSameForARunAndAnotherForTheNext(Mode mode) throws Exception {
        server.set(TestFlags.flag("a").build());
        mode.script(server).serve().end().times(6);
        Cancellable first = mode.source(server).start(new RecordingSink(), scheduler);
        for (int attempt = 1; attempt <= 2; attempt++) { // the ladder of streams, the interval of polls
            Duration wait = mode == Mode.STREAMING ? Duration.ofSeconds(attempt) : mode.base;
            Sockets.runUntil(scheduler, () -> scheduler.pending().equals(List.of(wait)));
            scheduler.advance(wait);
        }
        server.awaitRequests(3, LONGEST);
        first.cancel();
        Cancellable second = mode.source(server).start(new RecordingSink(), scheduler);
        Sockets.runUntil(scheduler, () -> server.requests().size() == 4);
        second.cancel();
        List<String> ids = server.requests().stream()
                .map(request -> request.header(INSTANCE).orElseThrow())
                .toList();
        assertEquals(List.of(ids.get(0), ids.get(0), ids.get(0)), ids.subList(0, 3));
        assertNotEquals(ids.get(0), ids.get(3));
    }

    @ParameterizedTest
    @EnumSource
    void instanceMayBeGiven(Mode mode) {
        UUID id = UUID.fromString("123e4567-e89b-42d3-a456-426614174000");
        HttpSettings.Builder http = HttpSettings.builder().instanceId(id);
        assertEquals(Optional.of(id.toString()), request(mode, http).header(INSTANCE));
        assertEquals(Optional.of(id.toString()), request(mode, http).header(INSTANCE));
    }

    @ParameterizedTest
    @EnumSource
    void otherServicesCallThemDifferently(Mode mode) {
        HeaderNames names = HeaderNames.builder()
                .authorization("X-Api-Key")
                .tags("X-App")
                .wrapper("X-Wrapper")
                .instanceId("X-Instance")
                .build();
        HttpSettings.Builder http =
                HttpSettings.builder().headerNames(names).applicationId("shop").wrapper("W", "1");
        FakeFlagServer.Request request = request(mode, http);
        assertEquals(Optional.of("sdk-key"), request.header("X-Api-Key"));
        assertEquals(Optional.of("application-id/shop"), request.header("X-App"));
        assertEquals(Optional.of("W/1"), request.header("X-Wrapper"));
        assertEquals(36, request.header("X-Instance").orElseThrow().length());
        assertEquals(Optional.empty(), request.header("Authorization"));
        assertTrue(names(request).stream().noneMatch(name -> name.contains("LaunchDarkly")));
    }

    @ParameterizedTest
    @EnumSource
    void headersWithoutANameAreNotSent(Mode mode) {
        HeaderNames names = HeaderNames.builder()
                .tags(null)
                .wrapper(null)
                .instanceId(null)
                .environmentId(null)
                .build();
        HttpSettings.Builder http =
                HttpSettings.builder().headerNames(names).applicationId("shop").wrapper("W", "1");
        List<String> sent = names(request(mode, http));
        assertEquals(List.of("Authorization", "User-Agent"), sent.subList(0, 2));
        assertEquals(mode == Mode.STREAMING ? 4 : 2, sent.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "X Y", "X:Y", "Ü", "X\n"})
    void refusesWhatIsNoToken(String name) {
        HttpSettings.Builder http = HttpSettings.builder();
        HeaderNames.Builder names = HeaderNames.builder();
        assertRefused("product name is no HTTP token: " + name, () -> http.product(name, "1"));
        assertRefused("product version is no HTTP token: " + name, () -> http.product("a", name));
        assertRefused("authorization is no HTTP token: " + name, () -> names.authorization(name));
        assertRefused("tags is no HTTP token: " + name, () -> names.tags(name));
        assertRefused("wrapper is no HTTP token: " + name, () -> names.wrapper(name));
        assertRefused("instanceId is no HTTP token: " + name, () -> names.instanceId(name));
        assertRefused("environmentId is no HTTP token: " + name, () -> names.environmentId(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Key", "x-key"})
    void refusesTwoHeadersOfOneName(String name) {
        HeaderNames.Builder names = HeaderNames.builder().authorization("X-Key").instanceId(name);
        assertRefused("two headers have one name: " + name, names::build);
        assertEquals(name, names.authorization("X-Other").build().instanceId());
    }

    @ParameterizedTest
    @ValueSource(strings = {"W\n", "é"})
    void refusesWrapper(String text) {
        HttpSettings.Builder http = HttpSettings.builder();
        int code = text.charAt(text.length() - 1);
        String rule =
                " holds a character that a header cannot carry: code " + code + " at index " + (text.length() - 1);
        assertRefused("wrapper name" + rule, () -> http.wrapper(text, "1"));
        assertRefused("wrapper version" + rule, () -> http.wrapper("W", text));
        assertRefused("wrapper name is empty", () -> http.wrapper(" ", "1"));
    }

    private static void assertRefused(String message, Runnable setter) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, setter::run).getMessage());
    }
}
