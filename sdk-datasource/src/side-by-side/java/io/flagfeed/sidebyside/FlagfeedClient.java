package io.flagfeed.sidebyside;

import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.datasource.PollingDataSource;
import io.flagfeed.sdk.datasource.StreamingDataSource;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Flagfeed, by what any user of it can call. */
final class FlagfeedClient implements Client {
    private final DataSystem system;

    /** With a scheduler of its own where none is given. */
    FlagfeedClient(URI service, Feed feed, @Nullable Scheduler scheduler) {
        DataSource source = feed == Feed.STREAM
                ? StreamingDataSource.builder(service, "sdk-key")
                        .initialRetryDelay(Feed.RETRY)
                        .build()
                : PollingDataSource.builder(service, "sdk-key")
                        .pollInterval(feed.interval)
                        .build();
        DataSystem.Builder builder = DataSystem.builder(source);
        if (scheduler != null) {
            builder.scheduler(scheduler);
        }
        system = builder.build();
        system.start();
    }

    @Override
    public void awaitReady() throws InterruptedException {
        if (!system.awaitReady(Duration.ofMinutes(5))) {
            throw new IllegalStateException("not ready: " + system.status());
        }
    }

    @Override
    public long version(String key) {
        Optional<Item> flag = system.get(ItemKind.FLAG, key);
        return flag.isPresent() ? flag.get().version() : -1;
    }

    @Override
    public void close() {
        system.close();
    }
}
