package io.flagfeed.sdk.testing;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.testing.RecordingSink.News;

final class RecordingSinkContractTest extends UpdateSinkContract {
    private final RecordingSink sink = new RecordingSink();

    @Override
    protected UpdateSink sink() {
        return sink;
    }

    @Override
    protected void close() {}

    @Override
    protected boolean hasEnd() {
        return false;
    }

    @Override
    protected boolean knows(Item item) {
        return sink.waiting().stream()
                .anyMatch(news -> news instanceof News.Applied applied
                        && applied.changes().items().contains(item));
    }
}
