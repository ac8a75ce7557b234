package io.flagfeed.sdk.datasource;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ProtocolException;
import java.net.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.X509TrustManager;
import okhttp3.Authenticator;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.ConnectionSpec;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Makes OkHttp's clients of what is configured, and keeps them from doing anything by themselves. */
final class HttpClients {
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration STREAM_READ_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration POLL_READ_TIMEOUT = Duration.ofSeconds(10);

    // Where NO_FOLLOW_UPS puts what was received. Whatever the service sends under these names is dropped.
    private static final String RETRY_AFTER_AS_SENT = "Flagfeed-Retry-After";
    private static final String STATUS_AS_SENT = "Flagfeed-Status";
    private static final int MOST_OFFERS = 3; // NTLM takes two, Digest two when its nonce is old
    private static final String PROXY_AUTHORIZATION = "Proxy-Authorization";

    private HttpClients() {}

    /** A client for streams, which may be silent for long. */
    static OkHttpClient.Builder forStreams(HttpSettings settings) {
        Duration silence = settings.readTimeout() == null ? STREAM_READ_TIMEOUT : settings.readTimeout();
        return configured(settings).readTimeout(HttpSettings.millis(silence), TimeUnit.MILLISECONDS);
    }

    /** A client for polls. What the application's client says of their silence holds, too. */
    static OkHttpClient.Builder forPolls(HttpSettings settings) {
        OkHttpClient.Builder polls = configured(settings);
        Duration silence = settings.readTimeout();
        if (silence != null || settings.client() == null) {
            polls.readTimeout(
                    HttpSettings.millis(silence == null ? POLL_READ_TIMEOUT : silence), TimeUnit.MILLISECONDS);
        }
        return polls;
    }

    private static OkHttpClient.Builder configured(HttpSettings settings) {
        OkHttpClient given = settings.client();
        TlsSettings tls = settings.tls();
        OkHttpClient.Builder client = given == null ? new OkHttpClient.Builder() : given.newBuilder();
        Duration connecting = settings.connectTimeout();
        if (connecting != null || given == null) {
            client.connectTimeout(
                    HttpSettings.millis(connecting == null ? CONNECT_TIMEOUT : connecting), TimeUnit.MILLISECONDS);
        }
        if (tls.trustManager() != null || tls.keyManager() != null || tls.insecureForDevelopment()) {
            X509TrustManager trust = tls.decidingTrustManager(given == null ? null : given.x509TrustManager());
            client.sslSocketFactory(tls.socketFactory(trust), trust);
        }
        if (tls.insecureForDevelopment()) {
            client.hostnameVerifier((host, session) -> true);
        }
        if (settings.proxy() != null) {
            client.proxy(settings.proxy());
        } else if (settings.proxySelector() != null) {
            client.proxy(null).proxySelector(settings.proxySelector());
        }
        if (settings.socketFactory() != null) {
            client.socketFactory(settings.socketFactory());
        }
        if (settings.dns() != null) {
            client.dns(settings.dns());
        }
        if (settings.protocols() != null) {
            client.protocols(settings.protocols());
        }
        if (settings.proxyAuthentication() != null) {
            client.proxyAuthenticator(settings.proxyAuthentication());
        }
        return client;
    }

    /** A client that sends what it is told to send, and nothing else. */
    static OkHttpClient passive(OkHttpClient.Builder client, boolean isHttps) {
        if (!isHttps) { // redirects stay within the origin: whom the platform trusts need not be read
            client.connectionSpecs(List.of(ConnectionSpec.CLEARTEXT));
        }
        client.followRedirects(false) // HttpExchange does, where the key may go
                .authenticator(Authenticator.NONE) // would ask again out of sight, and with another key (R36)
                .cache(null) // would answer for the service
                .callTimeout(0, TimeUnit.MILLISECONDS) // HttpExchange has one for all redirects together
                .writeTimeout(0, TimeUnit.MILLISECONDS) // the same bounds the sending, and one watch less is set
                .retryOnConnectionFailure(true) // or a kept connection that has died would fail a poll (R36)
                .addNetworkInterceptor(NO_FOLLOW_UPS);
        OkHttpClient built = client.build();
        return built.newBuilder()
                .proxyAuthenticator(limited(built.proxyAuthenticator()))
                .build();
    }

    /** The same client for one run of a source, with connections of its own. */
    static OkHttpClient ofRun(OkHttpClient client, RunSockets sockets) {
        return client.newBuilder()
                .socketFactory(sockets)
                .connectionPool(new ConnectionPool(1, 5, TimeUnit.MINUTES))
                .addNetworkInterceptor(new SentOnce())
                .build();
    }

    /**
     * Keeps OkHttp from sending again, to the next address of the same name, what got no answer on a new connection
     * (R36): that is a failure to wait after. On a connection that was kept it may only have been too late, and over
     * HTTP/2 a service can say that it has not even begun (RFC 9113, section 8.7): both are left to OkHttp.
     */
    private static final class SentOnce implements Interceptor {
        private volatile @Nullable Connection answered;
        private volatile @Nullable Call excused; // for once

        @Override
        public Response intercept(Chain chain) throws IOException {
            Connection connection = chain.connection();
            try {
                Response response = chain.proceed(chain.request());
                answered = connection;
                return response;
            } catch (IOException e) {
                if (connection == answered || e instanceof InterruptedIOException || e instanceof ProtocolException) {
                    throw e; // after the latter two OkHttp tries nothing again
                } else if (hasNotBegun(e) && chain.call() != excused) {
                    excused = chain.call();
                    throw e;
                }
                throw new UnansweredException(e);
            }
        }

        /** By what OkHttp says in all its versions; the types are its own business. */
        private static boolean hasNotBegun(IOException e) {
            return e.getClass().getSimpleName().equals("ConnectionShutdownException")
                    || "stream was reset: REFUSED_STREAM".equals(e.getMessage());
        }
    }

    /** What OkHttp takes for a fault that another try would not mend. */
    static final class UnansweredException extends ProtocolException {
        private static final long serialVersionUID = 1;

        final transient IOException why;

        UnansweredException(IOException why) {
            super(why.getMessage());
            this.why = why;
            initCause(why);
        }
    }

    /** The status that was received. */
    static int status(Response response) {
        return response.header(STATUS_AS_SENT) == null ? response.code() : 407;
    }

    /** The lines of Retry-After that were received. */
    static List<String> retryAfter(Response response) {
        return response.headers(RETRY_AFTER_AS_SENT);
    }

    /**
     * Keeps OkHttp from acting on a response by itself (R36): it would send the request again after a 408, or a 503
     * whose Retry-After is 0, fail on a Retry-After that fits no int, and turn a 407 that no proxy sent into an
     * exception that has lost status and headers. As a network interceptor this runs below the code that does so. "1"
     * reads as "not now" there, and 400 as nothing to act on.
     */
    private static final Interceptor NO_FOLLOW_UPS = chain -> {
        Response response = chain.proceed(chain.request());
        Response.Builder changed = asSent(response).newBuilder();
        if (response.code() == 408 || response.code() == 503) {
            changed.header("Retry-After", "1");
        } else if (response.code() == 407 && !isFromProxy(chain.connection())) {
            changed.code(400).header(STATUS_AS_SENT, "407");
        }
        return changed.build();
    };

    /** The response with what it says in Retry-After moved to where OkHttp does not look. */
    private static Response asSent(Response response) {
        Response.Builder moved = response.newBuilder()
                .removeHeader(STATUS_AS_SENT)
                .removeHeader(RETRY_AFTER_AS_SENT)
                .removeHeader("Retry-After");
        for (String line : response.headers("Retry-After")) {
            moved.addHeader(RETRY_AFTER_AS_SENT, line);
        }
        return moved.build();
    }

    /**
     * Answers a proxy that asks for credentials, but not with what it has just refused, and not for ever: in a tunnel
     * OkHttp itself knows no limit.
     */
    private static Authenticator limited(Authenticator credentials) {
        return (route, response) -> {
            Request refused = response.request();
            Request answer = credentials.authenticate(route, response);
            boolean asksInAdvance = "OkHttp-Preemptive".equals(response.header("Proxy-Authenticate"));
            Offers before = refused.tag(Offers.class);
            int offers = before == null ? 0 : before.count;
            String offered = answer == null ? null : answer.header(PROXY_AUTHORIZATION);
            boolean isNew = offered != null && !offered.equals(refused.header(PROXY_AUTHORIZATION));
            if (answer != null && isNew && offers < MOST_OFFERS) {
                return answer.newBuilder()
                        .tag(Offers.class, new Offers(offers + 1))
                        .build();
            } else if (asksInAdvance) {
                return answer;
            }
            boolean tunnel = refused.method().equals("CONNECT"); // which no interceptor has seen
            throw new ProxyRefusedException(tunnel ? asSent(response) : response);
        };
    }

    /** How often a request has been sent with credentials. */
    private record Offers(int count) {}

    /** What comes through a tunnel is from the service, which the proxy's password is none of the business of. */
    private static boolean isFromProxy(@Nullable Connection connection) {
        return connection != null
                && connection.route().proxy().type() == Proxy.Type.HTTP
                && !connection.route().requiresTunnel();
    }
}
