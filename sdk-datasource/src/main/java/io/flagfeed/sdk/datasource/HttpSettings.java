package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import java.net.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import okhttp3.Authenticator;
import okhttp3.Credentials;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How to speak HTTP with the service; the same for streaming and polling. Immutable, and one may serve many sources.
 *
 * <p>A duration that makes no sense (null, zero or negative) is replaced by its default, with one WARN (R16).
 */
public final class HttpSettings {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSettings.class);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration STREAM_READ_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration POLL_READ_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration CALL_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration FIRST_PAYLOAD_TIMEOUT = Duration.ofSeconds(30);
    private static final int MAX_PAYLOAD_BYTES = 1 << 30;

    /** All defaults. */
    public static final HttpSettings DEFAULT = builder().build();

    private final @Nullable OkHttpClient client;
    private final @Nullable Proxy proxy;
    private final @Nullable Authenticator proxyAuthentication;
    private final @Nullable Duration connectTimeout;
    private final @Nullable Duration readTimeout;
    private final @Nullable Duration callTimeout;
    private final Duration firstPayloadTimeout;
    private final int maxPayloadBytes;
    private final @Nullable String filter;
    private final Map<String, String> headers;

    private HttpSettings(Builder builder) {
        client = builder.client;
        proxy = builder.proxy;
        proxyAuthentication = builder.proxyAuthentication;
        connectTimeout = builder.connectTimeout;
        readTimeout = builder.readTimeout;
        callTimeout = builder.callTimeout;
        firstPayloadTimeout = builder.firstPayloadTimeout;
        maxPayloadBytes = builder.maxPayloadBytes;
        filter = builder.filter;
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers)); // in the order given
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** The application's own client, or null if there is none. */
    public @Nullable OkHttpClient client() {
        return client;
    }

    /** The proxy to use, or null if the client or the JVM's settings decide. */
    public @Nullable Proxy proxy() {
        return proxy;
    }

    /** The longest time for a connection to come about; null means the client's, or the default. */
    public @Nullable Duration connectTimeout() {
        return connectTimeout;
    }

    /** The longest silence while reading; null means that the kind of source decides. */
    public @Nullable Duration readTimeout() {
        return readTimeout;
    }

    /** The longest time for a poll from its beginning to the end of its answer; null means the client's, or the default. */
    public @Nullable Duration callTimeout() {
        return callTimeout;
    }

    /** The longest time from the headers of a stream to the first byte of its first event. */
    public Duration firstPayloadTimeout() {
        return firstPayloadTimeout;
    }

    /** The most bytes of one event or poll, after decompression. */
    public int maxPayloadBytes() {
        return maxPayloadBytes;
    }

    /** The key of the payload filter to ask for, or null for everything. */
    public @Nullable String filter() {
        return filter;
    }

    /** Headers sent with every request after the library's own. Unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The settings, of headers only the names: values may be secrets. */
    @Override
    public String toString() {
        return "HttpSettings[client=" + (client == null ? "default" : "given") + ", proxy=" + shown(proxy)
                + ", connectTimeout=" + shown(connectTimeout) + ", readTimeout=" + shown(readTimeout)
                + ", callTimeout=" + shown(callTimeout) + ", firstPayloadTimeout=" + firstPayloadTimeout
                + ", maxPayloadBytes=" + maxPayloadBytes + ", filter=" + (filter == null ? "none" : filter)
                + ", headers=" + headers.keySet() + "]";
    }

    private static Object shown(@Nullable Object value) {
        return value == null ? "default" : value;
    }

    /** A client for streams, which may be silent for long. */
    OkHttpClient.Builder streamClient() {
        Duration silence = readTimeout == null ? STREAM_READ_TIMEOUT : readTimeout;
        return newClient().readTimeout(millis(silence), TimeUnit.MILLISECONDS);
    }

    /** Streams are meant to last: only their beginning is bounded. */
    HttpExchange.TimeLimit streamLimit() {
        return new HttpExchange.TimeLimit(firstPayloadTimeout, false);
    }

    /** A client for polls. What the application's client says of their silence holds, too. */
    OkHttpClient.Builder pollClient() {
        OkHttpClient.Builder polls = newClient();
        if (readTimeout != null || client == null) {
            polls.readTimeout(millis(readTimeout == null ? POLL_READ_TIMEOUT : readTimeout), TimeUnit.MILLISECONDS);
        }
        return polls;
    }

    /** Each poll has to end, by the settings, by the application's client, or by default. */
    HttpExchange.TimeLimit pollLimit() {
        Duration given = client == null ? Duration.ZERO : Duration.ofMillis(client.callTimeoutMillis());
        Duration fallback = given.isZero() ? CALL_TIMEOUT : given;
        return new HttpExchange.TimeLimit(callTimeout == null ? fallback : callTimeout, true);
    }

    private OkHttpClient.Builder newClient() {
        OkHttpClient.Builder client = this.client == null ? new OkHttpClient.Builder() : this.client.newBuilder();
        if (connectTimeout != null || this.client == null) {
            client.connectTimeout(
                    millis(connectTimeout == null ? CONNECT_TIMEOUT : connectTimeout), TimeUnit.MILLISECONDS);
        }
        if (proxy != null) {
            client.proxy(proxy);
        }
        if (proxyAuthentication != null) {
            client.proxyAuthenticator(proxyAuthentication);
        }
        return client;
    }

    /** Rounded up, and within what OkHttp takes (R40). */
    static int millis(Duration duration) {
        Duration most = Duration.ofMillis(Integer.MAX_VALUE);
        return duration.compareTo(most) >= 0
                ? Integer.MAX_VALUE
                : (int) duration.plusNanos(999_999).toMillis();
    }

    /** The given duration, or the default and a WARN where it makes no sense (R16). */
    static Duration positive(String option, @Nullable Duration value, Duration fallback) {
        if (value != null && isPositive(value)) {
            return value;
        }
        LOG.warn("{} makes no sense as {}: using the default {}", option, value, fallback);
        return fallback;
    }

    private static boolean isPositive(Duration value) {
        return value.compareTo(Duration.ZERO) > 0;
    }

    /** Checks what an HTTP header can carry; the message does not show the text, which may be a secret. */
    static String headerText(String what, String text) {
        requireNonNull(text, what);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~') {
                throw new IllegalArgumentException(
                        what + " holds a character that a header cannot carry: code " + (int) c + " at index " + i);
            }
        }
        return text;
    }

    /** Collects the settings; every setter may be left out. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable OkHttpClient client;
        private @Nullable Proxy proxy;
        private @Nullable Authenticator proxyAuthentication;
        private @Nullable Duration connectTimeout;
        private @Nullable Duration readTimeout;
        private @Nullable Duration callTimeout;
        private Duration firstPayloadTimeout = FIRST_PAYLOAD_TIMEOUT;
        private int maxPayloadBytes = MAX_PAYLOAD_BYTES;
        private @Nullable String filter;
        private final Map<String, String> headers = new LinkedHashMap<>();

        private Builder() {}

        /**
         * A client of the application's own, whose TLS, proxy, DNS, interceptors and so on are used. What the sources
         * need to be different is different in clients derived from it: redirects, connections that are kept, time limits;
         * its authenticator and its cache are not used. It is never closed, nor anything in it; its connect timeout holds, and for polls its read
         * and call timeouts, where none are set here. Default: none.
         */
        public Builder client(OkHttpClient client) {
            this.client = requireNonNull(client, "client");
            return this;
        }

        /** The HTTP or SOCKS proxy for every connection. Default: the client's, or what the JVM's settings say. */
        public Builder proxy(Proxy proxy) {
            this.proxy = requireNonNull(proxy, "proxy");
            return this;
        }

        /**
         * Name and password for an HTTP proxy that asks for them (Basic, RFC 7617); they are shown nowhere. One that
         * refuses them makes the attempt fail with its status. Default: none.
         *
         * @throws IllegalArgumentException if the name holds a colon
         */
        public Builder proxyAuthentication(String username, String password) {
            requireNonNull(username, "username");
            requireNonNull(password, "password");
            if (username.indexOf(':') >= 0) {
                throw new IllegalArgumentException("username holds a colon");
            }
            String credentials = Credentials.basic(username, password);
            proxyAuthentication = (route, response) -> response.request()
                    .newBuilder()
                    .header("Proxy-Authorization", credentials)
                    .build();
            return this;
        }

        /** The longest time for a TCP connection to come about. Default: 5 s. */
        public Builder connectTimeout(@Nullable Duration connectTimeout) {
            this.connectTimeout = positive("connectTimeout", connectTimeout, CONNECT_TIMEOUT);
            return this;
        }

        /**
         * The longest silence of the service before an attempt counts as failed. For a stream it has to exceed the
         * time between heartbeats. Default: 5 min for streaming, 10 s for polling.
         */
        public Builder readTimeout(@Nullable Duration readTimeout) {
            if (readTimeout != null && isPositive(readTimeout)) {
                this.readTimeout = readTimeout;
            } else {
                LOG.warn("readTimeout makes no sense as {}: using the default of the source", readTimeout);
                this.readTimeout = null;
            }
            return this;
        }

        /**
         * The longest time for a poll as a whole, so that an answer that trickles in for ever ends too. Streams, which
         * are meant to last, know no such limit. Default: 1 min.
         */
        public Builder callTimeout(@Nullable Duration callTimeout) {
            this.callTimeout = positive("callTimeout", callTimeout, CALL_TIMEOUT);
            return this;
        }

        /**
         * The longest time from the headers of a stream to the first byte of its first event: for the connection that
         * is open but silent, because something on the way holds back what the service sends, or because the service
         * has nothing. Heartbeats do not count, but data that arrive slowly do. The same limit holds for the time
         * from the beginning of the attempt to the headers. Polls have {@link #callTimeout} instead. Default: 30 s.
         */
        public Builder firstPayloadTimeout(@Nullable Duration firstPayloadTimeout) {
            this.firstPayloadTimeout = positive("firstPayloadTimeout", firstPayloadTimeout, FIRST_PAYLOAD_TIMEOUT);
            return this;
        }

        /**
         * The most bytes of one event of a stream, or of the answer to a poll after decompression. More of them fail
         * the attempt before they are all in memory. Default: 1 GiB.
         *
         * @throws IllegalArgumentException if it is zero or negative
         */
        public Builder maxPayloadBytes(int maxPayloadBytes) {
            if (maxPayloadBytes <= 0) {
                throw new IllegalArgumentException("maxPayloadBytes <= 0: " + maxPayloadBytes);
            }
            this.maxPayloadBytes = maxPayloadBytes;
            return this;
        }

        /**
         * Asks the service for a part of the flags only: those that its payload filter of this key lets through. Default:
         * none, everything.
         *
         * @throws IllegalArgumentException unless the key is a letter or digit, followed by any number of letters, digits,
         *     {@code .}, {@code _} and {@code -}
         */
        public Builder filter(String filter) {
            if (!requireNonNull(filter, "filter").matches("[a-zA-Z0-9][._\\-a-zA-Z0-9]*")) {
                throw new IllegalArgumentException("filter is no key of a payload filter: " + filter);
            }
            this.filter = filter;
            return this;
        }

        /**
         * A header for every request. It replaces one of the same name, also one that the library sets. Default: none.
         *
         * @throws IllegalArgumentException if the name is no HTTP token, or the value holds anything but printable
         *     ASCII
         */
        public Builder header(String name, String value) {
            requireNonNull(name, "name");
            if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
                throw new IllegalArgumentException("header name is no HTTP token: " + name);
            }
            headers.put(name, headerText("header " + name, value));
            return this;
        }

        /** The settings. */
        public HttpSettings build() {
            return new HttpSettings(this);
        }
    }
}
