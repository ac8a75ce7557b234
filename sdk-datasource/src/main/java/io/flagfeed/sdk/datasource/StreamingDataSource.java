package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.retry.RetryState;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps data fresh over a stream of server-sent events: the service sends everything at first and then each change.
 *
 * <p>A run has one daemon thread while it is connecting or connected, named {@code flagfeed-stream}, and none while it
 * waits. A connection that ends, however it does, is followed by another one after a growing wait.
 */
public final class StreamingDataSource implements DataSource {
    private static final Map<String, String> HEADERS =
            Map.of("Accept", "text/event-stream", "Cache-Control", "no-cache");

    private final HttpEndpoint endpoint;
    private final HttpSettings http;
    private final Duration initialRetryDelay;
    private final RetryPolicy retryPolicy;
    private final @Nullable DoubleSupplier random; // null: one of its own for each run

    private StreamingDataSource(Builder builder) {
        endpoint = HttpEndpoint.of(
                builder.baseUri,
                "all",
                builder.sdkKey,
                HEADERS,
                builder.http,
                builder.http.streamClient(),
                builder.http.streamLimit());
        http = builder.http;
        initialRetryDelay = builder.initialRetryDelay;
        retryPolicy = builder.retryPolicy;
        random = builder.random;
    }

    /**
     * A builder for a stream at {@code {baseUri}/all}.
     *
     * @param baseUri the service: http or https, with any path, with or without a slash at its end, without a query
     * @param sdkKey what the service knows the environment by; sent as the Authorization header and shown nowhere
     */
    public static Builder builder(URI baseUri, String sdkKey) {
        return new Builder(baseUri, sdkKey);
    }

    @Override
    public Cancellable start(UpdateSink sink, Scheduler scheduler) {
        requireNonNull(sink, "sink");
        RetryState retry = RetryState.forStreaming(
                retryPolicy, initialRetryDelay, random == null ? new SplittableRandom()::nextDouble : random);
        Transport transport = new StreamTransport(
                endpoint.forRun(), scheduler::now, http.firstPayloadTimeout(), http.maxPayloadBytes());
        return SourceLoop.start("Streaming from " + endpoint, transport, Fdv1Decoder::ofStream, retry, sink, scheduler);
    }

    /** The address, without the key. */
    @Override
    public String toString() {
        return "StreamingDataSource[" + endpoint + "]";
    }

    /** Collects the settings; every setter may be left out. Not safe for use by several threads. */
    public static final class Builder {
        private final URI baseUri;
        private final String sdkKey;
        private Duration initialRetryDelay = RetryState.DEFAULT_INITIAL_DELAY;
        private RetryPolicy retryPolicy = RetryPolicy.DEFAULT;
        private HttpSettings http = HttpSettings.DEFAULT;
        private @Nullable DoubleSupplier random;

        private Builder(URI baseUri, String sdkKey) {
            this.baseUri = requireNonNull(baseUri, "baseUri");
            this.sdkKey = requireNonNull(sdkKey, "sdkKey");
        }

        /**
         * The wait after a first failure; further ones double it up to the policy's ceiling. Null, zero or negative
         * means the default, with a WARN (R16). Default: 1 s.
         */
        public Builder initialRetryDelay(@Nullable Duration initialRetryDelay) {
            this.initialRetryDelay =
                    HttpSettings.positive("initialRetryDelay", initialRetryDelay, RetryState.DEFAULT_INITIAL_DELAY);
            return this;
        }

        /** The numbers of the retry rules. Default: {@link RetryPolicy#DEFAULT}. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            this.retryPolicy = requireNonNull(retryPolicy, "retryPolicy");
            return this;
        }

        /** How to speak HTTP. Default: {@link HttpSettings#DEFAULT}. */
        public Builder http(HttpSettings http) {
            this.http = requireNonNull(http, "http");
            return this;
        }

        /** Gives a number in [0, 1) for each jittered wait (R8). Default: a generator of its own for each run. */
        public Builder random(DoubleSupplier random) {
            this.random = requireNonNull(random, "random");
            return this;
        }

        /**
         * The source, which can be started any number of times.
         *
         * @throws IllegalArgumentException if the address is not http or https or has a query, or if the key is empty
         *     or holds anything but printable ASCII; the message does not show the key
         */
        public StreamingDataSource build() {
            return new StreamingDataSource(this);
        }
    }
}
