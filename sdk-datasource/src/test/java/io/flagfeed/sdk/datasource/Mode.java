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
    STREAMING(Duration.ofSeconds(1)) {
        @Override
        Cancellable loop(
                Transport transport,
                Duration base,
                RetryPolicy policy,
                double chance,
                UpdateSink sink,
                Scheduler scheduler) {
            RetryState retry = RetryState.forStreaming(policy, base, () -> chance);
            return new SourceLoop("Streaming", transport, Fdv1Decoder::ofStream, retry, Spread.NONE, sink, scheduler)
                    .start(Credential.of("sdk-key"));
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

    POLLING(Duration.ofSeconds(30)) {
        @Override
        Cancellable loop(
                Transport transport,
                Duration base,
                RetryPolicy policy,
                double chance,
                UpdateSink sink,
                Scheduler scheduler) {
            RetryState retry = RetryState.forPolling(policy, base, () -> chance);
            return new SourceLoop("Polling", transport, Fdv1Decoder::ofPoll, retry, Spread.NONE, sink, scheduler)
                    .start(Credential.of("sdk-key"));
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

    /** The first wait after a failure: the mode's default initial delay or interval. */
    final Duration base;

    Mode(Duration base) {
        this.base = base;
    }

    abstract Cancellable loop(
            Transport transport,
            Duration base,
            RetryPolicy policy,
            double chance,
            UpdateSink sink,
            Scheduler scheduler);

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
