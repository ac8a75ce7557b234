package io.flagfeed.sdk;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/** A system with callers that really wait until there are data or the end. */
public class WaitersModel {
    private volatile @Nullable UpdateSink sink; // null until the source was started
    private final DataSystem system = DataSystem.builder((sink, scheduler) -> {
                this.sink = sink;
                return () -> {};
            })
            .scheduler(new ByHand())
            .listenerExecutor(Runnable::run)
            .build();

    /** Starts the source, or does nothing. */
    public void start() {
        system.start();
    }

    /** All data, if the source was started. */
    public void put() {
        if (sink != null) {
            sink.apply(ChangeSet.full(List.of()));
        }
    }

    /** Ends it all. */
    public void close() {
        system.close();
    }

    /** Waits for longer than any test may take. */
    public boolean await() throws InterruptedException {
        return system.awaitReady(Duration.ofDays(1));
    }

    /** Nobody waits for the end of what has ended. */
    @Validate
    public void closedAtOnce() throws InterruptedException {
        system.close();
        assertFalse(await());
    }

    /** The same, one call after another: who would have to wait for ever is not in a possible order. */
    public static class OneByOne {
        private boolean started;
        private boolean ready;
        private boolean closed;

        /** Starts the source, or does nothing. */
        public void start() {
            started |= !closed;
        }

        /** All data, if the source was started. */
        public void put() {
            ready |= started && !closed;
        }

        /** Ends it all. */
        public void close() {
            closed = true;
        }

        /** Whether there are data and no end. */
        public boolean await() {
            if (!ready && !closed) {
                throw new IllegalStateException("waits for ever");
            }
            return !closed;
        }
    }
}
