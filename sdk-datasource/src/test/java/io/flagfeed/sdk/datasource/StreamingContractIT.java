package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.testing.DataSourceContract;
import io.flagfeed.sdk.testing.FakeFlagServer;
import java.util.List;

final class StreamingContractIT extends DataSourceContract {
    private final FakeFlagServer server = FakeFlagServer.start();
    private final DataSource source = Mode.STREAMING.source(server);

    @Override
    protected DataSource source() {
        return source;
    }

    @Override
    protected void serve(List<Item> items) {
        server.setAll(items); // open streams get it at once, and those that connect later begin with it
    }

    @Override
    protected void interrupt() {
        server.dropStreams();
    }

    @Override
    protected boolean confirm() {
        server.heartbeat();
        return true;
    }

    @Override
    protected void release() {
        server.close();
        Sockets.awaitNoThreads();
    }
}
