package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every fault in one line of script, seen byte by byte. */
@Timeout(20)
class ScriptIT {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration MOMENT = Duration.ofMillis(5);
    private static final Item FLAG = Item.of(ItemKind.FLAG, "a", 1, "{\"key\":\"a\",\"version\":1}");
    private static final String DOCUMENT = TestFlags.document(List.of(FLAG));
    private static final String PUT = "event: put\ndata: {\"path\":\"/\",\"data\":" + DOCUMENT + "}\n\n";

    private final FakeFlagServer server = FakeFlagServer.builder()
            .clock(() -> Instant.parse("1994-11-06T08:49:31.400Z"))
            .start();

    @AfterEach
    void close() {
        server.close();
    }

    private RawClient stream() throws IOException {
        return new RawClient(server).get("/all");
    }

    private RawClient poll() throws IOException {
        return new RawClient(server).get("/sdk/latest-all");
    }

    private void assertSilent(RawClient client) throws IOException {
        client.socket.setSoTimeout(30);
        assertThrows(SocketTimeoutException.class, () -> client.bytes(1));
    }

    // ---- sentences

    @Test
    void answersAreGivenInOrderAndThenTheFlagsAreServed() throws Exception {
        server.set(FLAG);
        server.stream().respond(503).retryAfter(2).times(2).then().put().then().stall();
        server.poll().respond(429);
        assertEquals(
                List.of("respond(503) times(2)", "put(0 items)", "stall()"),
                server.stream().pending());

        for (int i = 0; i < 2; i++) {
            try (RawClient client = stream()) {
                assertEquals(
                        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 2\r\n\r\n",
                        client.head());
            }
        }
        try (RawClient client = stream()) {
            client.head();
            assertTrue(client.chunk().contains("\"flags\":{}"));
            server.set(FLAG); // a scripted stream that stays open hears of changes
            assertTrue(client.chunk().startsWith("event: patch\n"));
        }
        try (RawClient client = stream()) {
            assertTrue(client.head().startsWith("HTTP/1.1 200 OK\r\n"));
            server.awaitRequests(4, SOON);
            server.heartbeat();
            assertSilent(client);
        }
        assertEquals(List.of(), server.stream().pending());
        try (RawClient client = stream()) {
            client.head();
            assertEquals(PUT, client.chunk());
        }
        assertEquals("/sdk/latest-all [respond(429)]", server.poll().toString());
        try (RawClient client = poll()) {
            assertTrue(client.head().startsWith("HTTP/1.1 429 Too Many Requests\r\n"));
        }
    }

    @Test
    void anAnswerForEverEndsWhenTheScriptIsCleared() throws Exception {
        server.poll().respond(503).forever();
        assertEquals(List.of(), server.poll().pending());
        assertThrows(IllegalStateException.class, () -> server.poll().serve());
        try (RawClient client = new RawClient(server)) {
            for (int i = 0; i < 3; i++) {
                assertTrue(client.get("/sdk/latest-all").head().startsWith("HTTP/1.1 503 "));
            }
            server.poll().clear();
            assertTrue(client.get("/sdk/latest-all").head().startsWith("HTTP/1.1 200 "));
        }
    }

    @Test
    void anAnswerThatWasGivenCannotBeChanged() throws Exception {
        Answer answer = server.poll().respond(503).times(2);
        try (RawClient client = poll()) {
            client.head();
        }
        IllegalStateException error = assertThrows(IllegalStateException.class, () -> answer.retryAfter(2));
        assertEquals(
                "a request got this answer before it was said to the end, see Script.atOnce: respond(503)",
                error.getMessage());
    }

    @Test
    void whatIsSaidAtOnceIsNotGivenHalfSaid() throws Exception {
        server.poll().respond(500).forever();
        CompletableFuture<List<String>> heads = CompletableFuture.supplyAsync(() -> {
            try (RawClient client = new RawClient(server)) {
                return List.of(
                        client.get("/sdk/latest-all").head(),
                        client.get("/sdk/latest-all").head());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        server.poll().atOnce(script -> {
            script.clear();
            script.respond(503).retryAfter(2).forever();
        });
        for (String head : heads.get()) {
            assertTrue(head.startsWith("HTTP/1.1 500 ") || head.contains("Retry-After: 2"), head);
        }
    }

    @Test
    void nonsenseIsRefused() {
        Script script = server.poll();
        assertMessage("status not of three digits: 99", () -> script.respond(99));
        assertMessage("times <= 0: 0", () -> script.serve().times(0));
        assertMessage("bytes <= 0: 0", () -> script.serve().drip(0, MOMENT));
        assertMessage("every < 0: PT-1S", () -> script.serve().drip(1, Duration.ofSeconds(-1)));
        assertMessage("delay < 0: PT-1S", () -> script.serve().after(Duration.ofSeconds(-1)));
        assertMessage("pause < 0: PT-1S", () -> script.serve().pause(Duration.ofSeconds(-1)));
        assertMessage("cut < 0: -1", () -> script.serve().cutAfter(-1));
        assertMessage("truncate < 0: -1", () -> script.serve().truncate(-1));
        assertMessage("contentLength < 0: -1", () -> script.serve().contentLength(-1));
        assertMessage("bytes < 0: -1", () -> script.oversized(-1));
        assertMessage("outage < 0: PT-1S", () -> script.serve().outage(Duration.ofSeconds(-1)));
        assertMessage("outage < 0: PT-1S", () -> server.outage(Duration.ofSeconds(-1)));
        assertMessage("times <= 0: 0", () -> script.put().repeat(0, MOMENT));
        assertMessage("every < 0: PT-1S", () -> script.put().repeat(1, Duration.ofSeconds(-1)));
        assertThrows(IllegalStateException.class, () -> script.serve().repeat(1, MOMENT));
        assertMessage("line break in header X", () -> script.serve().header("X", "a\r\nb"));
        assertMessage(
                "port not in 0..65535: 65536", () -> FakeFlagServer.builder().port(65_536));
        assertMessage(
                "heartbeatEvery <= 0: PT0S", () -> FakeFlagServer.builder().heartbeatEvery(Duration.ZERO));
        script.clear();
        assertThrows(IllegalStateException.class, () -> script.event("put", "{}"));
    }

    private static void assertMessage(String expected, org.junit.jupiter.api.function.Executable word) {
        assertEquals(
                expected, assertThrows(IllegalArgumentException.class, word).getMessage());
    }

    // ---- heads

    @Test
    void headersAreRepeatedReplacedLeftOutAndDated() throws Exception {
        server.poll()
                .respond(429)
                .retryAfter("{{httpdate+5s}}")
                .retryAfter("{{httpdate850-5s}}")
                .header("X-Asctime", "{{httpdateasctime}}")
                .noHeader("Content-Length")
                .then()
                .put(FLAG)
                .etag("W/\"abc\"")
                .contentType("Application/JSON; charset=UTF-8");
        try (RawClient client = new RawClient(server)) {
            assertEquals(
                    String.join(
                            "\r\n",
                            "HTTP/1.1 429 Too Many Requests",
                            "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT",
                            "Retry-After: Sunday, 06-Nov-94 08:49:27 GMT",
                            "X-Asctime: Sun Nov  6 08:49:32 1994",
                            "",
                            ""),
                    client.get("/sdk/latest-all").head());
            assertEquals(
                    "HTTP/1.1 200 OK\r\nContent-Length: " + DOCUMENT.length()
                            + "\r\nETag: W/\"abc\"\r\nContent-Type: Application/JSON; charset=UTF-8\r\n\r\n",
                    client.get("/sdk/latest-all").head());
            assertEquals(
                    Instant.parse("1994-11-06T08:49:31.400Z"),
                    server.requests().get(0).time());
        }
    }

    @Test
    void aServedPollIsConditionalUnderTheNameItIsGiven() throws Exception {
        server.set(FLAG);
        server.poll()
                .serve()
                .etag("W/\"abc\"")
                .times(3)
                .then()
                .serve()
                .noHeader("ETag")
                .times(1);
        try (RawClient client = new RawClient(server)) {
            assertTrue(client.get("/sdk/latest-all").head().contains("ETag: W/\"abc\"\r\n"));
            client.bytes(DOCUMENT.length());
            assertEquals(
                    "HTTP/1.1 304 Not Modified\r\nETag: W/\"abc\"\r\n\r\n",
                    client.get("/sdk/latest-all", "If-None-Match: W/\"abc\"").head());
            assertTrue(client.get("/sdk/latest-all", "If-None-Match: \"abc\"")
                    .head()
                    .startsWith("HTTP/1.1 200 "));
            client.bytes(DOCUMENT.length());
            assertFalse(client.get("/sdk/latest-all").head().contains("ETag"));
        }
    }

    @Test
    void noContentHtmlRedirectAndOversized() throws Exception {
        server.stream()
                .respond(204)
                .then()
                .html()
                .then()
                .redirect(307, "../all")
                .then()
                .oversized(100_000)
                .end();
        try (RawClient client = new RawClient(server)) {
            assertEquals("HTTP/1.1 204 No Content\r\n\r\n", client.get("/all").head());
            String html = client.get("/all").head();
            assertTrue(html.contains("Content-Type: text/html; charset=utf-8\r\n"), html);
            assertTrue(client.until("</html>").startsWith("<!DOCTYPE html>"));
            String redirect = client.get("/all").head();
            assertTrue(redirect.startsWith("HTTP/1.1 307 Temporary Redirect\r\n"), redirect);
            assertTrue(redirect.contains("Location: ../all\r\n"), redirect);
            client.get("/all").head();
            assertTrue(client.chunk().length() > 100_000);
            assertEquals("", client.chunk());
        }
    }

    // ---- content

    @Test
    void aStreamOfAnyEventsInAnyOrder() throws Exception {
        server.stream()
                .comment("nothing yet")
                .event("whatever", "not JSON")
                .patch(FLAG)
                .delete(ItemKind.SEGMENT, "s", 7)
                .put(FLAG)
                .events("retry: 0\n\n")
                .events(new byte[] {1})
                .end();
        try (RawClient client = stream()) {
            client.head();
            assertEquals(":nothing yet\n", client.chunk());
            assertEquals("event: whatever\ndata: not JSON\n\n", client.chunk());
            assertEquals(
                    "event: patch\ndata: {\"path\":\"/flags/a\",\"data\":{\"key\":\"a\",\"version\":1}}\n\n",
                    client.chunk());
            assertEquals("event: delete\ndata: {\"path\":\"/segments/s\",\"version\":7}\n\n", client.chunk());
            assertEquals(PUT, client.chunk());
            assertEquals("retry: 0\n\n", client.chunk());
            assertEquals("\u0001", client.chunk());
            assertEquals("", client.chunk());
        }
    }

    @Test
    void gzipWholeAndTruncated() throws Exception {
        server.set(FLAG);
        server.poll()
                .serve()
                .gzip()
                .then()
                .serve()
                .gzip()
                .truncate(20)
                .then()
                .put(FLAG)
                .gzip()
                .cutHalfway();
        try (RawClient client = new RawClient(server)) {
            assertEquals(DOCUMENT, new String(gunzip(content(client)), UTF_8));
            assertThrows(EOFException.class, () -> gunzip(content(client))); // as HTTP has it, all of it came
        }
        try (RawClient client = poll()) {
            int length = contentLength(client.head());
            assertEquals(length / 2, client.rest().length);
        }
    }

    private static byte[] content(RawClient client) throws IOException {
        String head = client.get("/sdk/latest-all").head();
        assertTrue(head.contains("Content-Encoding: gzip\r\n"), head);
        return client.bytes(contentLength(head));
    }

    private static int contentLength(String head) {
        return Arrays.stream(head.split("\r\n"))
                .filter(line -> line.startsWith("Content-Length: "))
                .mapToInt(line -> Integer.parseInt(line.substring(16)))
                .findFirst()
                .orElseThrow();
    }

    private static byte[] gunzip(byte[] bytes) throws IOException {
        return new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
    }

    @Test
    void aCompressedStreamCanBeReadUpToItsPause() throws Exception {
        server.stream().put(FLAG).gzip();
        try (RawClient client = stream()) {
            assertTrue(client.head().contains("Content-Encoding: gzip\r\n"));
            server.heartbeat(); // would not be compressed: it is left out
            byte[] part = client.chunkBytes();
            byte[] end = client.chunkBytes();
            byte[] all = Arrays.copyOf(part, part.length + end.length);
            System.arraycopy(end, 0, all, part.length, end.length);
            assertEquals(PUT, new String(gunzip(all), UTF_8));
            assertSilent(client);
        }
    }

    @Test
    void aByteOrderMarkSplitInTwo() throws Exception {
        server.stream().put(FLAG).bom().splitAt(1);
        try (RawClient client = stream()) {
            client.head();
            assertArrayEquals(new byte[] {(byte) 0xEF}, client.chunkBytes());
            assertArrayEquals(new byte[] {(byte) 0xBB, (byte) 0xBF}, client.chunkBytes());
            assertEquals(PUT, client.chunk());
        }
    }

    @Test
    void aSplitContentArrivesInPieces() throws Exception {
        server.poll().put(FLAG).splitAt(3, 5).then().put(FLAG).chunked().splitAt(3, 5);
        try (RawClient client = poll()) {
            client.head();
            assertEquals(DOCUMENT, new String(client.bytes(DOCUMENT.length()), UTF_8));
        }
        try (RawClient client = poll()) {
            client.head();
            for (String piece : List.of(DOCUMENT.substring(0, 3), DOCUMENT.substring(3, 5), DOCUMENT.substring(5))) {
                assertEquals(piece, client.chunk());
            }
        }
    }

    @Test
    void lengthsAreWrongOrMissingOrInChunks() throws Exception {
        int length = DOCUMENT.length();
        server.poll().put(FLAG).contentLength(length + 10).then().put(FLAG).untilClose();
        server.poll()
                .put(FLAG)
                .contentLength(5)
                .then()
                .put(FLAG)
                .chunked()
                .then()
                .serve()
                .header("Content-Length", "x");
        try (RawClient client = poll()) {
            assertEquals(length + 10, contentLength(client.head()));
            assertEquals(length, client.rest().length);
        }
        try (RawClient client = poll()) {
            String head = client.head();
            assertFalse(head.contains("Content-Length"), head);
            assertTrue(head.contains("Connection: close\r\n"), head);
            assertEquals(length, client.rest().length);
        }
        try (RawClient client = new RawClient(server)) {
            assertEquals(5, contentLength(client.get("/sdk/latest-all").head()));
            client.bytes(length);
            assertTrue(client.get("/sdk/latest-all").head().contains("Transfer-Encoding: chunked\r\n"));
            assertEquals(DOCUMENT, client.chunk());
            assertEquals("", client.chunk());
            assertTrue(client.get("/sdk/latest-all").head().contains("Content-Length: x\r\n"));
        }
    }

    @Test
    void bytesThatAreNotHttp() throws Exception {
        server.poll().bytes("SSH-2.0-what\r\n".getBytes(UTF_8));
        try (RawClient client = poll()) {
            assertEquals("SSH-2.0-what\r\n", new String(client.rest(), UTF_8));
        }
    }

    // ---- time

    @Test
    void dripsDelaysAndPausesLastUntilTheirTime() throws Exception {
        VirtualScheduler time = new VirtualScheduler();
        try (FakeFlagServer virtual = FakeFlagServer.builder().scheduler(time).start();
                RawClient client = new RawClient(virtual)) {
            virtual.stream()
                    .events("abcde")
                    .pause(Duration.ofSeconds(70))
                    .events("f")
                    .after(Duration.ofSeconds(3))
                    .drip(2, Duration.ofSeconds(1))
                    .end();
            client.get("/all");
            awaitPending(time, Duration.ofSeconds(3));
            time.advance(Duration.ofSeconds(3));
            client.head();
            for (String piece : List.of("ab", "cd", "e")) {
                assertEquals(piece, client.chunk());
                awaitPending(time, Duration.ofSeconds(1));
                time.advance(Duration.ofSeconds(1));
            }
            awaitPending(time, Duration.ofSeconds(70));
            time.advance(Duration.ofSeconds(70));
            assertEquals("f", client.chunk());
            awaitPending(time, Duration.ofSeconds(1));
            time.advance(Duration.ofSeconds(1));
            assertEquals("", client.chunk());
        }
    }

    @Test
    void aClientThatIsGoneLeavesNothingPending() throws Exception {
        VirtualScheduler time = new VirtualScheduler();
        try (FakeFlagServer virtual = FakeFlagServer.builder().scheduler(time).start()) {
            virtual.poll().serve().after(Duration.ofHours(1));
            try (RawClient client = new RawClient(virtual)) {
                client.get("/sdk/latest-all");
                awaitPending(time, Duration.ofHours(1));
            }
            virtual.awaitConnectionClosed(1, SOON);
            awaitPending(time);
        }
    }

    private static void awaitPending(VirtualScheduler time, Duration... expected) {
        while (!time.pending().equals(List.of(expected))) {
            Thread.onSpinWait(); // until the server has come to its wait
            if (Thread.currentThread().isInterrupted()) { // by the test's timeout
                throw new AssertionError("expected to wait for " + List.of(expected) + " but was " + time.pending());
            }
        }
    }

    @Test
    void dripsInRealTimeToo() throws Exception {
        server.poll().put(FLAG).drip(10, MOMENT).after(MOMENT);
        try (RawClient client = poll()) {
            client.head();
            assertEquals(DOCUMENT, new String(client.bytes(DOCUMENT.length()), UTF_8));
        }
    }

    @Test
    void aHeldAnswerWaitsForTheWord() throws Exception {
        Hold hold = server.poll().put(FLAG).hold();
        hold.then().respond(500);
        AssertionError error = assertThrows(AssertionError.class, () -> hold.awaitReached(MOMENT));
        assertEquals("no request came to the held answer put(1 items) for PT0.005S", error.getMessage());
        try (RawClient client = poll()) {
            hold.awaitReached(SOON);
            assertSilent(client);
            hold.release();
            client.socket.setSoTimeout(10_000);
            assertTrue(client.head().startsWith("HTTP/1.1 200 "));
        }
        try (RawClient client = poll()) {
            assertTrue(client.head().startsWith("HTTP/1.1 500 "));
        }
    }

    @Test
    void heartbeatsComeByThemselves() throws Exception {
        try (FakeFlagServer beating =
                        FakeFlagServer.builder().heartbeatEvery(MOMENT).start();
                RawClient client = new RawClient(beating)) {
            client.get("/all").head();
            client.chunk();
            assertEquals(":\n", client.chunk());
            assertEquals(":\n", client.chunk());
        }
    }

    // ---- ends

    @Test
    void dropResetAndHangBeforeAnyByte() throws Exception {
        server.stream().drop().then().reset().then().hang();
        try (RawClient client = stream()) {
            assertEquals(0, client.rest().length);
        }
        try (RawClient client = stream()) {
            assertThrows(SocketException.class, client::rest);
        }
        try (RawClient client = stream()) {
            server.awaitRequests(3, SOON);
            assertSilent(client);
            assertEquals(0, server.openStreams());
        }
        server.awaitConnectionClosed(3, SOON);
    }

    @Test
    void cutInsideAnEventByFinOrRstOrSilence() throws Exception {
        server.stream().put(FLAG).cutAfter(20).then().put(FLAG).cutAfter(20).reset();
        server.stream()
                .put(FLAG)
                .cutAfter(20)
                .stall()
                .then()
                .put(FLAG)
                .cutHalfway()
                .end();
        try (RawClient client = stream()) {
            client.head();
            assertEquals(PUT.substring(0, 20), client.chunk());
            assertEquals(0, client.rest().length);
        }
        try (RawClient client = stream()) {
            client.head();
            assertEquals(PUT.substring(0, 20), client.chunk());
            assertThrows(SocketException.class, client::rest);
        }
        try (RawClient client = stream()) {
            client.head();
            assertEquals(PUT.substring(0, 20), client.chunk());
            server.awaitStreams(1, SOON);
            assertSilent(client);
            server.resetStreams();
            client.socket.setSoTimeout(10_000);
            assertThrows(SocketException.class, client::rest);
        }
        try (RawClient client = stream()) {
            client.head();
            assertEquals(PUT.substring(0, PUT.length() / 2), client.chunk());
            assertEquals("", client.chunk());
        }
    }

    @Test
    void aPollIsServedInFullAndThenReset() throws Exception {
        server.poll().put(FLAG).reset().then().stall();
        try (RawClient client = poll()) {
            client.head();
            assertEquals(DOCUMENT, new String(client.bytes(DOCUMENT.length()), UTF_8));
            assertThrows(SocketException.class, client::rest);
        }
        try (RawClient client = poll()) {
            assertTrue(contentLength(client.head()) > 0);
            assertSilent(client);
        }
    }

    @Test
    void whatWasAddedLastIsRepeated() throws Exception {
        VirtualScheduler time = new VirtualScheduler();
        try (FakeFlagServer virtual = FakeFlagServer.builder().scheduler(time).start();
                RawClient client = new RawClient(virtual)) {
            virtual.stream()
                    .put(FLAG)
                    .comment("")
                    .repeat(2, Duration.ofSeconds(1))
                    .end();
            client.get("/all").head();
            assertEquals(PUT, client.chunk());
            assertEquals(":\n", client.chunk());
            for (int i = 0; i < 2; i++) {
                awaitPending(time, Duration.ofSeconds(1));
                time.advance(Duration.ofSeconds(1));
                assertEquals(":\n", client.chunk());
            }
            assertEquals("", client.chunk());
        }
        server.stream().put(FLAG).repeat(1, Duration.ZERO).end();
        try (RawClient client = stream()) {
            client.head();
            assertEquals(PUT, client.chunk());
            assertEquals(PUT, client.chunk());
            assertEquals("", client.chunk());
        }
    }

    @Test
    void anOutageBeginsWithTheEndOfAnAnswer() throws Exception {
        VirtualScheduler time = new VirtualScheduler();
        try (FakeFlagServer virtual = FakeFlagServer.builder().scheduler(time).start();
                RawClient other = new RawClient(virtual)) {
            other.get("/all").head();
            virtual.stream().put(FLAG).reset().outage(Duration.ofSeconds(10));
            virtual.poll().put(FLAG).outage(Duration.ofSeconds(10)).then().put().outage(Duration.ofSeconds(10));
            try (RawClient client = new RawClient(virtual)) {
                client.get("/all").head();
                assertEquals(PUT, client.chunk());
                assertThrows(SocketException.class, client::rest);
            }
            assertThrows(ConnectException.class, () -> new RawClient(virtual));
            other.chunk();
            assertEquals(0, other.rest().length);
            awaitPending(time, Duration.ofSeconds(10));
            time.advance(Duration.ofSeconds(10).minusNanos(1));
            assertThrows(ConnectException.class, () -> new RawClient(virtual));
            time.advance(Duration.ofNanos(1));
            try (RawClient client = new RawClient(virtual)) {
                assertEquals(
                        DOCUMENT.length(),
                        contentLength(client.get("/sdk/latest-all").head()));
                assertEquals(DOCUMENT, new String(client.rest(), UTF_8));
            }
            awaitPending(time, Duration.ofSeconds(10));
            virtual.accept(); // what is said meanwhile counts
            assertEquals(List.of(), time.pending());
            try (RawClient client = new RawClient(virtual)) {
                client.get("/sdk/latest-all").head();
                client.rest();
            }
            awaitPending(time, Duration.ofSeconds(10));
        }
        assertEquals(List.of(), time.pending());
    }

    /** Or the fault would be gone, and who comes next on the connection would get no answer. */
    @Test
    void whatIsCutIsNotAnsweredWithNothingNew() throws Exception {
        server.set(FLAG);
        String etag;
        try (RawClient client = poll()) {
            String head = client.head();
            etag = head.replaceFirst("(?s).*ETag: (\\S+).*", "$1");
        }
        String same = "If-None-Match: " + etag;
        server.poll()
                .serve()
                .then()
                .stall()
                .then()
                .serve()
                .cutHalfway()
                .then()
                .serve()
                .truncate(3);
        server.poll().serve().contentLength(DOCUMENT.length() + 1);
        for (String status : List.of("304", "200", "200", "200", "200")) {
            try (RawClient client = new RawClient(server)) {
                String head = client.get("/sdk/latest-all", same).head();
                assertTrue(head.startsWith("HTTP/1.1 " + status + " "), head);
            }
        }
    }

    /** Then the response is complete, and the connection good for another. */
    @Test
    void aStreamOfAKnownLengthIsOverWithItsLastByte() throws Exception {
        server.stream().put(FLAG).contentLength(PUT.length());
        try (RawClient client = stream()) {
            client.head();
            assertEquals(PUT, new String(client.bytes(PUT.length()), UTF_8));
            assertTrue(client.get("/sdk/latest-all").head().startsWith("HTTP/1.1 200 "));
        }
    }

    @Test
    void anOutageBeginsThoughTheClientDoesNotWaitForTheEnd() throws Exception {
        VirtualScheduler time = new VirtualScheduler();
        try (FakeFlagServer virtual = FakeFlagServer.builder().scheduler(time).start()) {
            virtual.stream().put(FLAG).stall().outage(Duration.ofSeconds(10));
            try (RawClient client = new RawClient(virtual)) {
                client.get("/all").head();
                client.chunk();
            }
            awaitPending(time, Duration.ofSeconds(10));
            assertThrows(ConnectException.class, () -> new RawClient(virtual));
        }
    }

    /** Whoever closes the port means it to stay closed, whatever an answer under way would end in. */
    @Test
    void whatIsSaidOfThePortCountsMoreThanTheOutageOfAnAnswer() throws Exception {
        VirtualScheduler time = new VirtualScheduler();
        try (FakeFlagServer virtual = FakeFlagServer.builder().scheduler(time).start()) {
            virtual.poll().put(FLAG).stall().outage(Duration.ofSeconds(10));
            try (RawClient client = new RawClient(virtual)) {
                client.get("/sdk/latest-all").head();
                virtual.refuse();
                client.rest();
            }
            while (isAnswering()) {
                Thread.onSpinWait();
            }
            assertEquals(List.of(), time.pending());
            time.advance(Duration.ofSeconds(10));
            assertThrows(ConnectException.class, () -> new RawClient(virtual));
        }
    }

    private static boolean isAnswering() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getClassName().equals(Exchange.class.getName()));
    }

    @Test
    void chunksAreForAllButOldClients() throws Exception {
        server.stream().put(FLAG).drop().then().put(FLAG).drop();
        try (RawClient client = new RawClient(server).get("/all", "Connection: TE, close")) {
            String head = client.head();
            assertTrue(head.contains("Transfer-Encoding: chunked") && head.contains("Connection: close"), head);
            assertEquals(PUT, client.chunk());
            assertEquals(0, client.rest().length); // so that it was cut can be seen
        }
        try (RawClient client = new RawClient(server).send("GET /all HTTP/1.0\r\n\r\n")) {
            assertFalse(client.head().contains("chunked"));
            assertEquals(PUT, new String(client.rest(), UTF_8));
        }
    }

    @Test
    void lineBreaksAtTheEndAreKept() throws Exception {
        server.stream()
                .event("x", "a\n")
                .event("y", "")
                .comment("one\ndata: two")
                .end();
        try (RawClient client = stream()) {
            client.head();
            String all = client.chunk() + client.chunk() + client.chunk();
            assertEquals("event: x\ndata: a\ndata: \n\nevent: y\ndata: \n\n:one\n:data: two\n", all);
        }
    }

    @Test
    void everyWaitEndsWhenTheServerCloses() throws Exception {
        server.stream().hang().then().stall().then().serve().after(Duration.ofHours(1));
        server.stream().serve().pause(Duration.ofHours(1)).then().serve().hold();
        try (RawClient one = stream();
                RawClient two = stream();
                RawClient three = stream();
                RawClient four = stream();
                RawClient five = stream()) {
            server.awaitRequests(5, SOON);
            server.close();
            for (RawClient client : List.of(one, two, three, four, five)) {
                client.rest();
            }
        }
        assertEquals(0, server.openStreams());
        assertEquals(
                List.of(),
                Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.matches("flagfeed-fake-server-\\d+"))
                        .toList());
    }
}
