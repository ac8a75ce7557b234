package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.retry.RetryState;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps data fresh by asking for everything at an interval, with an entity tag so that an unchanged answer costs next
 * to nothing.
 *
 * <p>A run has one daemon thread during a poll, named {@code flagfeed-poll}, and none between polls, unless they come
 * every second or more often: then it is kept for the next one. There is never more than one poll at a time, and the
 * interval counts from the end of one to the beginning of the next.
 */
public final class PollingDataSource implements DataSource {
    // Polls that come as often as this share a thread, which costs more than an unchanged poll does. It waits longer
    // than an interval, for that counts from when the end of a poll was dealt with.
    private static final Duration OFTEN = Duration.ofSeconds(1);
    private static final Duration LONGER = Duration.ofSeconds(2);

    private final HttpEndpoint endpoint;
    private final Credential credential;
    private final int maxPayloadBytes;
    private final Duration pollInterval;
    private final RetryPolicy retryPolicy;
    private final Duration spread;
    private final @Nullable DoubleSupplier random; // null: one of its own for each run
    private final ThreadFactory fetchThreads;

    private PollingDataSource(Builder builder) {
        endpoint = HttpEndpoint.of(
                builder,
                "sdk/latest-all",
                Map.of(),
                HttpClients.forPolls(builder.http),
                builder.http.pollLimit(),
                builder.threads("poll"),
                builder.pollInterval.compareTo(OFTEN) <= 0 ? LONGER : Duration.ZERO);
        credential = builder.credential;
        maxPayloadBytes = builder.http.maxPayloadBytes();
        pollInterval = builder.pollInterval;
        retryPolicy = builder.retryPolicy;
        spread = builder.spread;
        random = builder.random();
        fetchThreads = builder.threads("fetch");
    }

    /**
     * A builder for polls of {@code {baseUri}/sdk/latest-all}.
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
     * A builder for polls of {@code {polling}/sdk/latest-all}.
     *
     * @param endpoints where the service is
     * @param credential what the service knows the environment by, which may be swapped while the source runs
     */
    public static Builder builder(ServiceEndpoints endpoints, Credential credential) {
        return new Builder(endpoints.polling(), credential);
    }

    @Override
    public Cancellable start(UpdateSink sink, Scheduler scheduler) {
        requireNonNull(sink, "sink");
        return start(sink, scheduler, spread);
    }

    private Cancellable start(UpdateSink sink, Scheduler scheduler, Duration longestSpread) {
        DoubleSupplier chance = SourceBuilder.chance(random);
        return new SourceLoop(
                        "Polling of " + endpoint,
                        new PollTransport(endpoint.forRun(), scheduler::now, maxPayloadBytes),
                        Fdv1Decoder::ofPoll,
                        RetryState.forPolling(retryPolicy, pollInterval, chance),
                        new Spread(longestSpread, chance),
                        sink,
                        scheduler)
                .start(credential);
    }

    /**
     * Fetches everything once, for a process that lives shortly or a health check, and waits for it in real time. A
     * failed attempt is followed by another one by the rules of this source, so after the poll interval or longer, as
     * long as that wait fits into the budget; give a source that is made for this a short interval.
     *
     * <p>The budget bounds the time until the last attempt begins. How long an attempt takes is up to the timeouts of
     * {@link HttpSettings}: who has a deadline for the data keeps a reserve for that last exchange and passes a smaller
     * budget. The call never waits and then fails for want of time: it fails as soon as it knows.
     *
     * @param budget how much time attempts and waits may take before the last attempt begins; a wait that is as long as
     *     what remains fits; zero allows one attempt
     * @return everything the service has
     * @throws BudgetExceededException as soon as the next wait is longer than what remains; it names both and the last
     *     error
     * @throws InterruptedException if the thread is interrupted; the attempt or the wait has then been ended
     */
    public ChangeSet fetchOnce(Duration budget) throws BudgetExceededException, InterruptedException {
        try (SystemScheduler scheduler = Scheduler.systemWith(fetchThreads)) {
            CompletableFuture<ChangeSet> fetch = fetchOnce(budget, scheduler);
            try {
                return fetch.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof BudgetExceededException exceeded) {
                    throw exceeded;
                }
                throw new IllegalStateException(e.getCause()); // nothing else completes it
            } finally {
                fetch.cancel(true);
            }
        }
    }

    /**
     * The same without waiting.
     *
     * @param scheduler where time comes from; virtual time works
     * @return completes with everything the service has, or with a {@link BudgetExceededException}. Cancelling it ends
     *     the attempt or the wait. What depends on it without an executor of its own runs on the scheduler's thread.
     */
    public CompletableFuture<ChangeSet> fetchOnce(Duration budget, Scheduler scheduler) {
        requireNonNull(budget, "budget");
        DataSource atOnce = (sink, time) -> start(sink, time, Duration.ZERO); // a fetch is not one of a herd
        return BoundedFetch.start(atOnce, budget, scheduler);
    }

    /** The address, without the key. */
    @Override
    public String toString() {
        return "PollingDataSource[" + endpoint + "]";
    }

    /** Collects the settings; every setter may be left out. Not safe for use by several threads. */
    public static final class Builder extends SourceBuilder<Builder> {
        private Duration pollInterval = RetryState.DEFAULT_POLL_INTERVAL;

        private Builder(URI baseUri, Credential credential) {
            super(baseUri, credential);
        }

        /**
         * From the end of one poll to the beginning of the next, after a good poll and a passing failure alike. Null,
         * zero or negative means the default, with a WARN (R16). Default: 30 s.
         */
        public Builder pollInterval(@Nullable Duration pollInterval) {
            this.pollInterval = HttpSettings.positive("pollInterval", pollInterval, RetryState.DEFAULT_POLL_INTERVAL);
            return this;
        }

        @Override
        Builder self() {
            return this;
        }

        @Override
        public PollingDataSource build() {
            return new PollingDataSource(this);
        }
    }
}
