package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.Snapshot;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.testing.FakeFlagServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A client of the chaos soak, as impatient as the rules allow, and whoever watches it: its listeners, and a reader that
 * looks all the time. What they find wrong goes to the complaints.
 */
final class ChaosClient implements AutoCloseable {
    static final Duration READ_TIMEOUT = Duration.ofMillis(150);

    // What a client bounds, in one place.
    private static final HttpSettings HTTP = HttpSettings.builder()
            .connectTimeout(Duration.ofSeconds(1))
            .readTimeout(READ_TIMEOUT)
            .callTimeout(Duration.ofMillis(300))
            .firstPayloadTimeout(Duration.ofMillis(120))
            .maxPayloadBytes(1_000_000)
            .build();
    private static final RetryPolicy POLICY = RetryPolicy.builder()
            .normalCeiling(Duration.ofMillis(10))
            .extendedInitial(Duration.ofMillis(20))
            .extendedCeiling(Duration.ofMillis(50))
            .healthyReset(Duration.ofMillis(50))
            .retryAfterCap(Duration.ofSeconds(1))
            .build();
    private static final Duration READ_EVERY = Duration.ofMillis(1);
    private static final int MOST_COMPLAINTS = 20;

    private final String name;
    private final WatchedSource source;
    private final DataSystem system;
    private final Queue<String> complaints;

    // one listener's
    private final Map<ItemKey, Item> heard = new ConcurrentHashMap<>(); // what the changes add up to
    private final Map<ItemKey, Long> heardVersions = new HashMap<>();
    private final AtomicLong changes = new AtomicLong();

    // the other listener's
    private volatile State lastState = State.INITIALIZING;
    private final Map<Failure.Kind, Integer> failures = new ConcurrentHashMap<>(); // that it was told of
    private final AtomicInteger timesOff = new AtomicInteger();

    // the reader's
    private final Map<ItemKey, Item> read = new HashMap<>(); // what it saw last of each key
    private Snapshot lastRead = null;

    private volatile Snapshot whenClosed; // null until then

    ChaosClient(String name, DataSource source, boolean stumbles, Scheduler ownOrShared, Queue<String> complaints) {
        this.name = name;
        this.complaints = complaints;
        this.source = new WatchedSource(source, stumbles, this::complain);
        DataSystem.Builder builder = DataSystem.builder(this.source);
        if (ownOrShared != null) {
            builder.scheduler(ownOrShared);
        }
        system = builder.build();
        system.onChange(this::changed);
        system.onStatus(this::moved);
    }

    static DataSource source(Mode mode, FakeFlagServer server) {
        return switch (mode) {
            case STREAMING ->
                StreamingDataSource.builder(server.uri(), "sdk-key")
                        .initialRetryDelay(Duration.ofMillis(2))
                        .retryPolicy(POLICY)
                        .http(HTTP)
                        .build();
            case POLLING ->
                PollingDataSource.builder(server.uri(), "sdk-key")
                        .pollInterval(Duration.ofMillis(10))
                        .retryPolicy(POLICY)
                        .http(HTTP)
                        .build();
        };
    }

    void start(Scheduler readers) {
        system.start();
        readers.execute(() -> read(readers));
    }

    long changes() {
        return changes.get();
    }

    Map<Failure.Kind, Integer> failures() {
        return failures;
    }

    boolean isValid() {
        return system.status().state() == State.VALID;
    }

    /** Why this is not a client that is well and holds the truth; empty if it is. */
    String trouble(ChaosTruth truth) {
        if (!isValid()) {
            return name + " is " + system.status();
        }
        String difference = truth.difference(system.snapshot());
        if (difference.isEmpty()) {
            String told = truth.difference(heard);
            difference = told.isEmpty() ? "" : "and told its listeners otherwise: " + told;
        }
        return difference.isEmpty() ? "" : name + " " + difference + "; it is " + system.status();
    }

    @Override
    public void close() {
        system.close();
        source.ended();
        whenClosed = system.snapshot();
    }

    /** Why this did not end as it should; empty if it did. */
    String troubleAfterClosing() {
        if (timesOff.get() != 1 || lastState != State.OFF || system.status().state() != State.OFF) {
            return name + " was told OFF " + timesOff + " times, " + lastState + " last, and is " + system.status();
        }
        return system.snapshot() == whenClosed ? "" : name + " changed after it was closed";
    }

    private void changed(ChangeEvent event) {
        changes.incrementAndGet();
        for (ChangeEvent.Change change : event.changes()) {
            ItemKey key = new ItemKey(change.kind(), change.key());
            Item before = heard.get(key);
            if (!Objects.equals(change.before(), before)) {
                complain("was told of " + change + " after " + before);
            }
            if (change.after() == null) {
                heard.remove(key);
            } else {
                heard.put(key, change.after());
                check(change.after(), heardVersions.merge(key, change.after().version(), Math::max));
            }
        }
    }

    private void moved(DataSourceStatus status) {
        if (lastState == State.OFF) {
            complain("was told " + status + " after OFF");
        } else if (status.state() == State.INITIALIZING && lastState != State.INITIALIZING) {
            complain("was told INITIALIZING after " + lastState);
        }
        if (status.nextAttempt() != null && status.lastError() != null) {
            failures.merge(status.lastError().kind(), 1, Integer::sum);
        }
        lastState = status.state();
        if (status.state() == State.OFF) {
            timesOff.incrementAndGet();
        }
    }

    private void read(Scheduler readers) {
        Snapshot snapshot = system.snapshot();
        if (snapshot != lastRead) {
            for (ItemKind kind : ItemKind.values()) {
                snapshot.all(kind).forEach((key, item) -> {
                    Item before = read.put(new ItemKey(kind, key), item);
                    if (!item.equals(before)) {
                        check(item, before == null ? item.version() : before.version());
                    }
                });
            }
            if (lastRead != null
                    && snapshot.get(ItemKind.FLAG, ChaosItems.ANCHOR.key()).isEmpty()
                    && !read.isEmpty()) {
                complain("lost what it held: " + snapshot);
            }
            lastRead = snapshot;
        }
        if (whenClosed == null) {
            readers.schedule(READ_EVERY, () -> read(readers));
        }
    }

    private void check(Item item, long highestVersion) {
        if (item.version() < highestVersion) {
            complain("went back from version " + highestVersion + " to " + item);
        }
        if (!ChaosItems.isTrue(item)) {
            complain("holds what the service never had: " + item + " " + item.json());
        }
    }

    private void complain(String complaint) {
        if (complaints.size() < MOST_COMPLAINTS) {
            complaints.add(name + " " + complaint);
        }
    }
}
