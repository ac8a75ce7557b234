package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.flagfeed.sdk.testing.FakeFlagServer.Request;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection. A thread reads it all the time, so that the end of the client is seen at once; another answers
 * what was read, one request after the other.
 */
final class Connection {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final Incoming NO_MORE = new Incoming(null, false, true, false);

    private static final byte[] BAD_REQUEST =
            "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes(US_ASCII);

    private final int id;
    private final Socket tcp; // closed directly, under TLS too: what is faulty ends without a farewell
    private final Listener listener;
    private final FakeFlagServer server;
    private final BlockingQueue<Incoming> requests = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private Socket secured; // what is read and written: the same as tcp without TLS; the answering thread's
    private volatile @Nullable OutputStream out; // null until the connection is set up
    private volatile @Nullable OpenStream stream; // null while none is open

    /** A request; or none, as what came was no HTTP, or nothing comes any more. */
    private record Incoming(@Nullable Request request, boolean malformed, boolean lastOne, boolean http10) {}

    Connection(int id, Socket tcp, Listener listener, FakeFlagServer server) {
        this.id = id;
        this.tcp = tcp;
        this.secured = tcp;
        this.listener = listener;
        this.server = server;
    }

    int id() {
        return id;
    }

    /** Sets the connection up and answers until it is closed. */
    void answer() {
        try {
            tcp.setTcpNoDelay(true); // a write is a packet: what a script splits arrives split
            secured = listener.secured(tcp);
            out = new BufferedOutputStream(secured.getOutputStream());
            RequestReader reader = new RequestReader(new BufferedInputStream(secured.getInputStream()));
            listener.run(() -> read(reader));
            for (Incoming next = requests.take(); ; next = requests.take()) {
                if (next.request != null) {
                    server.answer(next.request, this, next.lastOne, next.http10);
                } else if (next.malformed) {
                    write(BAD_REQUEST);
                    flush();
                }
                if (next.lastOne) {
                    closeInOrder();
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            LOG.debug("Connection {} ended", id, e);
        } catch (RuntimeException | Error e) {
            LOG.error("Connection {} failed", id, e);
        } finally {
            close();
        }
    }

    private void read(RequestReader reader) {
        try {
            for (RequestReader.Head head = reader.next(); head != null; head = reader.next()) {
                requests.add(new Incoming(server.record(head, id), false, asksToClose(head), head.http10()));
            }
            close();
        } catch (ProtocolException e) {
            requests.add(new Incoming(null, true, true, false));
        } catch (IOException e) {
            LOG.debug("Connection {} ended", id, e);
            close();
        } catch (RuntimeException | Error e) {
            LOG.error("Connection {} failed", id, e);
            close();
        }
    }

    private static boolean asksToClose(RequestReader.Head head) {
        return head.http10()
                || head.headers().stream()
                        .filter(header -> header.name().equalsIgnoreCase("Connection"))
                        .flatMap(header -> Stream.of(header.value().split(",", -1)))
                        .anyMatch(option -> option.strip().equalsIgnoreCase("close"));
    }

    void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    void write(byte[] bytes, int offset, int length) throws IOException {
        output().write(bytes, offset, length);
    }

    void flush() throws IOException {
        output().flush();
    }

    private OutputStream output() throws IOException {
        OutputStream to = out;
        if (to == null) {
            throw new IOException("the connection is not set up");
        }
        return to;
    }

    /** The stream that is open from here on; it ends when the connection does. */
    void carry(OpenStream opened) {
        stream = opened;
        if (closed.isDone()) {
            opened.abandon();
        }
    }

    void carryNothing() {
        stream = null;
    }

    /** Waits for something that may never happen. False if the connection was closed first. */
    boolean await(CompletableFuture<Void> event) {
        CompletableFuture.anyOf(event, closed).join();
        return !closed.isDone();
    }

    /** Waits until the connection is closed. */
    void awaitClosed() {
        closed.join();
    }

    /** Lets a moment pass. False if the connection was closed in it. */
    boolean moment() throws InterruptedException {
        try {
            closed.get(5, TimeUnit.MILLISECONDS);
            return false;
        } catch (TimeoutException e) {
            return true;
        } catch (ExecutionException e) {
            throw new AssertionError("it is never completed with an exception", e);
        }
    }

    /** Closes the connection as TLS wants it, too. Called by the answering thread. */
    void closeInOrder() throws IOException {
        secured.close();
        close();
    }

    /** Closes the connection (FIN, unless the client sent what was not read). */
    void close() {
        try {
            tcp.close();
        } catch (IOException e) {
            LOG.debug("Connection {} did not close", id, e);
        }
        if (closed.complete(null)) {
            requests.add(NO_MORE);
            OpenStream carried = stream;
            if (carried != null) {
                carried.abandon();
            }
            listener.closed(this);
        }
    }

    /** Resets the connection (RST). */
    void reset() {
        resetWhenClosed();
        close();
    }

    /** Lets the end of the connection be a reset, whoever closes it here. */
    void resetWhenClosed() {
        try {
            tcp.setSoLinger(true, 0);
        } catch (IOException e) {
            LOG.debug("Connection {} was closed already", id, e);
        }
    }
}
