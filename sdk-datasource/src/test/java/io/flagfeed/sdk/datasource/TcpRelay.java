package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A wire between a client and a port: hands bytes on, remembers what clients sent, and can go dead like a network that
 * drops everything, without closing a connection.
 */
final class TcpRelay implements AutoCloseable {
    private static final Pattern REQUEST_LINE = Pattern.compile("(?:GET|CONNECT) [!-~]+ HTTP/1\\.1\r\n");

    private final ServerSocket port;
    private final int target;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream(); // synchronizes by itself
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile boolean frozen;

    TcpRelay(int target) {
        this.target = target;
        try {
            port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("test-relay", this::accept);
    }

    int port() {
        return port.getLocalPort();
    }

    /** What clients sent so far; what was encrypted is noise. */
    String sent() {
        return sent.toString(ISO_8859_1);
    }

    /** The lines of the requests that could be read. */
    List<String> requestLines() {
        return REQUEST_LINE
                .matcher(sent())
                .results()
                .map(MatchResult::group)
                .map(String::strip)
                .toList();
    }

    /** How many connections clients have made. */
    int accepted() {
        return accepted.get();
    }

    /** How many connections have not been closed by either side. */
    int open() {
        return links.size();
    }

    /** Hands nothing on any more, in either direction; who connects meanwhile gets nothing either. */
    void freeze() {
        frozen = true;
        links.forEach(link -> link.dead = true);
    }

    /** Works again for those who connect from now on. What was frozen stays so. */
    void thaw() {
        frozen = false;
    }

    /** Closes all connections, and takes others. */
    void cut() {
        links.forEach(Link::close);
    }

    @Override
    public void close() {
        closeQuietly(port);
        links.forEach(Link::close);
    }

    private void accept() {
        while (true) {
            try {
                Link link = new Link(port.accept());
                accepted.incrementAndGet();
                links.add(link);
                link.dead = frozen;
                if (port.isClosed()) {
                    link.close();
                } else if (!link.dead) {
                    start("test-relay", link::connect);
                }
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            throw new AssertionError("closing a plain socket does not fail", e);
        }
    }

    private final class Link {
        private final Socket client;
        private final Socket server = new Socket();
        private volatile boolean dead;

        Link(Socket client) {
            this.client = client;
        }

        void connect() {
            try {
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
                start("test-relay", () -> copy(client, server, sent));
                copy(server, client, OutputStream.nullOutputStream());
            } catch (IOException e) {
                close();
            }
        }

        private void copy(Socket from, Socket to, OutputStream record) {
            byte[] buffer = new byte[16 * 1024];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int count = in.read(buffer); count >= 0 && !dead; count = in.read(buffer)) {
                    record.write(buffer, 0, count);
                    out.write(buffer, 0, count);
                }
            } catch (IOException e) {
                // reset by one side, which the other is to see too
            }
            if (!dead) { // a dead wire tells nobody of an end
                close();
            }
        }

        void close() {
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }
    }
}
