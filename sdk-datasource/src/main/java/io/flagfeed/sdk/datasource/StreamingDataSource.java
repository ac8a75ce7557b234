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
import java.util.TreeMap;
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
            new TreeMap<>(Map.of("Accept", "text/event-stream", "Cache-Control", "no-cache")); // always in one order

    private final HttpEndpoint endpoint;
    private final Credential credential;
    private final HttpSettings http;
    private final Duration initialRetryDelay;
    private final RetryPolicy retryPolicy;
    private final Duration spread;
    private final @Nullable DoubleSupplier random; // null: one of its own for each run

    private StreamingDataSource(Builder builder) {
        endpoint = HttpEndpoint.of(
                builder,
                "all",
                HEADERS,
                HttpClients.forStreams(builder.http),
                builder.http.streamLimit(),
                builder.threads("stream"),
                Duration.ZERO);
        credential = builder.credential;
        http = builder.http;
        initialRetryDelay = builder.initialRetryDelay;
        retryPolicy = builder.retryPolicy;
        spread = builder.spread;
        random = builder.random();
    }

    /**
     * A builder for a stream at {@code {baseUri}/all}.
     *
     * @param baseUri the service: http or https, with any path, with or without a slash at its end, without a query
     * @param sdkKey what the service knows the environment by; sent as the Authorization header and shown nowhere
     * @throws IllegalArgumentException if the key is blank or holds anything but printable ASCII; the message does not
     *     show it
     */
    public static Builder builder(URI baseUri, String sdkKey) {
        requireNonNull(baseUri, "baseUri");
        return new Builder(baseUri, Credential.of(sdkKey));
    }

    /**
     * A builder for a stream at {@code {streaming}/all}.
     *
     * @param endpoints where the service is
     * @param credential what the service knows the environment by, which may be swapped while the source runs
     */
    public static Builder builder(ServiceEndpoints endpoints, Credential credential) {
        return new Builder(endpoints.streaming(), credential);
    }

    @Override
    public Cancellable start(UpdateSink sink, Scheduler scheduler) {
        requireNonNull(sink, "sink");
        DoubleSupplier chance = SourceBuilder.chance(random);
        Transport transport = new StreamTransport(
                endpoint.forRun(), scheduler::now, http.firstPayloadTimeout(), http.maxEventBytes());
        return new SourceLoop(
                        "Streaming from " + endpoint,
                        transport,
                        Fdv1Decoder::ofStream,
                        RetryState.forStreaming(retryPolicy, initialRetryDelay, chance),
                        new Spread(spread, chance),
                        sink,
                        scheduler)
                .start(credential);
    }

    /** The address, without the key. */
    @Override
    public String toString() {
        return "StreamingDataSource[" + endpoint + "]";
    }

    /** Collects the settings; every setter may be left out. Not safe for use by several threads. */
    public static final class Builder extends SourceBuilder<Builder> {
        private Duration initialRetryDelay = RetryState.DEFAULT_INITIAL_DELAY;

        private Builder(URI baseUri, Credential credential) {
            super(baseUri, credential);
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

        @Override
        Builder self() {
            return this;
        }

        @Override
        public StreamingDataSource build() {
            return new StreamingDataSource(this);
        }
    }
}
