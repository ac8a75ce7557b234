package io.flagfeed.sdk.testing;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.launchdarkly.logging.LDSLF4J;
import com.launchdarkly.sdk.EvaluationDetail;
import com.launchdarkly.sdk.LDContext;
import com.launchdarkly.sdk.LDValue;
import com.launchdarkly.sdk.server.Components;
import com.launchdarkly.sdk.server.DataModel;
import com.launchdarkly.sdk.server.LDClient;
import com.launchdarkly.sdk.server.LDConfig;
import com.launchdarkly.sdk.server.integrations.PollingDataSourceBuilder;
import com.launchdarkly.sdk.server.interfaces.DataSourceStatusProvider.State;
import com.launchdarkly.sdk.server.interfaces.DataSourceStatusProvider.Status;
import com.launchdarkly.sdk.server.subsystems.DataStore;
import com.launchdarkly.sdk.server.subsystems.DataStoreTypes.ItemDescriptor;
import io.flagfeed.sdk.ItemKind;
import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** LaunchDarkly's SDK for Java servers as a client of a {@link FakeFlagServer}: what it holds, and what it says of it. */
final class LaunchDarklyClient implements AutoCloseable {
    static final String SDK_KEY = "sdk-key";

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofMillis(5);
    private static final Duration POLL = Duration.ofMillis(15);
    private static final Duration LOOK = Duration.ofMillis(2);

    private final AtomicReference<DataStore> store = new AtomicReference<>();
    private final BlockingQueue<Status> statuses = new LinkedBlockingQueue<>();
    private final LDClient sdk;

    /** Starts it, and waits until it is initialized or has given up. */
    LaunchDarklyClient(FakeFlagServer server, Mode mode) {
        LDConfig.Builder config = new LDConfig.Builder()
                .serviceEndpoints(Components.serviceEndpoints()
                        .streaming(server.uri())
                        .polling(server.uri())
                        .events(server.uri()))
                .dataSource(
                        mode == Mode.STREAM
                                ? Components.streamingDataSource().initialReconnectDelay(RETRY)
                                : fastPolling())
                .dataStore(context -> {
                    // its own one: only kept here to see which versions are in it
                    store.set(Components.inMemoryDataStore().build(context));
                    return store.get();
                })
                .events(Components.noEvents())
                .diagnosticOptOut(true)
                .logging(Components.logging(LDSLF4J.adapter()))
                .startWait(SOON);
        if (server.uri().getScheme().equals("https")) {
            config.http(Components.httpConfiguration()
                    .sslSocketFactory(server.sslContext().getSocketFactory(), server.trustManager()));
        }
        sdk = new LDClient(SDK_KEY, config.build());
        sdk.getDataSourceStatusProvider().addStatusListener(statuses::add);
    }

    /** Waits until its data are good, which it says a moment after it has them: false if it has given up. */
    boolean awaitValid() throws InterruptedException {
        return sdk.getDataSourceStatusProvider().waitFor(State.VALID, SOON);
    }

    /** The setter makes 30 seconds of anything shorter, and a test cannot wait for that: so the field is set. */
    private static PollingDataSourceBuilder fastPolling() {
        try {
            PollingDataSourceBuilder polling = Components.pollingDataSource();
            Field interval = PollingDataSourceBuilder.class.getDeclaredField("pollInterval");
            interval.setAccessible(true);
            interval.set(polling, POLL);
            return polling;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the SDK is another one than this was written for", e);
        }
    }

    LDClient sdk() {
        return sdk;
    }

    State state() {
        return sdk.getDataSourceStatusProvider().getStatus().getState();
    }

    /** What it gives, of any type, and why. */
    EvaluationDetail<LDValue> evaluate(String flagKey, LDContext context) {
        return sdk.jsonValueVariationDetail(flagKey, context, LDValue.of("default"));
    }

    /** What the SDK's store has: an object that is made anew each time data come in. Null for nothing. */
    ItemDescriptor stored(ItemKind kind, String key) {
        return store.get().get(kind == ItemKind.FLAG ? DataModel.FEATURES : DataModel.SEGMENTS, key);
    }

    /** What the SDK's store has, in words: {@code version 3}, {@code deleted in version 4}, {@code unknown}. */
    String held(ItemKind kind, String key) {
        ItemDescriptor stored = stored(kind, key);
        if (stored == null) {
            return "unknown";
        }
        return (stored.getItem() == null ? "deleted in version " : "version ") + stored.getVersion();
    }

    /** Waits until the SDK's store has this. */
    void awaitHeld(String expected, ItemKind kind, String key) {
        await(kind + " " + key)
                .pollDelay(Duration.ZERO)
                .pollInterval(LOOK)
                .atMost(SOON)
                .untilAsserted(() -> assertEquals(expected, held(kind, key)));
    }

    /**
     * Waits for the next status of a kind that the SDK reports; those before are gone then. It may report the status
     * after its start, too: so a test waits for an outage before it waits for the end of it.
     */
    Status awaitStatus(Predicate<Status> such) throws InterruptedException {
        List<Status> seen = new ArrayList<>();
        while (true) {
            Status next = statuses.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
            assertNotNull(next, () -> "no further status after " + seen);
            if (such.test(next)) {
                return next;
            }
            seen.add(next);
        }
    }

    Status awaitState(State state) throws InterruptedException {
        return awaitStatus(status -> status.getState() == state);
    }

    @Override
    public void close() throws IOException {
        sdk.close();
    }
}
