package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the service sees of a request. */
final class RequestIT {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();

    @AfterEach
    void close() {
        server.close();
    }

    private FakeFlagServer.Request request(Mode mode, String base, HttpSettings http) throws InterruptedException {
        Cancellable run =
                mode.source(URI.create(server.uri() + base), mode.base, http).start(sink, scheduler);
        scheduler.runDue();
        FakeFlagServer.Request request = server.awaitRequest(LONGEST);
        run.cancel();
        return request;
    }

    @ParameterizedTest
    @CsvSource({"'', ''", "/, ''", "/p, /p", "/p/, /p", "/endpoints/7, /endpoints/7", "/p%2Fq/, /p%2Fq"})
    void pathIsJoinedToTheBaseOnceWhateverItsEnd(String base, String prefix) throws InterruptedException { // CONF-01
        assertEquals(
                prefix + "/all",
                request(Mode.STREAMING, base, HttpSettings.DEFAULT).path());
        FakeFlagServer.Request poll = request(Mode.POLLING, base, HttpSettings.DEFAULT);
        assertEquals(prefix + "/sdk/latest-all", poll.path());
        assertNull(poll.query());
    }

    @ParameterizedTest
    @ValueSource(strings = {"encoding_not_necessary", "0", "a.b-c_D9"})
    void filterIsAskedForOnceWhateverTheBasesEnd(String filter) throws InterruptedException { // CONF-01
        HttpSettings http = HttpSettings.builder().filter(filter).build();
        for (Mode mode : Mode.values()) {
            for (String end : new String[] {"", "/"}) {
                FakeFlagServer.Request request = request(mode, end, http);
                assertEquals(mode == Mode.STREAMING ? "/all" : "/sdk/latest-all", request.path());
                assertEquals("filter=" + filter, request.query());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void headersOfBothModes(Mode mode) throws InterruptedException {
        HttpSettings http = HttpSettings.builder().header("X-Team", "shop").build();
        FakeFlagServer.Request request = request(mode, "", http);
        assertEquals("GET", request.method());
        assertEquals(Optional.of("sdk-key"), request.header("authorization"));
        assertTrue(request.header("User-Agent").orElseThrow().startsWith("Flagfeed"));
        assertEquals(Optional.of("shop"), request.header("X-Team"));
        assertEquals(Optional.empty(), request.header("If-None-Match"));
        assertEquals(Optional.empty(), request.header("Last-Event-ID"));
        assertEquals(Optional.of("gzip"), request.header("Accept-Encoding"));
        assertEquals(
                mode == Mode.STREAMING ? Optional.of("text/event-stream") : Optional.empty(), request.header("Accept"));
    }

    @ParameterizedTest
    @EnumSource
    void headerOfTheUserReplacesOneOfOurs(Mode mode) throws InterruptedException {
        HttpSettings http = HttpSettings.builder()
                .header("authorization", "api_key other")
                .header("User-Agent", "Shop/1")
                .header("Accept", "text/event-stream, */*")
                .header("Cache-Control", "no-store")
                .build();
        FakeFlagServer.Request request = request(mode, "", http);
        assertEquals(List.of("api_key other"), request.headers("Authorization"));
        assertEquals(List.of("Shop/1"), request.headers("User-Agent"));
        assertEquals(List.of("text/event-stream, */*"), request.headers("Accept"));
        assertEquals(List.of("no-store"), request.headers("Cache-Control"));
    }

    /** Sent back, one could end the line that it stands in. */
    @ParameterizedTest
    @ValueSource(strings = {"\"a\u0001b\"", "\"a\tb\"", "\"a\u007fb\""})
    void entityTagWithAControlCharacterIsForgotten(String tag) {
        server.set(TestFlags.flag("a").build());
        server.poll().serve().etag(tag).times(2);
        Cancellable run = Mode.POLLING.source(server).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        sink.takeApplied();
        Sockets.runUntilWaiting(scheduler);
        scheduler.advanceToNext();
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        sink.takeApplied();
        assertEquals(
                List.of(Optional.empty(), Optional.empty()),
                server.requests().stream()
                        .map(request -> request.header("If-None-Match"))
                        .toList());
        run.cancel();
    }

    /** What OkHttp could not read is not sent back as something else, and does not end the source either. */
    @Test
    void entityTagThatIsNoUtf8IsForgotten() throws Exception {
        server.poll()
                .atOnce(script -> script.body("application/json", "{\"flags\":{}}")
                        .etag("\"d\u00e9\"")
                        .times(2));
        Mode.POLLING.source(server).start(sink, scheduler);
        Sockets.runUntilWaiting(scheduler);
        scheduler.advance(Duration.ofSeconds(30));
        Sockets.runUntilWaiting(scheduler);
        assertEquals(2, server.requests().size());
        assertEquals(Optional.empty(), server.requests().get(1).header("If-None-Match"));
        sink.takeApplied();
        sink.takeApplied();
    }

    /** POLL-13, POLL-15: byte for byte, only of data that were applied, and forgotten when the service has none. */
    @Test
    void entityTagIsSentBackAsItCame() throws Exception {
        String flag = "{\"flags\":{\"a\":{\"version\":1}}}";
        server.poll()
                .atOnce(script -> script.body("application/json", flag)
                        .etag("W/\"abc, d\u00c3\u00a9\"")
                        .then()
                        .respond(304)
                        .then()
                        .body("application/json", flag)
                        .etag("no-quotes")
                        .then()
                        .body("application/json", "{sorry")
                        .etag("\"of bad data\"")
                        .then()
                        .body("application/json", flag)
                        .noHeader("ETag")
                        .then()
                        .body("application/json", flag)
                        .etag("")
                        .then()
                        .respond(304));
        Mode.POLLING.source(server).start(sink, scheduler);
        for (int poll = 1; poll <= 7; poll++) {
            int count = poll;
            Sockets.runUntil(scheduler, () -> server.requests().size() == count && Sockets.isWaiting(scheduler));
            scheduler.advance(Duration.ofSeconds(30));
        }
        Sockets.runUntil(scheduler, () -> server.requests().size() == 8);
        assertEquals(
                List.of(
                        "-",
                        "W/\"abc, d\u00c3\u00a9\"",
                        "W/\"abc, d\u00c3\u00a9\"",
                        "no-quotes",
                        "no-quotes",
                        "-",
                        "-",
                        "-"),
                server.requests().stream()
                        .map(r -> r.header("If-None-Match").orElse("-"))
                        .toList());
        sink.takeApplied();
        sink.takeConfirmed();
        sink.takeApplied();
        assertEquals("body: ", sink.takeInterrupted().error().message().substring(0, 6));
        sink.takeApplied();
        sink.takeApplied();
        assertEquals(
                "304 to a request that sent no entity tag",
                sink.takeInterrupted().error().message());
    }

    /** However often it polls, and whatever the answers are. */
    @ParameterizedTest
    @ValueSource(ints = {200, 304})
    void pollsUseOneConnection(int status) throws Exception {
        server.set(TestFlags.flag("a").build());
        if (status == 200) {
            server.poll().serve().noHeader("ETag").forever();
        }
        Cancellable run = Mode.POLLING.source(server).start(sink, scheduler);
        for (int poll = 1; poll <= 50; poll++) {
            Sockets.runUntilWaiting(scheduler);
            scheduler.advance(Duration.ofSeconds(30));
        }
        Sockets.runUntilWaiting(scheduler);
        run.cancel();
        List<FakeFlagServer.Request> requests = server.requests();
        assertEquals(51, requests.size());
        assertEquals(
                1,
                requests.stream()
                        .map(FakeFlagServer.Request::connectionId)
                        .distinct()
                        .count());
        server.awaitConnectionClosed(requests.get(0).connectionId(), LONGEST);
    }

    /** In this protocol every connection begins with everything: a service that resumed would leave a gap. */
    @Test
    void eventIdIsNotSentBack() throws Exception {
        server.set(TestFlags.flag("a").build());
        server.stream()
                .events("id: 7\u00e9\nevent: put\ndata: {\"data\":{\"flags\":{}}}\n\n")
                .end();
        Mode.STREAMING.source(server).start(sink, scheduler);
        Duration wait = Mode.STREAMING.base; // and not that for the first payload
        Sockets.runUntil(scheduler, () -> scheduler.pending().equals(List.of(wait)));
        scheduler.advance(wait);
        server.awaitRequests(2, LONGEST);
        assertEquals(
                List.of("-", "-"),
                server.requests().stream()
                        .map(r -> r.header("Last-Event-ID").orElse("-"))
                        .toList());
    }
}
