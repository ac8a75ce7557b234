package io.flagfeed.sdk.testing;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.util.List;

final class FakeDataSourceContractTest extends DataSourceContract {
    private final FakeDataSource source = new FakeDataSource();
    private ChangeSet served = ChangeSet.full(List.of());

    @Override
    protected DataSource source() {
        return source;
    }

    @Override
    protected void serve(List<Item> items) {
        served = ChangeSet.full(items);
        source.apply(served);
    }

    @Override
    protected boolean confirm() {
        source.confirm();
        return true;
    }

    @Override
    protected void tryAgain() {
        source.apply(served);
    }

    @Override
    protected void interrupt() {
        source.fail(Failure.network("cut"), Duration.ofSeconds(1));
    }
}
