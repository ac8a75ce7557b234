package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.retry.RetryPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What can be said of either kind of source; every setter may be left out. Not safe for use by several threads.
 *
 * @param <B> the builder of the kind
 */
public abstract sealed class SourceBuilder<B extends SourceBuilder<B>>
        permits StreamingDataSource.Builder, PollingDataSource.Builder {
    final URI baseUri;
    final Credential credential;
    RetryPolicy retryPolicy = RetryPolicy.DEFAULT;
    HttpSettings http = HttpSettings.DEFAULT;
    Duration spread = Duration.ZERO;
    private @Nullable DoubleSupplier random; // null: one of its own for each run
    private String threadNamePrefix = "flagfeed";
    private @Nullable ThreadFactory threadFactory;

    SourceBuilder(URI baseUri, Credential credential) {
        this.baseUri = requireNonNull(baseUri, "baseUri");
        this.credential = requireNonNull(credential, "credential");
    }

    abstract B self();

    /** The numbers of the retry rules. Default: {@link RetryPolicy#DEFAULT}. */
    public B retryPolicy(RetryPolicy retryPolicy) {
        this.retryPolicy = requireNonNull(retryPolicy, "retryPolicy");
        return self();
    }

    /** How to speak HTTP. Default: {@link HttpSettings#DEFAULT}. */
    public B http(HttpSettings http) {
        this.http = requireNonNull(http, "http");
        return self();
    }

    /** Gives a number in [0, 1) for each jittered wait (R8). Default: a generator of its own for each run. */
    public B random(DoubleSupplier random) {
        this.random = requireNonNull(random, "random");
        return self();
    }

    /**
     * Spreads what many clients would do at the same moment: an extra wait, by chance from zero up to this, before the
     * first attempt, after a stream that had brought its data was lost, and after a swapped {@link Credential}. For
     * fleets that start, or lose their stream, all at once; polls that began apart stay apart. {@link
     * PollingDataSource#fetchOnce} has none. Null or negative means the default, with a WARN. Default: zero, no extra
     * wait.
     */
    public B spread(@Nullable Duration spread) {
        if (spread == null || spread.isNegative()) {
            log().warn("spread makes no sense as {}: using the default PT0S", spread);
            this.spread = Duration.ZERO;
        } else {
            this.spread = spread;
        }
        return self();
    }

    /**
     * What the names of the source's threads begin with; they end in {@code -stream}, {@code -poll}, and {@code -fetch}
     * for that of {@link PollingDataSource#fetchOnce}. Default: {@code flagfeed}.
     */
    public B threadNamePrefix(String threadNamePrefix) {
        this.threadNamePrefix = requireNonNull(threadNamePrefix, "threadNamePrefix");
        return self();
    }

    /**
     * Makes the threads of attempts, virtual ones for instance, and names them as it likes; the prefix has no
     * meaning then. When it throws or gives null, the attempt has failed. It makes the scheduler's of {@link
     * PollingDataSource#fetchOnce}, too, which throws then. Default: daemon threads.
     */
    public B threadFactory(ThreadFactory threadFactory) {
        this.threadFactory = requireNonNull(threadFactory, "threadFactory");
        return self();
    }

    /**
     * The source, which can be started any number of times.
     *
     * @throws IllegalArgumentException if the address is not http or https, or has a query or fragment
     */
    public abstract DataSource build();

    /** Makes threads of one purpose. */
    ThreadFactory threads(String purpose) {
        String name = threadNamePrefix + "-" + purpose;
        ThreadFactory daemons = task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
        return threadFactory == null ? daemons : threadFactory;
    }

    /** Chance for one run. */
    static DoubleSupplier chance(@Nullable DoubleSupplier random) {
        return random == null ? new SplittableRandom()::nextDouble : random;
    }

    @Nullable
    DoubleSupplier random() {
        return random;
    }

    private static Logger log() {
        return LoggerFactory.getLogger(SourceBuilder.class);
    }
}
