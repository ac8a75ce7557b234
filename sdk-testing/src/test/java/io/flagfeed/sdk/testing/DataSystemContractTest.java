package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.UpdateSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The sink that a data system gives its source. */
final class DataSystemContractTest extends UpdateSinkContract {
    private final VirtualScheduler time = new VirtualScheduler();
    private final List<Object> heard = new ArrayList<>();
    private UpdateSink sink;
    private final DataSystem system = DataSystem.builder((sink, time) -> {
                this.sink = sink;
                return () -> {};
            })
            .scheduler(time)
            .listenerExecutor(Runnable::run)
            .staleAfter(Duration.ofHours(1))
            .build();

    @Override
    protected UpdateSink sink() {
        system.onChange(heard::add);
        system.onStatus(heard::add);
        system.start();
        return requireNonNull(sink);
    }

    @Override
    protected void close() {
        system.close();
    }

    /** A day later, so that a late alarm that the data are stale would have rung. */
    @Override
    protected List<?> shown() {
        time.advance(Duration.ofDays(1));
        return List.of(system.snapshot(), system.status(), List.copyOf(heard), time.pending());
    }

    @Override
    protected boolean knows(Item item) {
        return system.get(item.kind(), item.key()).equals(Optional.of(item));
    }
}
