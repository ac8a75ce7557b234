package io.flagfeed.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a log that throws can do; for all else see DataSystemTest in sdk-testing, with a source that is driven by hand. */
class DataSystemLogTest {
    private static final Item FLAG = Item.of(ItemKind.FLAG, "a", 1, "{}");

    /** The source would take it for data that could not be applied, and ask for everything again. */
    @Test
    void aLogThatThrowsIsNoFaultOfTheData() throws InterruptedException {
        List<UpdateSink> sinks = new ArrayList<>();
        DataSource source = (sink, scheduler) -> {
            sinks.add(sink);
            return () -> {};
        };
        try (DataSystem system = DataSystem.builder(source)
                        .scheduler(new ByHand())
                        .listenerExecutor(Runnable::run)
                        .build();
                ThrowingLog log = new ThrowingLog()) {
            system.start();
            sinks.get(0).apply(ChangeSet.full(List.of(FLAG)));
            assertTrue(system.awaitReady(Duration.ZERO));
            assertEquals(State.VALID, system.status().state());
            assertEquals(FLAG, system.get(ItemKind.FLAG, "a").orElseThrow());
        }
    }

    /** Nor is it the observer's business whether anybody waits for the data. */
    @Test
    void anObserverAndALogThatThrowKeepNobodyWaiting() throws InterruptedException {
        List<UpdateSink> sinks = new ArrayList<>();
        DataSource source = (sink, scheduler) -> {
            sinks.add(sink);
            return () -> {};
        };
        Observer observer = new Observer() {
            @Override
            public void applied(Applied applied) {
                throw new IllegalStateException("thrown on purpose");
            }
        };
        try (DataSystem system = DataSystem.builder(source)
                        .scheduler(new ByHand())
                        .listenerExecutor(Runnable::run)
                        .observer(observer)
                        .build();
                ThrowingLog log = new ThrowingLog()) {
            List<State> heard = new ArrayList<>();
            system.onStatus(status -> heard.add(status.state()));
            CompletableFuture<DataSourceStatus> ready = system.start().toCompletableFuture();
            sinks.get(0).apply(ChangeSet.full(List.of(FLAG)));
            assertTrue(system.awaitReady(Duration.ZERO));
            assertTrue(ready.isDone());
            assertEquals(List.of(State.VALID), heard);
        }
    }
}
