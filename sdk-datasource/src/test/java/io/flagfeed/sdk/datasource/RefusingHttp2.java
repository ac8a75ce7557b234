package io.flagfeed.sdk.datasource;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Speaks just so much of HTTP/2 without TLS that it can say of each request that it has not begun (RFC 9113, 8.7). */
final class RefusingHttp2 implements AutoCloseable {
    private static final int PREFACE_BYTES = 24;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int ACK = 1;
    private static final int REFUSED_STREAM = 7;

    private final ServerSocket port;
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();

    RefusingHttp2() {
        try {
            port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        TcpRelay.start("test-refusing", this::accept);
    }

    int port() {
        return port.getLocalPort();
    }

    int requests() {
        return requests.get();
    }

    private void accept() {
        while (true) {
            try {
                Socket connection = port.accept();
                connections.add(connection);
                TcpRelay.start("test-refusing", () -> refuse(connection));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void refuse(Socket connection) {
        try (connection) {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            DataOutputStream out = new DataOutputStream(connection.getOutputStream());
            in.skipNBytes(PREFACE_BYTES);
            frame(out, SETTINGS, 0, 0);
            while (true) {
                int length = (in.readUnsignedShort() << 8) | in.readUnsignedByte();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                in.skipNBytes(length);
                if (type == SETTINGS && flags != ACK) {
                    frame(out, SETTINGS, ACK, 0);
                } else if (type == HEADERS) {
                    requests.incrementAndGet();
                    frame(out, RST_STREAM, 0, stream, REFUSED_STREAM);
                }
            }
        } catch (IOException e) {
            // the client has closed it
        }
    }

    private static void frame(DataOutputStream out, int type, int flags, int stream, int... content)
            throws IOException {
        out.writeShort(0); // of three bytes of length the first two
        out.writeByte(content.length * Integer.BYTES);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        for (int word : content) {
            out.writeInt(word);
        }
        out.flush();
    }

    @Override
    public void close() {
        TcpRelay.closeQuietly(port);
        connections.forEach(TcpRelay::closeQuietly);
    }
}
