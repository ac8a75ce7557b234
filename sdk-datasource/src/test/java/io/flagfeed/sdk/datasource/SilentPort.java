package io.flagfeed.sdk.datasource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes connections and everything that comes on them, TLS or not, never says a word, and knows how many are open. */
final class SilentPort implements AutoCloseable {
    private final ServerSocket port;
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();

    SilentPort() {
        try {
            port = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        begin(this::accept);
    }

    URI uri(String scheme) {
        return URI.create(scheme + "://127.0.0.1:" + port.getLocalPort());
    }

    int taken() {
        return taken.get();
    }

    int open() {
        return open.get();
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = port.accept();
                taken.incrementAndGet();
                open.incrementAndGet();
                begin(() -> drain(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void drain(Socket socket) {
        try (socket) {
            socket.getInputStream().skip(Long.MAX_VALUE);
            while (socket.getInputStream().read() >= 0) {}
        } catch (IOException e) {
            // reset: closed as well
        } finally {
            open.decrementAndGet();
        }
    }

    private static void begin(Runnable task) {
        Thread thread = new Thread(task, "flagfeed-fake-server-silent");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            port.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
