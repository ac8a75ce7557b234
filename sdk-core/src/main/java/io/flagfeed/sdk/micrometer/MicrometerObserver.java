package io.flagfeed.sdk.micrometer;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Observer;
import io.flagfeed.sdk.retry.Failure;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts and measures what one system does:
 *
 * <table>
 *   <caption>The meters</caption>
 *   <tr><th>name</th><th>type</th><th>what</th></tr>
 *   <tr><td>{@code flagfeed.attempts}</td><td>counter</td><td>connections of a stream, polls</td></tr>
 *   <tr><td>{@code flagfeed.failures}</td><td>counter</td><td>failed ones; tag {@code kind}: network, http_status,
 *       invalid_data, unknown</td></tr>
 *   <tr><td>{@code flagfeed.changes}</td><td>counter</td><td>items in change sets that were applied</td></tr>
 *   <tr><td>{@code flagfeed.received}</td><td>counter, bytes</td><td>what these came in, decompressed</td></tr>
 *   <tr><td>{@code flagfeed.decode}</td><td>timer</td><td>from bytes to a change set</td></tr>
 *   <tr><td>{@code flagfeed.apply}</td><td>timer</td><td>from a change set to what readers see</td></tr>
 *   <tr><td>{@code flagfeed.listener.failures}</td><td>counter</td><td>what listeners threw</td></tr>
 *   <tr><td>{@code flagfeed.connected}</td><td>gauge</td><td>1 while the state is VALID, otherwise 0</td></tr>
 *   <tr><td>{@code flagfeed.data.age}</td><td>gauge, time</td><td>since the service last said that the data are
 *       current; NaN before it did</td></tr>
 * </table>
 *
 * <p>Give the systems of one registry different tags, or they count into the same meters and the gauges show the first
 * one only. The age is measured with the registry's clock. Needs {@code micrometer-core}, which the library does not
 * bring along.
 */
public final class MicrometerObserver implements Observer {
    private final Counter attempts;
    private final Map<Failure.Kind, Counter> failures = new EnumMap<>(Failure.Kind.class);
    private final Counter changes;
    private final Counter received;
    private final Timer decode;
    private final Timer apply;
    private final Counter listenerFailures;
    private final MeterRegistry registry;

    private volatile @Nullable DataSourceStatus status; // null until the system has said anything

    /**
     * An observer for one system. Registers all meters at once, so that what has not happened yet reads 0.
     *
     * @param registry where the meters go
     * @param tags for all of them
     */
    public MicrometerObserver(MeterRegistry registry, Iterable<Tag> tags) {
        this.registry = requireNonNull(registry, "registry");
        attempts = counter("attempts", "Attempts to get data", tags);
        for (Failure.Kind kind : Failure.Kind.values()) {
            failures.put(
                    kind,
                    Counter.builder("flagfeed.failures")
                            .description("Attempts that failed")
                            .tags(tags)
                            .tag("kind", kind.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        changes = counter("changes", "Items in applied change sets", tags);
        received = Counter.builder("flagfeed.received")
                .description("What change sets came in, decompressed")
                .baseUnit("bytes")
                .tags(tags)
                .register(registry);
        decode = timer("decode", "From bytes to a change set", tags);
        apply = timer("apply", "From a change set to what readers see", tags);
        listenerFailures = counter("listener.failures", "What listeners threw", tags);
        Gauge.builder("flagfeed.connected", this, MicrometerObserver::connectedNow)
                .description("1 while the data are complete and as far as is known current")
                .tags(tags)
                .register(registry);
        TimeGauge.builder("flagfeed.data.age", this, TimeUnit.MILLISECONDS, MicrometerObserver::ageMillis)
                .description("Since the service last said that the data are current")
                .tags(tags)
                .register(registry);
    }

    private Counter counter(String name, String description, Iterable<Tag> tags) {
        return Counter.builder("flagfeed." + name)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private Timer timer(String name, String description, Iterable<Tag> tags) {
        return Timer.builder("flagfeed." + name)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private double connectedNow() {
        DataSourceStatus latest = status;
        return latest != null && latest.state() == State.VALID ? 1 : 0;
    }

    private double ageMillis() {
        DataSourceStatus latest = status;
        return latest == null || latest.lastConfirmed() == null
                ? Double.NaN
                : (double) (registry.config().clock().wallTime()
                        - latest.lastConfirmed().toEpochMilli());
    }

    @Override
    public void attemptStarted() {
        attempts.increment();
    }

    @Override
    public void attemptFailed(ErrorInfo error, Duration nextAttemptIn) {
        requireNonNull(failures.get(error.kind())).increment();
    }

    @Override
    public void applied(Applied applied) {
        changes.increment(applied.items());
        received.increment((double) applied.bytes());
        decode.record(applied.decoding());
        apply.record(applied.applying());
    }

    @Override
    public synchronized void statusMoved(DataSourceStatus status) {
        if (this.status == null || this.status.state() != State.OFF) { // what is told beside a close may come after it
            this.status = status;
        }
    }

    @Override
    public void listenerFailed(Throwable error) {
        listenerFailures.increment();
    }
}
