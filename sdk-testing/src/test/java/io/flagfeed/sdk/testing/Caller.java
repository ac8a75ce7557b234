package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Asks a server as a source does, one connection after the other, and insists on each thing that it hears. */
final class Caller implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String CHUNKED = "Transfer-Encoding: chunked";
    private static final String LENGTH = "Content-Length: ";

    private final FakeFlagServer server;
    private final VirtualScheduler time;
    private final ByteArrayOutputStream unheard = new ByteArrayOutputStream(); // the rest of a chunk
    private final List<RawClient> others = new ArrayList<>();
    private @Nullable RawClient client; // null before the first request
    private @Nullable Hold hold; // null unless the script holds an answer
    private boolean chunked;
    private long left; // what the announced length says is still to come

    Caller(FakeFlagServer server, VirtualScheduler time) {
        this.server = server;
        this.time = time;
    }

    void released(Hold hold) {
        this.hold = hold;
    }

    // ---- asks

    Caller stream(String... headers) throws IOException {
        return get("/all", headers);
    }

    Caller poll(String... headers) throws IOException {
        return get("/sdk/latest-all", headers);
    }

    /** On a connection of its own, which ends the one before. */
    Caller get(String target, String... headers) throws IOException {
        hangUp();
        client = new RawClient(server);
        return again(target, headers);
    }

    /** On the same connection. */
    Caller again(String target, String... headers) throws IOException {
        unheard.reset();
        client().get(target, headers);
        return this;
    }

    /** Cannot even connect. */
    Caller refused() {
        assertThrows(ConnectException.class, () -> new RawClient(server).close());
        return this;
    }

    // ---- hears

    /** The status and, among others, these header lines. */
    Caller head(int status, String... lines) throws IOException {
        String head = client().head();
        assertTrue(head.startsWith("HTTP/1.1 " + status + " "), head);
        List<String> all = head.lines().toList();
        for (String line : lines) {
            assertTrue(all.contains(line), head);
        }
        chunked = all.contains(CHUNKED);
        left = all.stream()
                .filter(line -> line.startsWith(LENGTH))
                .mapToLong(line -> Long.parseLong(line.substring(LENGTH.length())))
                .findFirst()
                .orElse(0);
        return this;
    }

    /** A status and header lines, but none of this name. */
    Caller headWithout(String name, int status) throws IOException {
        String head = client().until("\r\n\r\n");
        assertTrue(head.startsWith("HTTP/1.1 " + status + " "), head);
        assertFalse(head.contains("\n" + name + ":"), head);
        return this;
    }

    /** Next exactly this, however it is cut. */
    Caller hears(String content) throws IOException {
        byte[] expected = content.getBytes(UTF_8);
        byte[] heard = content(expected.length);
        if (!Arrays.equals(expected, heard)) { // text is easier to compare, where there is not too much of it
            assertEquals(content, new String(heard, UTF_8));
        }
        return this;
    }

    /** Next a chunk of each of these lengths, whatever is in it. */
    Caller pieces(int... lengths) throws IOException {
        for (int length : lengths) {
            assertEquals(length, client().chunkBytes().length);
        }
        return this;
    }

    /** Then at least so much more, in chunks of that same length. */
    Caller plenty(long bytes, int length) throws IOException {
        for (long heard = 0; heard < bytes; heard += length) {
            pieces(length);
        }
        return this;
    }

    /** Next this, in chunks of one byte. */
    Caller dripped(String content) throws IOException {
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        for (int i = content.getBytes(UTF_8).length; i > 0; i--) {
            byte[] piece = client().chunkBytes();
            assertEquals(1, piece.length);
            heard.writeBytes(piece);
        }
        assertEquals(content, heard.toString(UTF_8));
        return this;
    }

    /** Next the same text so often, each after the server has waited. */
    Caller hearsEach(Duration every, int times, String content) throws IOException {
        for (int i = 0; i < times; i++) {
            after(every).hears(content);
        }
        return this;
    }

    /** Half of what was announced: compressed, and cut. */
    Caller hearsHalfOfGzip() throws IOException {
        byte[] half = content((int) left / 2);
        assertThrows(EOFException.class, () -> new GZIPInputStream(new ByteArrayInputStream(half)).readAllBytes());
        return this;
    }

    /** Next exactly these bytes of a response that has no head. */
    Caller hearsRaw(byte[] bytes) throws IOException {
        assertArrayEquals(bytes, client().bytes(bytes.length));
        return this;
    }

    // ---- then

    /** The response ends in order, and the connection can be used again. */
    Caller ends() throws IOException {
        if (chunked) {
            assertEquals(0, unheard.size());
            assertEquals("", client().chunk());
        } else {
            assertEquals(0, left);
        }
        return this;
    }

    /** The connection is closed, and nothing comes before. */
    Caller closes() throws IOException {
        assertEquals(0, unheard.size());
        assertEquals(0, client().rest().length);
        return this;
    }

    /** Before the connection is closed, the length that was announced has not come. */
    Caller closesEarly() throws IOException {
        assertTrue(left > 0, "all of it came");
        return closes();
    }

    Caller resets() {
        assertThrows(SocketException.class, () -> client().rest());
        return this;
    }

    /** Nothing comes, and nothing is closed. */
    Caller silent() throws IOException {
        RawClient silent = client();
        assertEquals(0, unheard.size());
        silent.socket.setSoTimeout(30);
        assertThrows(SocketTimeoutException.class, () -> silent.bytes(1));
        silent.socket.setSoTimeout(10_000);
        return this;
    }

    // ---- meanwhile

    /** The server waits for exactly so long. */
    Caller after(Duration duration) {
        while (!time.pending().equals(List.of(duration))) {
            Thread.onSpinWait(); // until the server has come to its wait
            if (Thread.currentThread().isInterrupted()) { // by the test's timeout
                throw new AssertionError("expected to wait for " + duration + " but was " + time.pending());
            }
        }
        time.advance(duration);
        return this;
    }

    Caller release() throws InterruptedException {
        Hold held = hold;
        if (held == null) {
            throw new AssertionError("nothing is held");
        }
        held.awaitReached(SOON);
        held.release();
        return this;
    }

    /** Closes its side, which the server sees. */
    Caller leaves(int connectionId) throws IOException, InterruptedException {
        hangUp();
        server.awaitConnectionClosed(connectionId, SOON);
        return this;
    }

    /** So many streams more, which stay open. */
    Caller more(int streams) throws IOException {
        for (int i = 0; i < streams; i++) {
            RawClient opened = new RawClient(server);
            others.add(opened);
            assertTrue(opened.get("/all").head().startsWith("HTTP/1.1 200 "));
        }
        return this;
    }

    Caller meanwhile(Consumer<FakeFlagServer> action) {
        action.accept(server);
        return this;
    }

    @Override
    public void close() throws IOException {
        hangUp();
        for (RawClient other : others) {
            other.close();
        }
    }

    private void hangUp() throws IOException {
        if (client != null) {
            client.close();
        }
    }

    private byte[] content(int length) throws IOException {
        if (!chunked) {
            left -= length;
            return client().bytes(length);
        }
        while (unheard.size() < length) {
            byte[] chunk = client().chunkBytes();
            assertTrue(chunk.length > 0, () -> "ended after <" + unheard.toString(UTF_8) + ">");
            unheard.writeBytes(chunk);
        }
        byte[] all = unheard.toByteArray();
        unheard.reset();
        unheard.write(all, length, all.length - length);
        return Arrays.copyOf(all, length);
    }

    private RawClient client() {
        RawClient asked = client;
        if (asked == null) {
            throw new AssertionError("nothing was asked");
        }
        return asked;
    }
}
