package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryAfter;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One address of the service: how to ask it, and what an answer that cannot be used means. Immutable; each run of a
 * source takes a copy with connections of its own.
 */
final class HttpEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);

    // Where KEEP_RETRY_AFTER puts the lines as received. Whatever the service sends under this name is dropped.
    private static final String RETRY_AFTER_AS_SENT = "Flagfeed-Retry-After";
    private static final int LONGEST_LOGGED_VALUE = 100;

    private final OkHttpClient client;
    private final Request request;

    private HttpEndpoint(OkHttpClient client, Request request) {
        this.client = client;
        this.request = request;
    }

    /**
     * An endpoint below a base address.
     *
     * @param path relative to the base, whether or not that ends in a slash
     * @param readTimeout where the settings name none
     * @throws IllegalArgumentException for an address or key that cannot be used
     */
    static HttpEndpoint of(URI baseUri, String path, String sdkKey, HttpSettings settings, Duration readTimeout) {
        HttpUrl url = httpUrl(baseUri).newBuilder().addPathSegments(path).build();
        if (requireNonNull(sdkKey, "sdkKey").isBlank()) {
            throw new IllegalArgumentException("sdkKey is empty");
        }
        Request.Builder request = new Request.Builder()
                .url(url)
                .header("Authorization", HttpSettings.headerText("sdkKey", sdkKey))
                .header("User-Agent", userAgent());
        settings.headers().forEach(request::header);
        OkHttpClient client = new OkHttpClient.Builder()
                .connectTimeout(millis(settings.connectTimeout()), TimeUnit.MILLISECONDS)
                .readTimeout(
                        millis(settings.readTimeout() == null ? readTimeout : settings.readTimeout()),
                        TimeUnit.MILLISECONDS)
                .addNetworkInterceptor(KEEP_RETRY_AFTER)
                .build();
        return new HttpEndpoint(client, request.build());
    }

    /** The same with a header that the settings do not override. */
    HttpEndpoint withHeader(String name, String value) {
        return new HttpEndpoint(client, request.newBuilder().header(name, value).build());
    }

    /** The same with a limit to how long a request and its answer take together. */
    HttpEndpoint withCallTimeout(Duration timeout) {
        OkHttpClient limited = client.newBuilder()
                .callTimeout(millis(timeout), TimeUnit.MILLISECONDS)
                .build();
        return new HttpEndpoint(limited, request);
    }

    /** The same with connections of its own, which {@link #close} can let go of. */
    HttpEndpoint forRun() {
        OkHttpClient own = client.newBuilder()
                .connectionPool(new ConnectionPool(1, 5, TimeUnit.MINUTES))
                .build();
        return new HttpEndpoint(own, request);
    }

    /** What the address is to people: scheme, host and port. */
    @Override
    public String toString() {
        HttpUrl url = request.url();
        return url.scheme() + "://" + url.host() + ":" + url.port();
    }

    /** Reads a response, to its end or until it throws. */
    interface ResponseReader {
        void read(Response response) throws IOException;
    }

    /**
     * Sends one request and has the response read, all on a daemon thread that lives as long as that takes. Whatever
     * is thrown on the way reaches the receiver as a failure.
     *
     * @param header the name of a header to add, if there is a value
     * @return ends it, in any phase
     */
    Cancellable exchange(
            String threadName, String header, @Nullable String value, Receiver receiver, ResponseReader reader) {
        Call call = client.newCall(
                value == null
                        ? request
                        : request.newBuilder().header(header, value).build());
        Thread thread = new Thread(() -> run(call, receiver, reader), threadName);
        thread.setDaemon(true);
        thread.start();
        return call::cancel;
    }

    private void run(Call call, Receiver receiver, ResponseReader reader) {
        try (Response response = call.execute()) {
            reader.read(response);
        } catch (IOException e) {
            LOG.debug("A request failed", e);
            receiver.failed(Failure.network(describe(e)));
        } catch (Throwable e) { // an Error too, such as no memory for one payload: only this attempt ends
            LOG.debug("A request failed unexpectedly", e);
            // only the type: a message that nobody has foreseen may hold anything, the SDK key too
            receiver.failed(Failure.unknown(e.getClass().getName()));
        } finally {
            if (call.isCanceled()) {
                close(); // what came back to the pool after the run had ended
            }
        }
    }

    /** Closes the connections that are kept for later. */
    void close() {
        client.connectionPool().evictAll();
    }

    /** A response whose status cannot be used, with what it says in Retry-After unless that has no meaning (R17). */
    static Failure failure(Response response, InstantSource clock) {
        int status = response.code();
        List<String> lines = response.headers(RETRY_AFTER_AS_SENT);
        if (lines.isEmpty() || response.isSuccessful() || status == 304) {
            return Failure.httpStatus(status, OptionalLong.empty());
        }
        OptionalLong seconds = RetryAfter.parse(lines, clock.instant());
        if (seconds.isEmpty()) {
            String value = lines.get(0);
            LOG.debug(
                    "Malformed Retry-After: {}",
                    value.length() > LONGEST_LOGGED_VALUE ? value.substring(0, LONGEST_LOGGED_VALUE) + "…" : value);
        }
        return Failure.httpStatus(status, seconds);
    }

    /**
     * Keeps OkHttp from acting on Retry-After (R36): it would send the request again by itself after a 408, or a 503
     * that says 0, and fail on a number that does not fit an int. As a network interceptor this runs below the code
     * that does so. "1" reads as "not now" there.
     */
    private static final Interceptor KEEP_RETRY_AFTER = chain -> {
        Response response = chain.proceed(chain.request());
        List<String> lines = response.headers("Retry-After");
        Response.Builder changed =
                response.newBuilder().removeHeader(RETRY_AFTER_AS_SENT).removeHeader("Retry-After");
        lines.forEach(line -> changed.addHeader(RETRY_AFTER_AS_SENT, line));
        if (response.code() == 408 || response.code() == 503) {
            changed.header("Retry-After", "1");
        }
        return changed.build();
    };

    private static HttpUrl httpUrl(URI baseUri) {
        requireNonNull(baseUri, "baseUri");
        HttpUrl url = HttpUrl.get(baseUri);
        if (url == null) {
            // neither userinfo nor query is shown: either may be a secret
            throw new IllegalArgumentException(
                    "baseUri is not an http or https address: " + baseUri.getScheme() + "://" + baseUri.getHost());
        }
        if (url.query() != null || url.fragment() != null) {
            throw new IllegalArgumentException(
                    "baseUri has a query or a fragment: " + url.scheme() + "://" + url.host());
        }
        return url;
    }

    private static String userAgent() {
        String version = HttpEndpoint.class.getPackage().getImplementationVersion();
        return version == null ? "Flagfeed" : "Flagfeed/" + version; // no version: not run from a jar
    }

    /** The type and the message, in which no address is left: it may hold a user's name and password. */
    private static String describe(IOException e) {
        String message = e.getMessage();
        String type = e.getClass().getSimpleName();
        return message == null ? type : type + ": " + message.replaceAll("\\S*://\\S*", "the service");
    }

    /** Rounded up, and within what OkHttp takes (R40). */
    private static int millis(Duration duration) {
        Duration most = Duration.ofMillis(Integer.MAX_VALUE);
        return duration.compareTo(most) >= 0
                ? Integer.MAX_VALUE
                : (int) duration.plusNanos(999_999).toMillis();
    }
}
