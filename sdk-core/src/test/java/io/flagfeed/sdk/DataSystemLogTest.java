package io.flagfeed.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
}
