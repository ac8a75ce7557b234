package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.UpdateSink;
import java.util.Optional;

/** The sink that a data system gives its source. */
final class DataSystemContractTest extends UpdateSinkContract {
    private UpdateSink sink;
    private final DataSystem system = DataSystem.builder((sink, time) -> {
                this.sink = sink;
                return () -> {};
            })
            .scheduler(new VirtualScheduler())
            .listenerExecutor(Runnable::run)
            .build();

    @Override
    protected UpdateSink sink() {
        system.start();
        return requireNonNull(sink);
    }

    @Override
    protected void close() {
        system.close();
    }

    @Override
    protected boolean knows(Item item) {
        return system.get(item.kind(), item.key()).equals(Optional.of(item));
    }
}
