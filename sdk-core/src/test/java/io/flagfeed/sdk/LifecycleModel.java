package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/**
 * A system that is started, fed and closed at the same time, in any order. After close nothing runs and nothing moves,
 * OFF is the last that a listener hears, and whoever waits for the start hears once, and the same.
 */
public class LifecycleModel {
    private final DataSystem system;
    private final Set<Object> running = ConcurrentHashMap.newKeySet();
    private volatile @Nullable UpdateSink sink; // null until the source was started

    private final List<State> heard = new ArrayList<>(); // by a listener, one at a time
    private final CountDownLatch heardOff = new CountDownLatch(1);
    private final List<CompletableFuture<DataSourceStatus>> starts = new ArrayList<>(); // guarded by itself

    /** Nothing but the calls of the model happens. */
    public LifecycleModel() {
        this(new ByHand());
    }

    /** On threads of its own, as an application would have it. */
    public static class OnItsOwnThreads extends LifecycleModel {
        /** Its own scheduler and listeners' threads. */
        public OnItsOwnThreads() {
            super(null);
        }
    }

    private LifecycleModel(@Nullable Scheduler byHand) {
        DataSystem.Builder builder = DataSystem.builder((sink, scheduler) -> {
            Object run = new Object();
            running.add(run);
            this.sink = sink;
            return () -> running.remove(run); // may be called twice
        });
        system = byHand == null
                ? builder.build()
                : builder.scheduler(byHand).listenerExecutor(Runnable::run).build();
        system.onStatus(status -> {
            heard.add(status.state());
            if (status.state() == State.OFF) {
                heardOff.countDown();
            }
        });
    }

    /** Starts the source, or does nothing. */
    @Operation
    public void start() {
        CompletableFuture<DataSourceStatus> ready =
                system.start().thenApply(status -> status).toCompletableFuture();
        synchronized (starts) {
            starts.add(ready);
        }
    }

    /** All data, if the source was started. */
    @Operation(nonParallelGroup = "source")
    public void put() {
        if (sink != null) {
            sink.apply(ChangeSet.full(List.of(Item.of(FLAG, "a", 1, "{}"))));
        }
    }

    /** A failed attempt, if the source was started. */
    @Operation(nonParallelGroup = "source")
    public void fail() {
        if (sink != null) {
            sink.interrupted(ErrorInfo.of(Failure.network("gone"), Instant.EPOCH), Duration.ofSeconds(1));
        }
    }

    /** Ends it all; says how many runs go on after that, and what is held for good. */
    @Operation
    public String close() {
        system.close();
        return running.size() + " runs, data " + data();
    }

    /** What somebody sees who waits no longer. */
    @Operation
    public String look() throws InterruptedException {
        boolean ready = system.awaitReady(Duration.ZERO);
        State state = system.status().state();
        if (state == State.OFF) {
            return "off, data " + data();
        }
        return ready ? state + ", data " + data() : "waiting";
    }

    private boolean data() {
        return system.get(FLAG, "a").isPresent();
    }

    /** When all is quiet, and the system closed if it was not. */
    @Validate
    public void closedForGood() throws Exception {
        system.close();
        assertEquals(0, running.size());
        assertTrue(heardOff.await(10, SECONDS));
        DataSourceStatus off = system.status();
        Snapshot held = system.snapshot();
        put();
        fail();
        start();
        assertEquals(0, running.size());
        assertSame(off, system.status());
        assertSame(held, system.snapshot());

        assertEquals(heard.size() - 1, heard.indexOf(State.OFF));
        State first = heard.contains(State.VALID) ? State.VALID : State.OFF;
        for (CompletableFuture<DataSourceStatus> start : starts) {
            assertEquals(first, start.get(10, SECONDS).state());
        }
    }
}
