package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.Snapshot;
import io.flagfeed.sdk.SystemScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What listeners may do, and what sources do at the same time. */
@Timeout(20)
class CallbackTest {
    private static final Duration SOON = Duration.ofSeconds(5);

    /** Real threads, the default ones: a deadlock would last. */
    @ParameterizedTest
    @ValueSource(strings = {"status", "change"})
    void aListenerMayCallAnythingThereIs(String kind) throws Exception { // LISTEN-01
        FakeDataSource source = new FakeDataSource();
        CountDownLatch done = new CountDownLatch(1);
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        try (SystemScheduler scheduler = Scheduler.system("flagfeed-test");
                DataSystem system =
                        DataSystem.builder(source).scheduler(scheduler).build()) {
            Runnable everything = () -> {
                try {
                    callEverything(system);
                } catch (Throwable e) {
                    failed.complete(e);
                } finally {
                    done.countDown();
                }
            };
            if (kind.equals("status")) {
                system.onStatus(status -> {
                    if (status.state() == State.VALID) { // and not once more with OFF
                        everything.run();
                    }
                });
            } else {
                system.onChange(event -> everything.run());
            }
            system.start();
            source.apply(TestFlags.full(TestFlags.flag("a").build()));
            assertTrue(done.await(SOON.toSeconds(), TimeUnit.SECONDS), "the listener hangs");
            assertEquals(null, failed.getNow(null));
            assertEquals(State.OFF, system.status().state());
        }
    }

    private static void callEverything(DataSystem system) throws Exception {
        assertTrue(system.get(ItemKind.FLAG, "a").isPresent());
        assertTrue(system.awaitReady(SOON));
        system.onStatus(status -> {}).unsubscribe();
        system.onChange(event -> {}).unsubscribe();
        system.start();
        // another thread needs what this one might hold
        CompletableFuture.runAsync(
                        () -> {
                            assertEquals(1, system.snapshot().all(ItemKind.FLAG).size());
                            system.onChange(event -> {}).unsubscribe();
                            system.status();
                        },
                        task -> new Thread(task).start())
                .get(SOON.toSeconds(), TimeUnit.SECONDS);
        system.close();
    }

    /** Two threads, one with everything and one with single changes: what is held is what came last, by version. */
    @Tag("real-time")
    @RepeatedTest(20)
    void fullSetAndPatchAtOnceLeaveWhatTheirOrderSays() throws Exception { // STORE-07
        VirtualScheduler scheduler = new VirtualScheduler();
        FakeDataSource source = new FakeDataSource();
        try (DataSystem system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build()) {
            system.start();
            Item nine = TestFlags.flag("a").version(9).build();
            Item ten = TestFlags.flag("a").version(10).build();
            Item eleven = TestFlags.flag("a").version(11).build();
            for (int round = 0; round < 500; round++) {
                CountDownLatch go = new CountDownLatch(1);
                CompletableFuture<Void> full = inThread(go, () -> source.apply(ChangeSet.full(List.of(ten))));
                CompletableFuture<Void> patches = inThread(go, () -> {
                    source.apply(ChangeSet.partial(List.of(eleven)));
                    source.apply(ChangeSet.partial(List.of(nine)));
                });
                go.countDown();
                CompletableFuture.allOf(full, patches).get(5, TimeUnit.SECONDS);
                scheduler.runDue();
                long version = system.get(ItemKind.FLAG, "a").orElseThrow().version();
                assertTrue(version == 10 || version == 11, "version " + version);
                source.apply(ChangeSet.partial(List.of(eleven))); // now it is ordered after the full set
                scheduler.runDue();
                assertEquals(11, system.get(ItemKind.FLAG, "a").orElseThrow().version());
            }
        }
    }

    /** Two flags that change together, and one of them alone in between: ten thousand times, under two readers. */
    @Test
    void readersSeeWholeChangesInOrder() throws Exception {
        VirtualScheduler scheduler = new VirtualScheduler();
        FakeDataSource source = new FakeDataSource();
        try (DataSystem system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build()) {
            system.start();
            source.apply(TestFlags.full(flag("a", 0), flag("b", 0)));
            scheduler.runDue();
            AtomicBoolean done = new AtomicBoolean();
            CountDownLatch go = new CountDownLatch(1);
            List<CompletableFuture<Void>> readers =
                    List.of(inThread(go, () -> read(system, done)), inThread(go, () -> read(system, done)));
            go.countDown();
            for (long round = 1; round <= 5_000; round++) {
                source.apply(TestFlags.full(flag("a", 2 * round), flag("b", 2 * round)));
                source.apply(TestFlags.patch(flag("b", 2 * round + 1)));
                scheduler.runDue();
            }
            done.set(true);
            CompletableFuture.allOf(readers.toArray(new CompletableFuture<?>[0]))
                    .get(10, TimeUnit.SECONDS);
        }
    }

    private static Item flag(String key, long version) {
        return Item.of(ItemKind.FLAG, key, version, "{}");
    }

    private static void read(DataSystem system, AtomicBoolean done) {
        long lastA = 0;
        long lastB = 0;
        while (!done.get()) {
            Snapshot snapshot = system.snapshot();
            long a = snapshot.get(ItemKind.FLAG, "a").orElseThrow().version();
            long b = snapshot.get(ItemKind.FLAG, "b").orElseThrow().version();
            assertTrue(b == a || b == a + 1, a + " and " + b);
            assertTrue(a >= lastA && b >= lastB, a + " after " + lastA + ", " + b + " after " + lastB);
            lastA = a;
            lastB = b;
        }
    }

    private static CompletableFuture<Void> inThread(CountDownLatch go, Runnable work) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    work.run();
                },
                task -> new Thread(task).start());
    }
}
