package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server without a script: it serves what it holds, in both modes, and writes down who asked. */
@Timeout(20)
class FakeFlagServerIT {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final String EMPTY_PUT =
            "event: put\ndata: {\"path\":\"/\",\"data\":{\"flags\":{},\"segments\":{}}}\n\n";

    private final FakeFlagServer server = FakeFlagServer.start();
    private final Item flag = Item.of(ItemKind.FLAG, "a", 1, "{\"key\":\"a\",\"version\":1}");
    private final Item segment = Item.of(ItemKind.SEGMENT, "s", 3, "{\"key\":\"s\",\"version\":3}");

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void aStreamBeginsWithAPutAndGoesOnWithEachChange() throws Exception {
        server.set(flag);
        try (RawClient client = new RawClient(server)) {
            String head = client.get("/all").head();
            assertTrue(head.startsWith("HTTP/1.1 200 OK\r\n"), head);
            assertTrue(head.contains("Content-Type: text/event-stream; charset=utf-8\r\n"), head);
            assertTrue(head.contains("Transfer-Encoding: chunked\r\n"), head);
            assertEquals(
                    "event: put\ndata: {\"path\":\"/\",\"data\":"
                            + "{\"flags\":{\"a\":{\"key\":\"a\",\"version\":1}},\"segments\":{}}}\n\n",
                    client.chunk());

            server.set(segment);
            assertEquals(
                    "event: patch\ndata: {\"path\":\"/segments/s\",\"data\":{\"key\":\"s\",\"version\":3}}\n\n",
                    client.chunk());
            server.delete("a");
            assertEquals("event: delete\ndata: {\"path\":\"/flags/a\",\"version\":2}\n\n", client.chunk());
            server.delete(ItemKind.SEGMENT, "s");
            assertEquals("event: delete\ndata: {\"path\":\"/segments/s\",\"version\":4}\n\n", client.chunk());
            server.delete("never-there");
            assertEquals("event: delete\ndata: {\"path\":\"/flags/never-there\",\"version\":1}\n\n", client.chunk());
            server.setAll(List.of());
            assertEquals(EMPTY_PUT, client.chunk());
            server.heartbeat();
            assertEquals(":\n", client.chunk());
            server.sendEvent("whatever", "two\nlines");
            assertEquals("event: whatever\ndata: two\ndata: lines\n\n", client.chunk());
            server.sendRaw("as it is");
            assertEquals("as it is", client.chunk());
        }
    }

    @Test
    void aPollGetsTheDocumentAndItsNameAnd304ForThisName() throws Exception {
        server.set(flag);
        HttpClient client = HttpClient.newHttpClient();
        HttpResponse<String> first = poll(client, "");
        assertEquals(200, first.statusCode());
        assertEquals("{\"flags\":{\"a\":{\"key\":\"a\",\"version\":1}},\"segments\":{}}", first.body());
        assertEquals(server.snapshotJson(), first.body());
        String etag = first.headers().firstValue("ETag").orElseThrow();

        HttpResponse<String> second = poll(client, etag);
        assertEquals(304, second.statusCode());
        assertEquals(etag, second.headers().firstValue("ETag").orElseThrow());

        server.set(segment);
        HttpResponse<String> third = poll(client, etag);
        assertEquals(200, third.statusCode());
        assertNotEquals(etag, third.headers().firstValue("ETag").orElseThrow());
        assertEquals(
                1,
                server.requests().stream()
                        .map(FakeFlagServer.Request::connectionId)
                        .distinct()
                        .count());

        server.delete(ItemKind.SEGMENT, "s"); // the same content has the same name
        assertEquals(304, poll(client, etag).statusCode());
    }

    private HttpResponse<String> poll(HttpClient client, String etag) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server.uri() + "/base/path/sdk/latest-all?filter=x%20y"));
        if (!etag.isEmpty()) {
            request.header("If-None-Match", etag);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void aRequestInChunksIsAnsweredAndKept() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.send("POST /bulk HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.send("3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n");
            assertTrue(client.head().startsWith("HTTP/1.1 404 "));
            assertTrue(client.get("/sdk/latest-all").head().startsWith("HTTP/1.1 200 "));
        }
        assertEquals(
                List.of("/bulk", "/sdk/latest-all"),
                server.requests().stream().map(FakeFlagServer.Request::path).toList());
        try (RawClient client = new RawClient(server)) {
            String request = "POST /bulk HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n";
            assertTrue(client.send(request).head().startsWith("HTTP/1.1 400 "));
        }
    }

    @Test
    void otherPathsGet404AndOtherMethods405() throws Exception {
        try (RawClient client = new RawClient(server)) {
            assertTrue(client.get("/nothing").head().startsWith("HTTP/1.1 404 Not Found\r\n"));
            String head = client.send("POST /all HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")
                    .head();
            assertTrue(head.startsWith("HTTP/1.1 405 Method Not Allowed\r\n"), head);
            assertTrue(head.contains("Allow: GET\r\n"), head);
            assertTrue(
                    client.send("HEAD /sdk/latest-all HTTP/1.1\r\n\r\n").head().startsWith("HTTP/1.1 405 "));
            // the connection is good for more, and a proxy's form of the target is understood
            assertTrue(client.get("http://elsewhere.invalid/all").head().startsWith("HTTP/1.1 200 "));
            assertEquals("/all", server.streamRequests().get(1).path());
        }
    }

    @Test
    void whatIsNotHttpGets400AndTheServerLivesOn() throws Exception {
        try (RawClient client = new RawClient(server)) {
            assertTrue(client.send("hello\r\n\r\n").head().startsWith("HTTP/1.1 400 Bad Request\r\n"));
            assertEquals(0, client.rest().length);
        }
        assertEquals(200, poll(HttpClient.newHttpClient(), "").statusCode());
    }

    @Test
    void aWrongKeyGets401AndUsesUpNoScript() throws Exception {
        server.require("sdk-key");
        server.stream().respond(503);
        try (RawClient client = new RawClient(server)) {
            assertTrue(client.get("/all").head().startsWith("HTTP/1.1 401 "));
            assertTrue(client.get("/all", "Authorization: sdk-kez").head().startsWith("HTTP/1.1 401 "));
            assertTrue(client.get("/all", "authorization: sdk-key").head().startsWith("HTTP/1.1 503 "));
        }
        assertFalse(server.toString().contains("sdk-ke"), server.toString());
        assertTrue(server.toString().contains("authorization: ***"), server.toString());
    }

    @Test
    void droppedStreamsEndInOrderAndTheConnectionStays() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.get("/all").head();
            client.chunk();
            server.awaitStreams(1, SOON);
            server.dropStreams();
            assertEquals(0, server.openStreams());
            assertEquals("", client.chunk());
            client.get("/all").head();
            assertEquals(EMPTY_PUT, client.chunk());
        }
    }

    @Test
    void resetStreamsAreReset() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.get("/all").head();
            client.chunk();
            server.resetStreams();
            assertThrows(SocketException.class, client::rest);
            assertEquals(0, server.openStreams());
        }
    }

    @Test
    void theClosingOfTheClientIsSeenAtOnce() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.get("/all").head();
            client.chunk();
            int id = server.awaitRequest(SOON).connectionId();
            assertEquals(1, server.openConnections());
            AssertionError error = assertThrows(AssertionError.class, () -> server.awaitConnectionClosed(id, SHORT));
            assertEquals("connection 1 was still open after PT0.02S; open connections: [1]", error.getMessage());
            client.close();
            server.awaitConnectionClosed(id, SOON);
            server.awaitStreams(0, SOON);
            assertEquals(0, server.openConnections());
        }
        AssertionError error = assertThrows(AssertionError.class, () -> server.awaitConnectionClosed(7, SHORT));
        assertEquals("there was no connection 7, the last one was 1", error.getMessage());
    }

    @Test
    void aRestartKeepsThePortAndTheFlags() throws Exception {
        server.set(flag);
        URI uri = server.uri();
        try (RawClient client = new RawClient(server)) {
            client.get("/all").head();
            client.chunk();
            server.refuse();
            assertEquals(0, client.rest().length);
            assertThrows(ConnectException.class, () -> new Socket(uri.getHost(), uri.getPort()).close());
            server.refuse();
            server.accept();
            server.accept();
        }
        assertEquals(uri, server.uri());
        assertEquals(server.snapshotJson(), poll(HttpClient.newHttpClient(), "").body());
    }

    @Test
    void aBlackHoleTakesConnectionsAndSaysNothing() throws Exception {
        server.blackHole();
        try (RawClient client = new RawClient(server)) {
            client.get("/all");
            client.socket.setSoTimeout(50);
            assertThrows(java.net.SocketTimeoutException.class, client::head);
            assertEquals(List.of(), server.requests());
        }
        server.accept();
        assertEquals(200, poll(HttpClient.newHttpClient(), "").statusCode());
    }

    @Test
    void closingClosesAllAndCanBeRepeated() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.get("/all").head();
            client.chunk();
            server.close();
            server.close();
            assertEquals(0, client.rest().length);
        }
        assertEquals(0, server.openStreams());
        assertEquals(0, server.openConnections());
        assertThrows(IllegalStateException.class, server::accept);
        URI uri = server.uri();
        assertThrows(ConnectException.class, () -> new Socket(uri.getHost(), uri.getPort()).close());
    }

    @Test
    void tenThousandFlagsAreSetOneByOneWhileTwoStreamsListen() throws Exception {
        List<Item> flags = IntStream.range(0, 10_000)
                .mapToObj(i -> TestFlags.flag("flag-" + i).build())
                .toList();
        try (RawClient one = new RawClient(server);
                RawClient other = new RawClient(server)) {
            one.get("/all").head();
            other.get("/all").head();
            server.awaitStreams(2, SOON);
            flags.forEach(server::set);
            for (RawClient client : List.of(one, other)) {
                assertEquals(EMPTY_PUT, client.chunk());
                for (Item expected : flags) {
                    String patch = client.chunk();
                    assertTrue(patch.contains("\"/flags/" + expected.key() + "\""), patch);
                }
            }
        }
        assertEquals(TestFlags.document(flags), server.snapshotJson());
    }

    @Test
    void requestsAreAwaitedOneByOneByKindAndByNumber() throws Exception {
        AssertionError none = assertThrows(AssertionError.class, () -> server.awaitRequest(SHORT));
        assertEquals("no further request in PT0.02S, but none came at all", none.getMessage());
        HttpClient client = HttpClient.newHttpClient();
        poll(client, "");
        poll(client, "x");

        FakeFlagServer.Request first = server.awaitRequest(SOON);
        assertEquals("GET", first.method());
        assertEquals("/base/path/sdk/latest-all", first.path());
        assertEquals("filter=x%20y", first.query());
        assertTrue(first.header("if-none-match").isEmpty());
        FakeFlagServer.Request second = server.awaitRequest(SOON);
        assertEquals(List.of("x"), second.headers("IF-NONE-MATCH"));
        assertTrue(second.nanoTime() - first.nanoTime() > 0);
        assertEquals(second, server.awaitRequest(r -> r.header("If-None-Match").isPresent(), SOON));
        assertEquals(List.of(first, second), server.awaitRequests(2, SOON));
        assertEquals(List.of(first, second), server.pollRequests());
        assertEquals(List.of(), server.streamRequests());

        for (AssertionError error : List.of(
                assertThrows(AssertionError.class, () -> server.awaitRequest(SHORT)),
                assertThrows(AssertionError.class, () -> server.awaitRequests(3, SHORT)),
                assertThrows(AssertionError.class, () -> server.awaitRequest(r -> false, SHORT)))) {
            assertTrue(
                    error.getMessage()
                            .contains(" in PT0.02S, but 2 came:\n  GET /base/path/sdk/latest-all?filter=x%20y on"),
                    error.getMessage());
        }
        AssertionError streams = assertThrows(AssertionError.class, () -> server.awaitStreams(1, SHORT));
        assertEquals("expected 1 open streams, but there were 0 after PT0.02S", streams.getMessage());
    }

    @Test
    void flagsMayBeThereFromTheBeginning() throws Exception {
        Item flag = TestFlags.flag("a").build();
        try (FakeFlagServer early =
                FakeFlagServer.builder().flags(List.of(flag)).start()) {
            assertEquals(TestFlags.document(List.of(flag)), early.snapshotJson());
        }
    }

    @Test
    void whatIsForgottenIsNotWaitedForAgain() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        poll(client, "old");
        poll(client, "older");
        server.awaitRequest(SOON);
        server.forgetRequests();
        assertEquals(List.of(), server.requests());
        assertThrows(AssertionError.class, () -> server.awaitRequest(SHORT));
        poll(client, "new");
        assertEquals(List.of("new"), server.awaitRequest(SOON).headers("If-None-Match"));
        assertEquals(1, server.awaitRequests(1, SOON).size());
        assertEquals(3, server.requestCount());
    }
}
