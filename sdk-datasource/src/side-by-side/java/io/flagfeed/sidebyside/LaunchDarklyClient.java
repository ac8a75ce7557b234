package io.flagfeed.sidebyside;

import com.launchdarkly.sdk.server.Components;
import com.launchdarkly.sdk.server.DataModel;
import com.launchdarkly.sdk.server.LDClient;
import com.launchdarkly.sdk.server.LDConfig;
import com.launchdarkly.sdk.server.integrations.PollingDataSourceBuilder;
import com.launchdarkly.sdk.server.interfaces.DataSourceStatusProvider.State;
import com.launchdarkly.sdk.server.subsystems.ClientContext;
import com.launchdarkly.sdk.server.subsystems.ComponentConfigurer;
import com.launchdarkly.sdk.server.subsystems.DataStore;
import com.launchdarkly.sdk.server.subsystems.DataStoreTypes.ItemDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** LaunchDarkly's SDK for Java servers without what Flagfeed does not do: no analytics and no log. */
final class LaunchDarklyClient implements Client {
    private final KeptStore store = new KeptStore();
    private final LDClient sdk;

    LaunchDarklyClient(URI service, Feed feed) {
        sdk = new LDClient(
                "sdk-key",
                new LDConfig.Builder()
                        .serviceEndpoints(Components.serviceEndpoints()
                                .streaming(service)
                                .polling(service)
                                .events(service))
                        .dataSource(
                                feed == Feed.STREAM
                                        ? Components.streamingDataSource().initialReconnectDelay(Feed.RETRY)
                                        : polling(feed.interval))
                        .dataStore(store)
                        .events(Components.noEvents())
                        .diagnosticOptOut(true)
                        .logging(Components.noLogging())
                        .startWait(Duration.ZERO)
                        .build());
    }

    /** The setter makes 30 seconds of anything shorter: so the field is set. */
    private static PollingDataSourceBuilder polling(Duration pollInterval) {
        try {
            PollingDataSourceBuilder polling = Components.pollingDataSource();
            Field interval = PollingDataSourceBuilder.class.getDeclaredField("pollInterval");
            interval.setAccessible(true);
            interval.set(polling, pollInterval);
            return polling;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the SDK is another one than this was written for", e);
        }
    }

    @Override
    public void awaitReady() throws InterruptedException {
        if (!sdk.getDataSourceStatusProvider().waitFor(State.VALID, Duration.ofMinutes(5))) {
            throw new IllegalStateException(
                    "not ready: " + sdk.getDataSourceStatusProvider().getStatus());
        }
    }

    @Override
    public long version(String key) {
        ItemDescriptor flag = store.get(key);
        return flag == null ? -1 : flag.getVersion();
    }

    @Override
    public void close() {
        try {
            sdk.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The SDK's own store in memory, kept to look up versions in it. */
    private static final class KeptStore implements ComponentConfigurer<DataStore> {
        private volatile @Nullable DataStore store;

        @Override
        public DataStore build(ClientContext context) {
            DataStore built = Components.inMemoryDataStore().build(context);
            store = built;
            return built;
        }

        @Nullable
        ItemDescriptor get(String key) {
            DataStore built = store;
            return built == null ? null : built.get(DataModel.FEATURES, key);
        }
    }
}
