package io.flagfeed.sdk.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port, the connections that came to it, and the threads that serve them. */
final class Listener {
    private static final byte[] LOOPBACK = {127, 0, 0, 1}; // whichever of its addresses the JVM prefers
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final int BACKLOG = 1024;

    private final FakeFlagServer server;
    private final @Nullable SSLContext tls; // null for plain HTTP
    private final boolean clientCertificate; // whether one is needed
    private final ThreadPoolExecutor threads;
    private final AtomicInteger lastThread = new AtomicInteger();
    private final Set<Thread> started = ConcurrentHashMap.newKeySet(); // to wait for their very end
    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Condition connectionClosed = lock.newCondition();
    private final SortedMap<Integer, Connection> connections = new TreeMap<>();
    private int lastId;
    private int port;
    private @Nullable ServerSocket socket; // null while the port is closed
    private CountDownLatch acceptorEnded = new CountDownLatch(0);
    private boolean silent;
    private boolean closed;

    Listener(FakeFlagServer server, int port, @Nullable SSLContext tls, boolean clientCertificate) {
        this.server = server;
        this.port = port;
        this.tls = tls;
        this.clientCertificate = clientCertificate;
        threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), this::startable);
        threads.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // closed while someone connected
    }

    private Thread startable(Runnable task) {
        Thread thread = new Thread(task, "flagfeed-fake-server-" + lastThread.incrementAndGet());
        thread.setDaemon(true);
        started.removeIf(other -> other.getState() == Thread.State.TERMINATED);
        started.add(thread);
        return thread;
    }

    int port() {
        lock.lock();
        try {
            return port;
        } finally {
            lock.unlock();
        }
    }

    /** Opens the port, the same as before if it was open before, and serves what connects. */
    void listen() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the server is closed");
            }
            silent = false;
            if (socket == null) {
                ServerSocket opened = open();
                socket = opened;
                CountDownLatch ended = new CountDownLatch(1);
                acceptorEnded = ended;
                run(() -> {
                    try {
                        accept(opened);
                    } finally {
                        ended.countDown();
                    }
                });
            }
        } finally {
            lock.unlock();
        }
    }

    /** The same, or nothing if it was closed meanwhile. */
    void listenAgain() {
        lock.lock();
        try {
            if (!closed) {
                listen();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Leaves without an answer who connects from now on. */
    void beSilent() {
        lock.lock();
        try {
            listen();
            silent = true;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the port and all connections, as the end of a process does. */
    void refuse() {
        List<Connection> open;
        CountDownLatch ended;
        lock.lock();
        try {
            closePort();
            open = List.copyOf(connections.values());
            ended = acceptorEnded;
        } finally {
            lock.unlock();
        }
        // until the thread has come back from the system, this goes on taking connections for the closed port; clients
        // are told afterwards, so that who comes back at once is refused
        await(() -> ended.await(5, TimeUnit.SECONDS), "accepting");
        open.forEach(Connection::close);
    }

    /** Closes everything for good and waits for the threads. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        refuse();
        threads.shutdown();
        // a pool counts as terminated a moment before its threads are gone
        started.forEach(thread -> await(
                () -> {
                    thread.join(5000);
                    return !thread.isAlive();
                },
                "answering"));
    }

    private static void await(Callable<Boolean> end, String doing) {
        try {
            if (!end.call()) {
                LOG.warn("The fake flag server did not end {}", doing);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it ends without being waited for, too
        } catch (Exception e) {
            throw new AssertionError("waiting throws nothing else", e);
        }
    }

    int openConnections() {
        lock.lock();
        try {
            return connections.size();
        } finally {
            lock.unlock();
        }
    }

    void awaitClosed(int id, Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            if (id < 1 || id > lastId) {
                throw new AssertionError("there was no connection " + id + ", the last one was " + lastId);
            }
            long left = timeout.toNanos();
            while (connections.containsKey(id)) {
                if (left <= 0) {
                    throw new AssertionError("connection " + id + " was still open after " + timeout
                            + "; open connections: " + connections.keySet());
                }
                left = connectionClosed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- for connections

    void run(Runnable task) {
        threads.execute(task);
    }

    /** The socket to read and write. */
    Socket secured(Socket tcp) throws IOException {
        if (tls == null) {
            return tcp;
        }
        SSLSocket socket = (SSLSocket)
                tls.getSocketFactory().createSocket(tcp, tcp.getInetAddress().getHostAddress(), tcp.getPort(), true);
        socket.setUseClientMode(false);
        socket.setNeedClientAuth(clientCertificate);
        socket.startHandshake();
        return socket;
    }

    void closed(Connection connection) {
        lock.lock();
        try {
            connections.remove(connection.id());
            connectionClosed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private ServerSocket open() {
        try {
            ServerSocket opened = new ServerSocket();
            try {
                opened.setReuseAddress(true); // the port again, though connections to it were closed just now
                opened.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), BACKLOG);
                port = opened.getLocalPort();
                return opened;
            } catch (IOException e) {
                opened.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("port " + port + " cannot be opened: " + e.getMessage(), e);
        }
    }

    private void accept(ServerSocket from) {
        while (true) {
            try {
                admit(from.accept(), from);
            } catch (IOException | RuntimeException | OutOfMemoryError e) { // no more files, or no more threads
                if (from.isClosed()) {
                    return;
                }
                LOG.warn("A connection could not be accepted", e);
            }
        }
    }

    private void admit(Socket tcp, ServerSocket from) throws IOException {
        lock.lock();
        try {
            if (socket != from) { // closed in this moment
                tcp.close();
                return;
            }
            Connection connection = new Connection(++lastId, tcp, this, server);
            connections.put(connection.id(), connection);
            if (!silent) {
                run(connection::answer);
            }
        } finally {
            lock.unlock();
        }
    }

    private void closePort() {
        ServerSocket open = socket;
        socket = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.debug("The port did not close", e);
            }
        }
    }
}
