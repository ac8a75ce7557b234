package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.retry.RetryState;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Script;
import java.net.URI;
import java.time.Duration;

/** The two modes, each with what it sends, so that one test runs over both. */
enum Mode {
    STREAMING("Streaming", Duration.ofSeconds(1)) {
        @Override
        RetryState retry(RetryPolicy policy, Duration base, double chance) {
            return RetryState.forStreaming(policy, base, () -> chance);
        }

        @Override
        EventDecoder decoder() {
            return Fdv1Decoder.ofStream();
        }

        @Override
        String event() {
            return "put";
        }

        @Override
        String data(String flags) {
            return "{\"path\":\"/\",\"data\":{\"flags\":{" + flags + "},\"segments\":{}}}";
        }

        @Override
        DataSource source(URI uri, Duration base, HttpSettings http) {
            return StreamingDataSource.builder(uri, "sdk-key")
                    .initialRetryDelay(base)
                    .http(http)
                    .random(() -> 0)
                    .build();
        }

        @Override
        Script script(FakeFlagServer server) {
            return server.stream();
        }
    },

    POLLING("Polling", Duration.ofSeconds(30)) {
        @Override
        RetryState retry(RetryPolicy policy, Duration base, double chance) {
            return RetryState.forPolling(policy, base, () -> chance);
        }

        @Override
        EventDecoder decoder() {
            return Fdv1Decoder.ofPoll();
        }

        @Override
        String event() {
            return "poll";
        }

        @Override
        String data(String flags) {
            return "{\"flags\":{" + flags + "},\"segments\":{}}";
        }

        @Override
        DataSource source(URI uri, Duration base, HttpSettings http) {
            return PollingDataSource.builder(uri, "sdk-key")
                    .pollInterval(base)
                    .http(http)
                    .random(() -> 0)
                    .build();
        }

        @Override
        Script script(FakeFlagServer server) {
            return server.poll();
        }
    };

    static final Spread NO_SPREAD = new Spread(Duration.ZERO, () -> 0);

    /** The first wait after a failure: the mode's default initial delay or interval. */
    final Duration base;

    private final String name; // as the log says it

    Mode(String name, Duration base) {
        this.name = name;
        this.base = base;
    }

    abstract RetryState retry(RetryPolicy policy, Duration base, double chance);

    abstract EventDecoder decoder();

    Cancellable loop(
            Transport transport,
            Duration base,
            RetryPolicy policy,
            double chance,
            UpdateSink sink,
            Scheduler scheduler) {
        RetryState retry = retry(policy, base, chance);
        return new SourceLoop(name, transport, this::decoder, retry, NO_SPREAD, sink, scheduler)
                .start(Credential.of("sdk-key"));
    }

    abstract String event();

    /** A full data set with the given members of {@code flags}. */
    abstract String data(String flags);

    abstract DataSource source(URI uri, Duration base, HttpSettings http);

    DataSource source(FakeFlagServer server) {
        return source(server.uri(), base, HttpSettings.DEFAULT);
    }

    /** The server's script for this mode. */
    abstract Script script(FakeFlagServer server);
}
