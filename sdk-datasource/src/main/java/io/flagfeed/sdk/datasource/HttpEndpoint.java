package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryAfter;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One address of the service: how to ask it, and what an answer that cannot be used means. A recipe for runs of a
 * source, each of which takes a copy with connections and threads of its own.
 */
final class HttpEndpoint {
    // Each has been given up and keeps its thread. More than one are rare, and so many a fault of what they hang in.
    private static final int MOST_HANGING = 100;
    private static final int LONGEST_LOGGED_VALUE = 100;

    private final HttpUrl url;
    private final Credential credential;
    private final Headers headers; // of a recipe those of the mode, of a run all but that of the credential
    private final HttpSettings settings;
    private final OkHttpClient client;
    private final HttpExchange.TimeLimit limit;
    private final ThreadFactory threads;
    private final Duration threadsLast;
    private final RunSockets sockets; // of a recipe unused
    private final ThreadPoolExecutor exchanges; // likewise

    private HttpEndpoint(
            HttpUrl url,
            Credential credential,
            Headers headers,
            HttpSettings settings,
            OkHttpClient client,
            HttpExchange.TimeLimit limit,
            ThreadFactory threads,
            Duration threadsLast,
            RunSockets sockets) {
        this.url = url;
        this.credential = credential;
        this.headers = headers;
        this.settings = settings;
        this.client = client;
        this.limit = limit;
        this.threads = threads;
        this.threadsLast = threadsLast;
        this.sockets = sockets;
        exchanges = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                threadsLast.toNanos(),
                TimeUnit.NANOSECONDS,
                new SynchronousQueue<>(),
                // a pool would call null a refusal
                task -> requireNonNull(threads.newThread(task), "no thread from the thread factory"));
    }

    /**
     * An endpoint below a base address.
     *
     * @param source what is configured
     * @param path relative to the base, whether or not that ends in a slash
     * @param modeHeaders what this kind of source adds; the settings' headers come last and replace any
     * @param clientBuilder with what is particular to the kind of source; what is the same for all of them is added
     *     here
     * @param limit to one exchange
     * @param threads makes the thread of an exchange
     * @param threadsLast how long a thread waits for the next exchange
     * @throws IllegalArgumentException for an address that cannot be used
     */
    static HttpEndpoint of(
            SourceBuilder<?> source,
            String path,
            Map<String, String> modeHeaders,
            OkHttpClient.Builder clientBuilder,
            HttpExchange.TimeLimit limit,
            ThreadFactory threads,
            Duration threadsLast) {
        HttpSettings settings = source.http;
        HttpUrl base = httpUrl("baseUri", source.baseUri);
        if (base.isHttps() && List.of(Protocol.H2_PRIOR_KNOWLEDGE).equals(settings.protocols())) {
            throw new IllegalArgumentException("protocols are for plain http only: [H2_PRIOR_KNOWLEDGE]");
        }
        HttpUrl.Builder url = base.newBuilder().addPathSegments(path);
        if (settings.filter() != null) {
            url.addQueryParameter("filter", settings.filter());
        }
        OkHttpClient client = HttpClients.passive(clientBuilder, base.isHttps());
        return new HttpEndpoint(
                url.build(),
                source.credential,
                Headers.of(modeHeaders),
                settings,
                client,
                limit,
                threads,
                threadsLast,
                new RunSockets(client.socketFactory()));
    }

    /**
     * The same with an instance id and connections of its own, which {@link #close} can let go of. Says in the log what
     * is not safe about it.
     */
    HttpEndpoint forRun() {
        if (!url.isHttps() && !isLoopback(url.host())) {
            log().warn("{} is asked over plain http: anybody on the way can read the SDK key", this);
        }
        if (url.isHttps() && settings.tls().insecureForDevelopment()) {
            log().warn("{} is not checked for who it is: anybody on the way can read the SDK key", this);
        }
        Headers.Builder all = new Headers.Builder();
        addTo(all, settings.identity());
        String instanceId = settings.headerNames().instanceId();
        if (instanceId != null) {
            UUID id = settings.instanceId();
            all.set(instanceId, (id == null ? anyId() : id).toString());
        }
        all.addAll(headers);
        RunSockets sockets = new RunSockets(client.socketFactory());
        OkHttpClient own = HttpClients.ofRun(client, sockets);
        return new HttpEndpoint(url, credential, all.build(), settings, own, limit, threads, threadsLast, sockets);
    }

    private static void addTo(Headers.Builder all, Map<String, String> headers) {
        for (Map.Entry<String, String> header : headers.entrySet()) {
            all.set(header.getKey(), header.getValue());
        }
    }

    /** Told apart from others, and not kept from anybody: no secret source of chance, which takes long to set up. */
    private static UUID anyId() {
        SplittableRandom random = new SplittableRandom();
        long version4 = (random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L; // RFC 9562, section 5.4
        long variant = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(version4, variant);
    }

    /** By its name or number only: what a name service makes of it may change. */
    private static boolean isLoopback(String host) {
        return host.equals("localhost")
                || host.endsWith(".localhost")
                || host.equals("::1")
                || (host.startsWith("127.") && host.matches("[0-9.]+"));
    }

    /** What the address is to people: scheme, host and port. */
    @Override
    public String toString() {
        return origin(url);
    }

    /** The same of an address that was checked. */
    static String origin(URI checked) {
        return origin(httpUrl("baseUri", checked));
    }

    /** Scheme, host and port: nothing of an address but these is shown to anybody. */
    static String origin(HttpUrl url) {
        String host = url.host().indexOf(':') < 0 ? url.host() : "[" + url.host() + "]";
        return url.scheme() + "://" + host + ":" + url.port();
    }

    /**
     * Sends one request and has the response read, all on one thread. The receiver hears how it ended, whatever is
     * thrown on the way, once the response is closed.
     *
     * @param clock tells what time it is to dates in Retry-After
     * @param header the name of a header to add, if there is a value
     * @param value as a service sent it, so it may hold anything that OkHttp reads
     * @param ofKey the value is sent with this key only
     * @return ends it, in any phase
     */
    Cancellable exchange(
            InstantSource clock,
            String header,
            @Nullable String value,
            @Nullable String ofKey,
            Receiver receiver,
            HttpExchange.ResponseReader reader) {
        if (exchanges.getActiveCount() >= MOST_HANGING) {
            receiver.failed(Failure.network(MOST_HANGING + " attempts before this one have not come back"));
            return () -> {};
        }
        HttpExchange exchange = new HttpExchange(client, clock, limit, settings.maxHeaderBytes(), receiver, reader);
        Function<String, Request> request = key -> request(key, header, key.equals(ofKey) ? value : null);
        exchanges.execute(() -> {
            try {
                exchange.run(credential::key, request);
            } finally {
                if (exchange.isCancelled()) {
                    forgetConnections(); // what came back to the pool after the run had ended
                }
            }
        });
        return exchange;
    }

    private Request request(String key, String header, @Nullable String value) {
        Headers.Builder all = new Headers.Builder().set(settings.headerNames().authorization(), key);
        all.addAll(headers);
        addTo(all, settings.headers()); // last, so that they replace ours
        if (value != null) {
            all.addUnsafeNonAscii(header, value);
        }
        return new Request.Builder()
                .url(url)
                .headers(all.build())
                .tag(SentKey.class, new SentKey(key))
                .build();
    }

    /** The key that a request was sent with, whatever the header says that the application has put in its place. */
    static String keyOf(Response response) {
        SentKey sent = response.request().tag(SentKey.class);
        return sent == null ? "" : sent.key;
    }

    private static final class SentKey {
        private final String key;

        SentKey(String key) {
            this.key = key;
        }

        @Override
        public String toString() {
            return "…"; // a request shows its tags
        }
    }

    /**
     * Whether a read of the response's body is a read of a socket of the platform's, for which OkHttp has set the read
     * timeout as that of the socket, too. Other sockets may know none, and over HTTP/2 a connection has several
     * streams.
     */
    boolean readsOfSocketsAreTimed(Response response) {
        boolean oneStream = response.protocol() == Protocol.HTTP_1_1 || response.protocol() == Protocol.HTTP_1_0;
        boolean own = settings.client() == null; // an application's may have sockets for TLS, or answers, of any kind
        return oneStream && own && sockets.areOfThePlatform();
    }

    /** What a good response calls the environment, if it does so in a way that can be shown. */
    @Nullable
    String environmentId(Response response) {
        String name = settings.headerNames().environmentId();
        String id = name == null ? null : response.header(name);
        return id == null || id.isBlank() || id.chars().anyMatch(c -> c < ' ' || c > '~') ? null : id;
    }

    /** Ends the run: closes its connections, those that are kept for later and those that are coming about. */
    void close() {
        forgetConnections();
        sockets.close();
        exchanges.shutdown(); // the one under way comes to its end
    }

    private void forgetConnections() {
        client.connectionPool().evictAll();
    }

    /** A response whose status cannot be used, with what it says in Retry-After unless that has no meaning (R17). */
    static Failure failure(Response response, InstantSource clock) {
        int status = HttpClients.status(response);
        List<String> lines = HttpClients.retryAfter(response);
        if (lines.isEmpty() || response.isSuccessful() || status == 304) {
            return Failure.httpStatus(status, OptionalLong.empty());
        }
        OptionalLong seconds = RetryAfter.parse(lines, clock.instant());
        if (seconds.isEmpty()) {
            sayMalformed(lines.get(0));
        }
        return Failure.httpStatus(status, seconds);
    }

    /** Nothing that a logger throws may change what the response counts as (R28). */
    private static void sayMalformed(String value) {
        boolean isLong = value.length() > LONGEST_LOGGED_VALUE;
        try {
            log().debug("Malformed Retry-After: {}", isLong ? value.substring(0, LONGEST_LOGGED_VALUE) + "…" : value);
        } catch (RuntimeException | Error e) {
            // so nobody hears of it
        }
    }

    /** Throws for what no source can use. */
    static void checkAddress(String option, URI address) {
        httpUrl(option, address);
    }

    private static HttpUrl httpUrl(String option, URI address) {
        HttpUrl url = HttpUrl.get(requireNonNull(address, option));
        if (url == null) {
            throw new IllegalArgumentException(option + " is not an http or https address: " + shown(address));
        }
        if (url.query() != null || url.fragment() != null) {
            throw new IllegalArgumentException(
                    option + " has a query or a fragment: " + url.scheme() + "://" + url.host());
        }
        return url;
    }

    /** Neither userinfo nor path nor query: each may be a secret. */
    private static String shown(URI uri) {
        String place = uri.getHost() == null ? "…" : "//" + uri.getHost();
        String scheme = uri.getScheme() == null ? "" : uri.getScheme() + ":";
        return scheme + place;
    }

    private static Logger log() {
        return LoggerFactory.getLogger(HttpEndpoint.class);
    }
}
