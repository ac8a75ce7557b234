package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;

/** A client that sees every byte: a request out, bytes in. Reads give up after ten seconds. */
final class RawClient implements AutoCloseable {
    final Socket socket;
    private final InputStream in;

    RawClient(FakeFlagServer server) throws IOException {
        this(plain(server.uri()));
    }

    RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(10_000);
        in = socket.getInputStream();
    }

    private static Socket plain(URI uri) throws IOException {
        return new Socket(uri.getHost(), uri.getPort());
    }

    RawClient get(String target, String... headers) throws IOException {
        StringBuilder request = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: test\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        return send(request + "\r\n");
    }

    RawClient send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** Everything up to and with this text. */
    String until(String end) throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        while (!read.toString(UTF_8).endsWith(end)) {
            int b = in.read();
            if (b < 0) {
                throw new AssertionError("closed after <" + read.toString(UTF_8) + ">");
            }
            read.write(b);
        }
        return read.toString(UTF_8);
    }

    String head() throws IOException {
        return until("\r\n\r\n");
    }

    /** Exactly so many bytes. */
    byte[] bytes(int count) throws IOException {
        return in.readNBytes(count);
    }

    /** The content of the next chunk; empty for the last. */
    String chunk() throws IOException {
        return new String(chunkBytes(), UTF_8);
    }

    /** The same where the text may be cut inside a character, or is none. */
    byte[] chunkBytes() throws IOException {
        byte[] content = bytes(Integer.parseInt(until("\r\n").strip(), 16));
        until("\r\n");
        return content;
    }

    /** Everything there is until the server closes. */
    byte[] rest() throws IOException {
        return in.readAllBytes();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
