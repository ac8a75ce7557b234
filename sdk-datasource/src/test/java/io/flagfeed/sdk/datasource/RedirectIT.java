package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a redirect is followed, and that the key goes nowhere else. */
@Timeout(30)
final class RedirectIT { // CONN-01
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();
    private final FakeFlagServer server = FakeFlagServer.start();
    private final FakeFlagServer other = FakeFlagServer.start();

    @AfterEach
    void close() {
        server.close();
        other.close();
    }

    private static String path(Mode mode) {
        return mode == Mode.STREAMING ? "/all" : "/sdk/latest-all";
    }

    private static Stream<Arguments> cases() {
        return Stream.of(Mode.values())
                .flatMap(mode -> IntStream.of(301, 302, 303, 307, 308).mapToObj(status -> Arguments.of(mode, status)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void withinTheOriginItIsFollowedWithTheKey(Mode mode, int status) {
        server.set(TestFlags.flag("a").version(7).build());
        mode.script(server)
                .atOnce(script -> script.redirect(status, path(mode) + "?absolute=path")
                        .then()
                        .redirect(status, "?relative=yes")
                        .then()
                        .redirect(status, server.uri() + path(mode)));
        Cancellable run = mode.source(server).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        ChangeSet changes = sink.takeApplied();
        assertEquals(7, changes.items().get(0).version());
        assertEquals(
                List.of("null", "absolute=path", "relative=yes", "null"),
                server.requests().stream()
                        .map(request -> String.valueOf(request.query()))
                        .toList());
        server.requests()
                .forEach(request ->
                        assertEquals("sdk-key", request.header("Authorization").orElse("none")));
        run.cancel();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void anotherOriginGetsNothingAtAllAndTheFailureSaysSo(Mode mode, int status) {
        other.set(TestFlags.flag("a").build());
        mode.script(server)
                .redirect(status, "http://user:word@127.0.0.1:" + other.uri().getPort() + path(mode))
                .retryAfter(47);
        Cancellable run = mode.source(server).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        RecordingSink.News.Interrupted news = sink.takeInterrupted();
        assertError(
                news.error(),
                status,
                "HTTP status " + status + ": redirected to another origin, http://127.0.0.1:"
                        + other.uri().getPort());
        assertEquals(47, news.error().retryAfterSeconds().orElseThrow());
        assertEquals(List.of(), other.requests());
        server.set(TestFlags.flag("a").version(2).build());
        scheduler.advance(Duration.ofSeconds(47)); // the next attempt starts from the address that was configured
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        assertEquals(2, sink.takeApplied().items().get(0).version());
        run.cancel();
    }

    @ParameterizedTest
    @EnumSource
    void anotherSchemeOrPortIsAnotherOrigin(Mode mode) {
        int port = server.uri().getPort();
        for (String location :
                List.of("https://127.0.0.1:" + port + "/all", "//localhost:" + port + "/all", "http://127.0.0.1/")) {
            mode.script(server).redirect(302, location);
            Cancellable run = mode.source(server).start(sink, scheduler);
            Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
            String message = sink.takeInterrupted().error().message();
            assertEquals(true, message.startsWith("HTTP status 302: redirected to another origin, "), message);
            run.cancel();
        }
    }

    @ParameterizedTest
    @EnumSource
    void loopOrMissingOrUnusableLocationIsOneFailedAttempt(Mode mode) {
        mode.script(server).redirect(302, "").times(11);
        assertEquals("HTTP status 302: more than 10 redirects", failureOf(mode));
        assertEquals(11, server.requests().size());
        mode.script(server).respond(307);
        assertEquals("HTTP status 307: no usable Location", failureOf(mode));
        mode.script(server).redirect(301, "gopher://127.0.0.1/");
        assertEquals("HTTP status 301: no usable Location", failureOf(mode));
        mode.script(server).respond(300);
        assertEquals("HTTP status 300", failureOf(mode));
        mode.script(server).redirect(305, "/elsewhere");
        assertEquals("HTTP status 305", failureOf(mode));
        assertEquals(15, server.requests().size());
    }

    /** Not anew for each of them. */
    @ParameterizedTest
    @EnumSource
    void limitToAnAttemptCountsForAllItsRedirectsTogether(Mode mode) { // POLL-10
        mode.script(server).redirect(302, "").after(Duration.ofMillis(60)).times(11);
        HttpSettings http = HttpSettings.builder()
                .callTimeout(Duration.ofMillis(250))
                .firstPayloadTimeout(Duration.ofMillis(250))
                .build();
        Cancellable run = mode.source(server.uri(), mode.base, http).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        assertEquals(
                (mode == Mode.STREAMING ? "no headers" : "no whole answer") + " within PT0.25S",
                sink.takeInterrupted().error().message());
        run.cancel();
    }

    private String failureOf(Mode mode) {
        Cancellable run = mode.source(server).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        ErrorInfo error = sink.takeInterrupted().error();
        run.cancel();
        return error.message();
    }

    private static void assertError(ErrorInfo error, int status, String message) {
        assertEquals(Failure.Kind.HTTP_STATUS, error.kind());
        assertEquals(status, error.httpStatus());
        assertEquals(message, error.message());
    }
}
