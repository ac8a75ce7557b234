package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A small proxy: HTTP requests, CONNECT, and SOCKS 5. It serves one request for each connection, but keeps it after a
 * 407, so that a client that tries again and again could do so on it.
 */
final class TestProxy implements AutoCloseable {
    private static final int SOCKS5 = 5;
    private static final String OPEN = "HTTP/1.1 200 Connection established\r\n\r\n";
    private static final String REFUSED = """
            HTTP/1.1 407 Proxy Authentication Required\r
            Proxy-Authenticate: Basic realm="test"\r
            Retry-After: 7\r
            Content-Length: 0\r
            \r
            """;

    private final ServerSocket port;
    private final @Nullable String credentials; // null: everybody may
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    TestProxy(@Nullable String credentials) {
        this.credentials = credentials;
        try {
            port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        TcpRelay.start("test-proxy", this::accept);
    }

    int port() {
        return port.getLocalPort();
    }

    @Override
    public void close() {
        TcpRelay.closeQuietly(port);
        sockets.forEach(TcpRelay::closeQuietly);
    }

    private void accept() {
        while (true) {
            try {
                Socket client = port.accept();
                sockets.add(client);
                TcpRelay.start("test-proxy", () -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            int first = in.read();
            if (first == SOCKS5) {
                socks(client, in);
            } else {
                http(client, in, first);
            }
        } catch (IOException e) {
            // one side is gone
        }
        sockets.remove(client);
    }

    private void http(Socket client, DataInputStream in, int first) throws IOException {
        String head = (char) first + head(in);
        while (credentials != null && !head.contains("\r\nProxy-Authorization: " + credentials + "\r\n")) {
            client.getOutputStream().write(REFUSED.getBytes(ISO_8859_1));
            head = head(in);
        }
        String target = head.split(" ", 3)[1];
        if (head.startsWith("CONNECT ")) {
            URI uri = URI.create("tcp://" + target);
            tunnel(client, in, uri.getHost(), uri.getPort(), OPEN.getBytes(ISO_8859_1), "");
        } else {
            URI uri = URI.create(target);
            String origin = head.replaceFirst("http://[^/]+", "")
                    .replaceFirst("\r\nProxy-Authorization: [^\r]*", "")
                    .replaceFirst("\r\n", "\r\nConnection: close\r\n");
            tunnel(client, in, uri.getHost(), uri.getPort(), new byte[0], origin);
        }
    }

    /** Through the blank line that ends it. */
    private static String head(DataInputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.readUnsignedByte());
        }
        return head.toString();
    }

    private void socks(Socket client, DataInputStream in) throws IOException {
        in.readNBytes(in.readUnsignedByte()); // the ways of authentication that the client knows
        client.getOutputStream().write(new byte[] {SOCKS5, 0});
        in.readNBytes(3); // version, CONNECT, reserved
        String host;
        if (in.read() == 1) {
            host = InetAddress.getByAddress(in.readNBytes(4)).getHostAddress();
        } else {
            host = new String(in.readNBytes(in.readUnsignedByte()), ISO_8859_1);
        }
        tunnel(client, in, host, in.readUnsignedShort(), new byte[] {SOCKS5, 0, 0, 1, 0, 0, 0, 0, 0, 0}, "");
    }

    private void tunnel(Socket client, DataInputStream in, String host, int port, byte[] answer, String first)
            throws IOException {
        try (Socket server = new Socket(host, port)) {
            sockets.add(server);
            server.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
            client.getOutputStream().write(answer);
            server.getOutputStream().write(first.getBytes(ISO_8859_1));
            TcpRelay.start("test-proxy", () -> {
                try (server) {
                    OutputStream out = server.getOutputStream();
                    in.transferTo(out);
                } catch (IOException e) {
                    // one side is gone
                }
            });
            server.getInputStream().transferTo(client.getOutputStream());
        }
    }
}
