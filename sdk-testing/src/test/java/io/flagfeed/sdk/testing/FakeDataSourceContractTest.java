package io.flagfeed.sdk.testing;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.util.List;

final class FakeDataSourceContractTest extends DataSourceContract {
    private final FakeDataSource source = new FakeDataSource();

    @Override
    protected DataSource source() {
        return source;
    }

    @Override
    protected void serve(List<Item> items) {
        source.apply(ChangeSet.full(items));
    }

    @Override
    protected void interrupt() {
        source.fail(Failure.network("cut"), Duration.ofSeconds(1));
    }
}
