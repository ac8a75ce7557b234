package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import okhttp3.Authenticator;
import okhttp3.Credentials;
import okhttp3.Dns;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How to speak HTTP with the service; the same for streaming and polling. Immutable, and one may serve many sources.
 *
 * <p>A duration that makes no sense (null, zero or negative) is replaced by its default, with one WARN (R16).
 */
public final class HttpSettings {
    private static final Duration CALL_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration FIRST_PAYLOAD_TIMEOUT = Duration.ofSeconds(30);
    private static final int MAX_PAYLOAD_BYTES = 1 << 30;
    private static final int MAX_HEADER_BYTES = 256 * 1024; // OkHttp itself reads no more
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"; // RFC 9110, section 5.6.2
    private static final String TAG = "[A-Za-z0-9._-]{1,64}";
    private static final String USER_AGENT = "Flagfeed/" + version();

    /** All defaults. */
    public static final HttpSettings DEFAULT = builder().build();

    private final @Nullable OkHttpClient client;
    private final TlsSettings tls;
    private final @Nullable Proxy proxy;
    private final @Nullable ProxySelector proxySelector;
    private final @Nullable Authenticator proxyAuthentication;
    private final @Nullable SocketFactory socketFactory;
    private final @Nullable Dns dns;
    private final @Nullable List<Protocol> protocols;
    private final @Nullable Duration connectTimeout;
    private final @Nullable Duration readTimeout;
    private final @Nullable Duration callTimeout;
    private final Duration firstPayloadTimeout;
    private final int maxPayloadBytes;
    private final @Nullable Integer maxEventBytes;
    private final int maxHeaderBytes;
    private final @Nullable String filter;
    private final HeaderNames headerNames;
    private final @Nullable String product;
    private final @Nullable String applicationId;
    private final @Nullable String applicationVersion;
    private final @Nullable String wrapper;
    private final @Nullable UUID instanceId;
    private final Map<String, String> headers;

    private HttpSettings(Builder builder) {
        client = builder.client;
        tls = builder.tls;
        proxy = builder.proxy;
        proxySelector = builder.proxySelector;
        proxyAuthentication = builder.proxyAuthentication;
        socketFactory = builder.socketFactory;
        dns = builder.dns;
        protocols = builder.protocols;
        connectTimeout = builder.connectTimeout;
        readTimeout = builder.readTimeout;
        callTimeout = builder.callTimeout;
        firstPayloadTimeout = builder.firstPayloadTimeout;
        maxPayloadBytes = builder.maxPayloadBytes;
        maxEventBytes = builder.maxEventBytes;
        maxHeaderBytes = builder.maxHeaderBytes;
        filter = builder.filter;
        headerNames = builder.headerNames;
        product = builder.product;
        applicationId = builder.applicationId;
        applicationVersion = builder.applicationVersion;
        wrapper = builder.wrapper;
        instanceId = builder.instanceId;
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers)); // in the order given
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these settings. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** The application's own client, or null if there is none. */
    public @Nullable OkHttpClient client() {
        return client;
    }

    /** Whom to trust, and who to be, over https. */
    public TlsSettings tls() {
        return tls;
    }

    /** The proxy to use, or null if a selector, the client or the JVM's settings decide. */
    public @Nullable Proxy proxy() {
        return proxy;
    }

    /**
     * What chooses the proxy for an address, or null if there is one proxy, or the client or the JVM's settings decide.
     */
    public @Nullable ProxySelector proxySelector() {
        return proxySelector;
    }

    /** What answers a proxy that asks for credentials, or null for the client's. Not public, for it holds them. */
    @Nullable
    Authenticator proxyAuthentication() {
        return proxyAuthentication;
    }

    /** What makes sockets, or null for the client's or the platform's. */
    public @Nullable SocketFactory socketFactory() {
        return socketFactory;
    }

    /** What finds the addresses of a name, or null for the client's or the platform's. */
    public @Nullable Dns dns() {
        return dns;
    }

    /** The versions of HTTP to speak, or null for the client's or OkHttp's. Unmodifiable. */
    public @Nullable List<Protocol> protocols() {
        return protocols;
    }

    /** The longest time for a connection to come about; null means the client's, or the default. */
    public @Nullable Duration connectTimeout() {
        return connectTimeout;
    }

    /** The longest silence while reading; null means that the kind of source decides. */
    public @Nullable Duration readTimeout() {
        return readTimeout;
    }

    /**
     * The longest time for a poll from its beginning to the end of its answer; null means the client's, or the default.
     */
    public @Nullable Duration callTimeout() {
        return callTimeout;
    }

    /** The longest time from the headers of a stream to the first byte of its first event. */
    public Duration firstPayloadTimeout() {
        return firstPayloadTimeout;
    }

    /** The most bytes of the answer to a poll, after decompression. */
    public int maxPayloadBytes() {
        return maxPayloadBytes;
    }

    /** The most bytes of one event of a stream, after decompression. */
    public int maxEventBytes() {
        return maxEventBytes == null ? maxPayloadBytes : maxEventBytes;
    }

    /** The most bytes of all header lines of an answer together. */
    public int maxHeaderBytes() {
        return maxHeaderBytes;
    }

    /** The key of the payload filter to ask for, or null for everything. */
    public @Nullable String filter() {
        return filter;
    }

    /** What headers are called. */
    public HeaderNames headerNames() {
        return headerNames;
    }

    /** Who embeds the library, as {@code name/version}, or null if that is not said. */
    public @Nullable String product() {
        return product;
    }

    /** What the application is called, or null if that is not said. */
    public @Nullable String applicationId() {
        return applicationId;
    }

    /** Which version of the application runs, or null if that is not said. */
    public @Nullable String applicationVersion() {
        return applicationVersion;
    }

    /** What wraps the SDK, as {@code name/version} or {@code name}, or null if nothing does. */
    public @Nullable String wrapper() {
        return wrapper;
    }

    /** The id of this instance, or null if each run of a source has one of its own. */
    public @Nullable UUID instanceId() {
        return instanceId;
    }

    /** Headers sent with every request after the library's own. Unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The settings, of headers only the names: values may be secrets. */
    @Override
    public String toString() {
        return "HttpSettings[client=" + given(client) + ", tls=" + tls + ", proxy=" + shown(proxy) + ", proxySelector="
                + given(proxySelector) + ", socketFactory=" + given(socketFactory) + ", dns=" + given(dns)
                + ", protocols=" + shown(protocols) + ", connectTimeout=" + shown(connectTimeout) + ", readTimeout="
                + shown(readTimeout)
                + ", callTimeout=" + shown(callTimeout) + ", firstPayloadTimeout=" + firstPayloadTimeout
                + ", maxPayloadBytes=" + maxPayloadBytes + ", maxEventBytes=" + maxEventBytes()
                + ", maxHeaderBytes=" + maxHeaderBytes + ", filter=" + orNone(filter) + ", headerNames=" + headerNames
                + ", product=" + orNone(product) + ", applicationId=" + orNone(applicationId)
                + ", applicationVersion=" + orNone(applicationVersion) + ", wrapper=" + orNone(wrapper)
                + ", instanceId=" + shown(instanceId) + ", headers=" + headers.keySet() + "]";
    }

    private static Object shown(@Nullable Object value) {
        return value == null ? "default" : value;
    }

    private static String given(@Nullable Object value) {
        return value == null ? "default" : "given";
    }

    private static String orNone(@Nullable String value) {
        return value == null ? "none" : value;
    }

    /** The headers that say who asks, by their names, in the order in which the protocol lists them. */
    Map<String, String> identity() {
        Map<String, String> identity = new LinkedHashMap<>();
        identity.put("User-Agent", product == null ? USER_AGENT : USER_AGENT + " " + product);
        String tags = tags();
        if (headerNames.tags() != null && !tags.isEmpty()) {
            identity.put(headerNames.tags(), tags);
        }
        if (headerNames.wrapper() != null && wrapper != null) {
            identity.put(headerNames.wrapper(), wrapper);
        }
        return identity;
    }

    private String tags() {
        String id = applicationId == null ? "" : "application-id/" + applicationId;
        String version = applicationVersion == null ? "" : "application-version/" + applicationVersion;
        return (id + " " + version).strip();
    }

    /** From the manifest, which was read already, or where the jar was repackaged, or is none, from a resource. */
    private static String version() {
        String ofJar = HttpSettings.class.getPackage().getImplementationVersion();
        if (ofJar != null) {
            return ofJar;
        }
        Properties properties = new Properties();
        try (InputStream in = HttpSettings.class.getResourceAsStream("version.properties")) {
            properties.load(requireNonNull(in, "version.properties"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    /** Streams are meant to last: only their beginning is bounded. */
    HttpExchange.TimeLimit streamLimit() {
        return new HttpExchange.TimeLimit(firstPayloadTimeout, false);
    }

    /** Each poll has to end, by the settings, by the application's client, or by default. */
    HttpExchange.TimeLimit pollLimit() {
        Duration given = client == null ? Duration.ZERO : Duration.ofMillis(client.callTimeoutMillis());
        Duration fallback = given.isZero() ? CALL_TIMEOUT : given;
        return new HttpExchange.TimeLimit(callTimeout == null ? fallback : callTimeout, true);
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
        log().warn("{} makes no sense as {}: using the default {}", option, value, fallback);
        return fallback;
    }

    /** The same, or null where the default is for the client of the application, or the source, to say. */
    private static @Nullable Duration positiveOrNull(String option, @Nullable Duration value, String fallback) {
        if (value != null && isPositive(value)) {
            return value;
        }
        log().warn("{} makes no sense as {}: using the default {}", option, value, fallback);
        return null;
    }

    private static boolean isPositive(Duration value) {
        return value.compareTo(Duration.ZERO) > 0;
    }

    /** Checks that a header can have this name. */
    static String headerName(String what, String name) {
        if (!name.matches(TOKEN)) {
            throw new IllegalArgumentException(what + " is no HTTP token: " + name);
        }
        return name;
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
        private TlsSettings tls = TlsSettings.DEFAULT;
        private @Nullable Proxy proxy;
        private @Nullable ProxySelector proxySelector;
        private @Nullable Authenticator proxyAuthentication;
        private @Nullable SocketFactory socketFactory;
        private @Nullable Dns dns;
        private @Nullable List<Protocol> protocols;
        private @Nullable Duration connectTimeout;
        private @Nullable Duration readTimeout;
        private @Nullable Duration callTimeout;
        private Duration firstPayloadTimeout = FIRST_PAYLOAD_TIMEOUT;
        private int maxPayloadBytes = MAX_PAYLOAD_BYTES;
        private @Nullable Integer maxEventBytes;
        private int maxHeaderBytes = MAX_HEADER_BYTES;
        private @Nullable String filter;
        private HeaderNames headerNames = HeaderNames.DEFAULT;
        private @Nullable String product;
        private @Nullable String applicationId;
        private @Nullable String applicationVersion;
        private @Nullable String wrapper;
        private @Nullable UUID instanceId;
        private final Map<String, String> headers = new LinkedHashMap<>();

        private Builder() {}

        private Builder(HttpSettings from) {
            client = from.client;
            tls = from.tls;
            proxy = from.proxy;
            proxySelector = from.proxySelector;
            proxyAuthentication = from.proxyAuthentication;
            socketFactory = from.socketFactory;
            dns = from.dns;
            protocols = from.protocols;
            connectTimeout = from.connectTimeout;
            readTimeout = from.readTimeout;
            callTimeout = from.callTimeout;
            firstPayloadTimeout = from.firstPayloadTimeout;
            maxPayloadBytes = from.maxPayloadBytes;
            maxEventBytes = from.maxEventBytes;
            maxHeaderBytes = from.maxHeaderBytes;
            filter = from.filter;
            headerNames = from.headerNames;
            product = from.product;
            applicationId = from.applicationId;
            applicationVersion = from.applicationVersion;
            wrapper = from.wrapper;
            instanceId = from.instanceId;
            headers.putAll(from.headers);
        }

        /**
         * A client of the application's own, whose TLS, proxy, DNS, interceptors and so on are used. What the sources
         * need to be different is different in clients derived from it: redirects, connections that are kept, time
         * limits; its authenticator and its cache are not used. It is never closed, nor anything in it; its connect
         * timeout holds, and for polls its read and call timeouts, where none are set here. Default: none.
         */
        public Builder client(OkHttpClient client) {
            this.client = requireNonNull(client, "client");
            return this;
        }

        /**
         * Whom to trust, and who to be, over https. Takes the place of what the client has for it: a client's own trust
         * holds where none is set here, but not its certificate. Default: {@link TlsSettings#DEFAULT}, or what the
         * client has.
         */
        public Builder tls(TlsSettings tls) {
            this.tls = requireNonNull(tls, "tls");
            return this;
        }

        /**
         * The HTTP or SOCKS proxy for every connection. Takes the place of {@link #proxySelector}. Default: the
         * client's, or what the JVM's settings say.
         */
        public Builder proxy(Proxy proxy) {
            this.proxy = requireNonNull(proxy, "proxy");
            proxySelector = null;
            return this;
        }

        /**
         * Chooses the proxy for each connection. Takes the place of {@link #proxy}. Default: the client's, or what the
         * JVM's settings say.
         */
        public Builder proxySelector(ProxySelector proxySelector) {
            this.proxySelector = requireNonNull(proxySelector, "proxySelector");
            proxy = null;
            return this;
        }

        /**
         * Makes the sockets of all connections but those of a SOCKS proxy, below TLS. Default: the client's, or the
         * platform's.
         *
         * @throws IllegalArgumentException if it is one for sockets of TLS
         */
        public Builder socketFactory(SocketFactory socketFactory) {
            if (requireNonNull(socketFactory, "socketFactory") instanceof SSLSocketFactory) {
                throw new IllegalArgumentException("socketFactory makes sockets of TLS: TlsSettings are for that");
            }
            this.socketFactory = socketFactory;
            return this;
        }

        /** Finds the addresses of a name. Default: the client's, or the platform's. */
        public Builder dns(Dns dns) {
            this.dns = requireNonNull(dns, "dns");
            return this;
        }

        /**
         * The versions of HTTP to speak, the preferred first. Default: the client's, or HTTP/2 where the service offers
         * it over https, else HTTP/1.1.
         *
         * @throws IllegalArgumentException unless they are {@code HTTP_1_1} with or without {@code HTTP_2}, or {@code
         *     H2_PRIOR_KNOWLEDGE} alone, for plain http to a service that is known to speak HTTP/2
         */
        public Builder protocols(List<Protocol> protocols) {
            List<Protocol> copy = List.copyOf(requireNonNull(protocols, "protocols"));
            boolean negotiated = copy.contains(Protocol.HTTP_1_1)
                    && List.of(Protocol.HTTP_1_1, Protocol.HTTP_2).containsAll(copy);
            if (!negotiated && !copy.equals(List.of(Protocol.H2_PRIOR_KNOWLEDGE))) {
                throw new IllegalArgumentException(
                        "protocols are neither HTTP_1_1 with or without HTTP_2, nor H2_PRIOR_KNOWLEDGE alone: "
                                + copy.stream().map(Protocol::name).toList());
            }
            this.protocols = copy;
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

        /**
         * The longest time for a TCP connection to come about. Null, zero or negative means the default, with a WARN.
         * Default: the client's, or 5 s.
         */
        public Builder connectTimeout(@Nullable Duration connectTimeout) {
            this.connectTimeout = positiveOrNull("connectTimeout", connectTimeout, "PT5S, or the client's");
            return this;
        }

        /**
         * The longest silence of the service before an attempt counts as failed. For a stream it has to exceed the
         * time between heartbeats. Null, zero or negative means the default, with a WARN. Default: 5 min for streaming;
         * for polling the client's, or 10 s.
         */
        public Builder readTimeout(@Nullable Duration readTimeout) {
            this.readTimeout = positiveOrNull("readTimeout", readTimeout, "of the source");
            return this;
        }

        /**
         * The longest time for a poll as a whole, so that an answer that trickles in for ever ends too. Streams, which
         * are meant to last, know no such limit. Null, zero or negative means the default, with a WARN. Default: the
         * client's, or 1 min.
         */
        public Builder callTimeout(@Nullable Duration callTimeout) {
            this.callTimeout = positiveOrNull("callTimeout", callTimeout, "PT1M, or the client's");
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
         * The most bytes of the answer to a poll after decompression, and of one event of a stream unless {@link
         * #maxEventBytes} says otherwise. More of them fail the attempt before they are all in memory. Default: 1 GiB.
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
         * The most bytes of one event of a stream, the one with everything included. More of them fail the attempt
         * before they are all in memory. Default: {@link #maxPayloadBytes}.
         *
         * @throws IllegalArgumentException if it is zero or negative
         */
        public Builder maxEventBytes(int maxEventBytes) {
            if (maxEventBytes <= 0) {
                throw new IllegalArgumentException("maxEventBytes <= 0: " + maxEventBytes);
            }
            this.maxEventBytes = maxEventBytes;
            return this;
        }

        /**
         * The most bytes of all header lines of an answer together. More of them fail the attempt; over HTTP/2 they are
         * in memory by then. Default: 256 KiB, which is also the most that is read over HTTP/1.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 256 KiB
         */
        public Builder maxHeaderBytes(int maxHeaderBytes) {
            if (maxHeaderBytes <= 0 || maxHeaderBytes > MAX_HEADER_BYTES) {
                throw new IllegalArgumentException(
                        "maxHeaderBytes is not between 1 and " + MAX_HEADER_BYTES + ": " + maxHeaderBytes);
            }
            this.maxHeaderBytes = maxHeaderBytes;
            return this;
        }

        /**
         * Asks the service for a part of the flags only: those that its payload filter of this key lets through.
         * Default: none, everything.
         *
         * @throws IllegalArgumentException unless the key is a letter or digit, followed by any number of letters,
         *     digits, {@code .}, {@code _} and {@code -}
         */
        public Builder filter(String filter) {
            if (!requireNonNull(filter, "filter").matches("[a-zA-Z0-9][._\\-a-zA-Z0-9]*")) {
                throw new IllegalArgumentException("filter is no key of a payload filter: " + filter);
            }
            this.filter = filter;
            return this;
        }

        /** What headers are called, for a service of another vendor. Default: {@link HeaderNames#DEFAULT}. */
        public Builder headerNames(HeaderNames headerNames) {
            this.headerNames = requireNonNull(headerNames, "headerNames");
            return this;
        }

        /**
         * Who embeds the library, added to the {@code User-Agent}. Default: nobody, only the library and its version.
         *
         * @throws IllegalArgumentException if either is no HTTP token
         */
        public Builder product(String name, String version) {
            product = headerName("product name", requireNonNull(name, "name")) + "/"
                    + headerName("product version", requireNonNull(version, "version"));
            return this;
        }

        /**
         * What the application is called, for the service's statistics. Anything but 1 to 64 of letters, digits, {@code
         * .}, {@code _} and {@code -} is not sent, with a WARN. Default: not said.
         */
        public Builder applicationId(String applicationId) {
            this.applicationId = tag("applicationId", applicationId);
            return this;
        }

        /**
         * Which version of the application runs, for the service's statistics. Anything but 1 to 64 of letters, digits,
         * {@code .}, {@code _} and {@code -} is not sent, with a WARN. Default: not said.
         */
        public Builder applicationVersion(String applicationVersion) {
            this.applicationVersion = tag("applicationVersion", applicationVersion);
            return this;
        }

        private static @Nullable String tag(String option, String value) {
            if (requireNonNull(value, option).matches(TAG)) {
                return value;
            }
            log().warn("{} is not sent, for it is not 1 to 64 letters, digits, '.', '_' and '-'", option);
            return null;
        }

        /**
         * What wraps the SDK, for the service's statistics. Default: nothing.
         *
         * @param version empty if it has none
         * @throws IllegalArgumentException if the name is empty, or either holds anything but printable ASCII
         */
        public Builder wrapper(String name, String version) {
            if (requireNonNull(name, "name").isBlank()) {
                throw new IllegalArgumentException("wrapper name is empty");
            }
            headerText("wrapper name", name);
            headerText("wrapper version", requireNonNull(version, "version"));
            wrapper = version.isEmpty() ? name : name + "/" + version;
            return this;
        }

        /**
         * The id of this instance among all that use the same key, the same for all sources with these settings.
         * Default: one by chance for each run of a source, so for each system.
         */
        public Builder instanceId(UUID instanceId) {
            this.instanceId = requireNonNull(instanceId, "instanceId");
            return this;
        }

        /**
         * A header for every request. It replaces one of the same name, also one that the library sets; {@code
         * Accept-Encoding} turns the decompression of polls off. Default: none.
         *
         * @throws IllegalArgumentException if the name is no HTTP token, or the value holds anything but printable
         *     ASCII
         */
        public Builder header(String name, String value) {
            headerName("header name", requireNonNull(name, "name"));
            headers.put(name, headerText("header " + name, requireNonNull(value, "value")));
            return this;
        }

        /** The settings. */
        public HttpSettings build() {
            return new HttpSettings(this);
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(HttpSettings.class);
    }
}
