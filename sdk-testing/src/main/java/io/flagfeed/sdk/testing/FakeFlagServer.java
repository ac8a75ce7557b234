package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A flag service on loopback: real HTTP/1.1 over real sockets, both modes at once, that serves the flags it is given
 * and fails as it is told.
 *
 * <pre>{@code
 * try (FakeFlagServer server = FakeFlagServer.start()) {
 *     server.set(TestFlags.flag("new-search").build());
 *     server.stream().respond(503).retryAfter(2).times(2); // then the flags
 *     StreamingDataSource source = StreamingDataSource.builder(server.uri(), "sdk-key").build();
 *     ...
 *     server.awaitRequests(3, Duration.ofSeconds(10));
 * }
 * }</pre>
 *
 * <p>{@code GET /all} is a stream and {@code GET /sdk/latest-all} a poll, whatever path comes before; other paths get
 * 404, other methods 405. Without a {@linkplain #stream() script} a stream begins with a {@code put} of all flags and
 * goes on with every change, and a poll gets all flags with an ETag, or 304 if it sent this ETag. All methods may be
 * called from any thread. Each server has a port, threads and, unless it was given one, a scheduler of its own.
 */
public final class FakeFlagServer implements AutoCloseable {
    private static final Script NO_SCRIPT = new Script(Mode.POLL);

    private final Scheduler scheduler;
    private final @Nullable SystemScheduler ownScheduler; // null if it was given one
    private final InstantSource clock;
    private final @Nullable ThrowawayCertificate certificate; // null for plain HTTP
    private final ServedFlags flags = new ServedFlags();
    private final RequestLog log = new RequestLog();
    private final Script stream = new Script(Mode.STREAM);
    private final Script poll = new Script(Mode.POLL);
    private final @Nullable SSLContext tls; // null for plain HTTP
    private final Listener listener;
    private volatile @Nullable String requiredKey; // null: any will do
    private volatile @Nullable Cancellable nextHeartbeat; // null without heartbeats
    private volatile @Nullable Cancellable endOfOutage; // null before the first
    private final Object port = new Object();
    private long said; // of the port, guarded by it
    private volatile boolean closed;

    private FakeFlagServer(Builder builder) {
        ownScheduler = builder.scheduler == null ? Scheduler.system("flagfeed-fake-server-timer") : null;
        scheduler = builder.scheduler == null ? requireNonNull(ownScheduler) : builder.scheduler;
        clock = builder.clock == null ? scheduler::now : builder.clock;
        certificate = builder.tls ? ThrowawayCertificate.make() : null;
        tls = certificate == null ? builder.context : certificate.serverContext();
        listener = new Listener(this, builder.port, tls, builder.clientCertificate);
    }

    /** A server with nothing special, on a free port. It listens when this returns. */
    public static FakeFlagServer start() {
        return builder().start();
    }

    /** For a server with something special. */
    public static Builder builder() {
        return new Builder();
    }

    /** Where it listens, without a slash at the end: {@code http://127.0.0.1:41234}. Stays the same until it closes. */
    public URI uri() {
        return URI.create((tls == null ? "http" : "https") + "://127.0.0.1:" + listener.port());
    }

    /**
     * What a client needs to trust this server's certificate, and no other.
     *
     * @throws IllegalStateException if it was not started with {@link Builder#tls()}
     */
    public SSLContext sslContext() {
        return certificate().clientContext();
    }

    /**
     * Trusts this server's certificate, and no other: for clients that want it next to the socket factory.
     *
     * @throws IllegalStateException if it was not started with {@link Builder#tls()}
     */
    public X509TrustManager trustManager() {
        return certificate().trustManager();
    }

    private ThrowawayCertificate certificate() {
        if (certificate == null) {
            throw new IllegalStateException("the server was started without tls()");
        }
        return certificate;
    }

    // ---- flags

    /**
     * Adds an item or replaces the one with its key: all streams get a patch, or for a tombstone a delete, and polls a
     * new ETag. The version is up to the caller: one that is not higher than before is served too, and clients should
     * ignore it on a stream.
     */
    public void set(Item item) {
        flags.set(requireNonNull(item, "item"));
    }

    /**
     * Deletes an item: all streams get a delete with the next version (1 if there was no such item), and polls go
     * without it.
     */
    public void delete(ItemKind kind, String key) {
        flags.delete(new ItemKey(kind, key));
    }

    /** Deletes a flag. */
    public void delete(String flagKey) {
        delete(ItemKind.FLAG, flagKey);
    }

    /** Replaces everything: all streams get a new {@code put}. Of several items with one key the last counts. */
    public void setAll(Collection<Item> items) {
        flags.setAll(List.copyOf(items));
    }

    /** What a poll gets now: {@code {"flags":{..},"segments":{..}}}. */
    public String snapshotJson() {
        return new String(flags.current().json, UTF_8);
    }

    // ---- streams

    /** Sends an empty comment line on all open streams, as services do so that nobody takes them for dead. */
    public void heartbeat() {
        sendRaw(Wire.comment(""));
    }

    /** Sends an event of any name with any data on all open streams. Data of several lines stay that. */
    public void sendEvent(String name, String data) {
        sendRaw(Wire.event(name, data));
    }

    /** Sends text in UTF-8 on all open streams, as it is: blank lines included. */
    public void sendRaw(String text) {
        sendRaw(text.getBytes(UTF_8));
    }

    /** Sends bytes on all open streams. */
    public void sendRaw(byte[] bytes) {
        flags.send(bytes.clone());
    }

    /** How many streams are open: those that stall included, those that get an error or wait for their answer not. */
    public int openStreams() {
        return flags.openStreams();
    }

    /** Ends all open streams as HTTP says, after what was sent on them so far; the connections can be used again. */
    public void dropStreams() {
        flags.closeAll().forEach(OpenStream::end);
    }

    /** Resets the connections of all open streams (RST). What was sent on them may be lost. */
    public void resetStreams() {
        flags.closeAll().forEach(open -> open.connection().reset());
    }

    /**
     * Waits in real time until exactly so many streams are open.
     *
     * @throws AssertionError if it does not come to that in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void awaitStreams(int count, Duration timeout) throws InterruptedException {
        flags.awaitStreams(count, timeout);
    }

    // ---- faults

    /** What the next streams get. */
    public Script stream() {
        return stream;
    }

    /** What the next polls get. */
    public Script poll() {
        return poll;
    }

    /** Answers 401 from now on to every request whose Authorization is not this. No script is used up by that. */
    public void require(String sdkKey) {
        requiredKey = requireNonNull(sdkKey, "sdkKey");
    }

    /**
     * Closes the port and all connections, as the end of a process does: who connects is refused. Flags, scripts and
     * the log of requests stay.
     */
    public void refuse() {
        synchronized (port) {
            said++;
            cancel(endOfOutage);
            listener.refuse();
        }
    }

    /**
     * The same for so long, as when the process dies and is started again: then it {@linkplain #accept accepts}, if
     * nothing else was said meanwhile. For an outage that begins with the end of an answer, see {@link Answer#outage}.
     *
     * @param duration by the server's scheduler
     */
    public void outage(Duration duration) {
        if (requireNonNull(duration, "duration").isNegative()) {
            throw new IllegalArgumentException("outage < 0: " + duration);
        }
        synchronized (port) {
            refuse();
            if (!closed) {
                endOfOutage = scheduler.schedule(duration, listener::listenAgain);
            }
        }
        if (closed) { // meanwhile, by another thread
            cancel(endOfOutage);
        }
    }

    /** The outage that an answer ends in, unless something else was said of the port since the answer began. */
    void outage(Duration duration, long saidBefore) {
        synchronized (port) {
            if (said == saidBefore) {
                outage(duration);
            }
        }
    }

    /** How often something was said of the port. */
    long said() {
        synchronized (port) {
            return said;
        }
    }

    /** Takes connections that come from now on without ever reading or answering them: not even TLS is agreed on. */
    public void blackHole() {
        synchronized (port) {
            said++;
            cancel(endOfOutage);
            listener.beSilent();
        }
    }

    /**
     * Listens and answers again, on the same port.
     *
     * @throws java.io.UncheckedIOException if somebody else has taken the port
     * @throws IllegalStateException if the server was closed
     */
    public void accept() {
        synchronized (port) {
            said++;
            cancel(endOfOutage);
            listener.listen();
        }
    }

    // ---- requests

    /** All requests so far, the first first: those that were answered 401, 404 or 405 included. */
    public List<Request> requests() {
        return log.all();
    }

    /** The requests to paths that end with this. */
    public List<Request> requests(String pathSuffix) {
        return log.all().stream()
                .filter(request -> request.path().endsWith(pathSuffix))
                .toList();
    }

    /** The requests for streams. */
    public List<Request> streamRequests() {
        return requests(Mode.STREAM.path);
    }

    /** The polls. */
    public List<Request> pollRequests() {
        return requests(Mode.POLL.path);
    }

    /**
     * Waits in real time for a request: the oldest that no call of this method has returned before.
     *
     * @throws AssertionError if none comes in time; the message lists those that came before
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Request awaitRequest(Duration timeout) throws InterruptedException {
        return log.awaitNext(timeout);
    }

    /**
     * Waits in real time for a request of a kind, and returns the first of all that came.
     *
     * @throws AssertionError if there is none in time; the message lists those that came
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public Request awaitRequest(Predicate<Request> such, Duration timeout) throws InterruptedException {
        return log.awaitFirst(such, timeout);
    }

    /**
     * Waits in real time until so many requests have come in all, and returns all there are: perhaps more.
     *
     * @throws AssertionError if it does not come to that in time; the message lists those that came
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public List<Request> awaitRequests(int count, Duration timeout) throws InterruptedException {
        return log.awaitCount(count, timeout);
    }

    /**
     * Forgets the requests that came so far, as if the next one were the first: for tests so long that all their
     * requests would fill the memory. Connections are counted on, and so is {@link #requestCount}.
     */
    public void forgetRequests() {
        log.forget();
    }

    /** How many requests came in all, those that were forgotten included. */
    public long requestCount() {
        return log.count();
    }

    /** How many TCP connections are open. */
    public int openConnections() {
        return listener.openConnections();
    }

    /**
     * Waits in real time until a TCP connection is closed, by the client or by the server.
     *
     * @param id as in {@link Request#connectionId}
     * @throws AssertionError if it is still open then, or there was no such connection
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void awaitConnectionClosed(int id, Duration timeout) throws InterruptedException {
        listener.awaitClosed(id, timeout);
    }

    /**
     * Closes the port, all connections and all threads, and waits for those that answer; that of its timer ends at once
     * by itself. Does nothing the second time.
     */
    @Override
    public void close() {
        closed = true;
        cancel(nextHeartbeat);
        cancel(endOfOutage);
        listener.close();
        if (ownScheduler != null) {
            ownScheduler.close();
        }
    }

    /** Where it listens and what came, for messages of failed tests; no secrets. */
    @Override
    public String toString() {
        return "FakeFlagServer " + uri() + ", " + openStreams() + " streams, requests:\n" + log;
    }

    private static void cancel(@Nullable Cancellable task) {
        if (task != null) {
            task.cancel();
        }
    }

    // ---- for connections

    Request record(RequestReader.Head head, int connectionId) {
        Request request = new Request(
                head.method(),
                head.path(),
                head.query(),
                head.headers(),
                connectionId,
                clock.instant(),
                scheduler.nanoTime());
        log.add(request);
        return request;
    }

    void answer(Request request, Connection connection, boolean lastOne, boolean http10)
            throws IOException, InterruptedException {
        new Exchange(answerTo(request), request, connection, this, flags, scheduler, clock, lastOne, http10).run();
    }

    private Answer answerTo(Request request) {
        Script script;
        if (Mode.POLL.serves(request.path())) {
            script = poll;
        } else if (Mode.STREAM.serves(request.path())) {
            script = stream;
        } else {
            return new Answer(NO_SCRIPT, 404, "not found");
        }
        if (!request.method().equals("GET")) {
            return new Answer(NO_SCRIPT, 405, "wrong method").header("Allow", "GET");
        }
        String required = requiredKey;
        if (required != null && !request.header("Authorization").equals(Optional.of(required))) {
            return new Answer(NO_SCRIPT, 401, "wrong key");
        }
        return script.next();
    }

    private void beatEvery(Duration period) {
        heartbeat();
        if (!closed) {
            nextHeartbeat = scheduler.schedule(period, () -> beatEvery(period));
        }
    }

    /** Makes a {@link FakeFlagServer}. */
    public static final class Builder {
        private int port;
        private @Nullable Scheduler scheduler; // null for one of its own
        private @Nullable InstantSource clock; // null for the scheduler's
        private @Nullable Duration heartbeat; // null for none
        private boolean tls;
        private @Nullable SSLContext context; // null unless one was given
        private boolean clientCertificate;
        private List<Item> flags = List.of();

        private Builder() {}

        /** Listens on this port. Default: one that is free. */
        public Builder port(int port) {
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("port not in 0..65535: " + port);
            }
            this.port = port;
            return this;
        }

        /**
         * Takes delays, pauses and heartbeats from this scheduler, which is not closed with the server: in virtual time
         * they last until a test moves time, which it can as soon as they are pending. Default: one of its own on the
         * computer's clocks.
         */
        public Builder scheduler(Scheduler scheduler) {
            this.scheduler = requireNonNull(scheduler, "scheduler");
            return this;
        }

        /** Serves these flags and segments from the first request on. Default: none. */
        public Builder flags(Collection<Item> flags) {
            this.flags = List.copyOf(requireNonNull(flags, "flags"));
            return this;
        }

        /** Dates requests and headers by this clock. Default: the scheduler's. */
        public Builder clock(InstantSource clock) {
            this.clock = requireNonNull(clock, "clock");
            return this;
        }

        /** Sends a {@linkplain FakeFlagServer#heartbeat heartbeat} that often. Default: only when told. */
        public Builder heartbeatEvery(Duration period) {
            if (requireNonNull(period, "period").isNegative() || period.isZero()) {
                throw new IllegalArgumentException("heartbeatEvery <= 0: " + period);
            }
            heartbeat = period;
            return this;
        }

        /**
         * Speaks TLS, with a certificate for localhost and 127.0.0.1 made for this server alone, which takes about a
         * second. Default: plain HTTP.
         */
        public Builder tls() {
            tls = true;
            context = null;
            return this;
        }

        /** Speaks TLS, with a certificate of the test's own. Default: plain HTTP. */
        public Builder tls(SSLContext context) {
            this.context = requireNonNull(context, "context");
            tls = false;
            return this;
        }

        /**
         * Over TLS, lets in only who shows a certificate that the context trusts. Default: whoever comes.
         *
         * @see #tls(SSLContext)
         */
        public Builder requireClientCertificate() {
            clientCertificate = true;
            return this;
        }

        /**
         * Starts the server, which listens when this returns.
         *
         * @throws java.io.UncheckedIOException if it cannot listen, on a port that is taken for example
         * @throws IllegalStateException if it is to speak TLS, and this Java has no keytool to make a certificate
         */
        public FakeFlagServer start() {
            FakeFlagServer server = new FakeFlagServer(this);
            try {
                server.setAll(flags);
                server.accept();
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
            if (heartbeat != null) {
                server.beatEvery(heartbeat);
            }
            return server;
        }
    }

    /**
     * A line of a request's head.
     *
     * @param name as it was sent
     * @param value without white space around it
     */
    public record Header(String name, String value) {
        private static final String SECRET = "Authorization";

        /** The line; of Authorization only that it is there. */
        @Override
        public String toString() {
            return name + ": " + (name.equalsIgnoreCase(SECRET) ? "***" : value);
        }
    }

    /**
     * A request that came.
     *
     * @param method {@code GET}
     * @param path as it was sent, percent signs included; of a request to a proxy, the part after the host
     * @param query what follows the question mark, as it was sent; null without one
     * @param headers all lines in their order
     * @param connectionId which TCP connection it came on: they are counted from 1
     * @param time when, by the server's clock
     * @param nanoTime when, in nanoseconds of its scheduler's monotonic clock
     */
    public record Request(
            String method,
            String path,
            @Nullable String query,
            List<Header> headers,
            int connectionId,
            Instant time,
            long nanoTime) {
        /** Copies the list. */
        public Request {
            requireNonNull(method, "method");
            requireNonNull(path, "path");
            headers = List.copyOf(headers);
            requireNonNull(time, "time");
        }

        /** The value of the first line with this name, in upper or lower case. */
        public Optional<String> header(String name) {
            return headers(name).stream().findFirst();
        }

        /** The values of all lines with this name, in upper or lower case. */
        public List<String> headers(String name) {
            return headers.stream()
                    .filter(header -> header.name().equalsIgnoreCase(name))
                    .map(Header::value)
                    .toList();
        }

        /** One line with everything but the value of Authorization. */
        @Override
        public String toString() {
            return method + " " + path + (query == null ? "" : "?" + query) + " on connection " + connectionId + " at "
                    + time + " " + headers;
        }
    }
}
