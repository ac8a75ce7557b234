package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.testing.DataSourceContract;
import io.flagfeed.sdk.testing.FakeFlagServer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

final class PollingContractIT extends DataSourceContract {
    private final FakeFlagServer server = FakeFlagServer.start();
    private final DataSource source = Mode.POLLING.source(server);
    private final Set<Cancellable> running = ConcurrentHashMap.newKeySet();

    @Override
    protected DataSource source() {
        return (sink, scheduler) -> {
            Cancellable run = source.start(sink, scheduler);
            running.add(run);
            return () -> {
                running.remove(run);
                run.cancel();
            };
        };
    }

    @Override
    protected void serve(List<Item> items) {
        server.setAll(items);
        nextPoll();
    }

    @Override
    protected void interrupt() {
        server.poll().respond(503);
        nextPoll();
    }

    @Override
    protected boolean confirm() {
        nextPoll(); // gets a 304
        return true;
    }

    /** Lets the polls that are under way end, and then begins the next ones. */
    private void nextPoll() {
        runUntil(
                "all runs wait for their next poll",
                () -> time.pending().size() == running.size() && (running.isEmpty() || Sockets.isWaiting(time)));
        if (!running.isEmpty()) {
            time.advance(Mode.POLLING.base);
        }
    }

    @Override
    protected void release() {
        server.close();
        Sockets.awaitNoThreads();
    }
}
