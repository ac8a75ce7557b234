package io.flagfeed.sdk.testing;

import static io.flagfeed.sdk.DataSourceStatus.State.INITIALIZING;
import static io.flagfeed.sdk.DataSourceStatus.State.INTERRUPTED;
import static io.flagfeed.sdk.DataSourceStatus.State.OFF;
import static io.flagfeed.sdk.DataSourceStatus.State.VALID;
import static io.flagfeed.sdk.ItemKind.FLAG;
import static io.flagfeed.sdk.ItemKind.SEGMENT;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.Snapshot;
import io.flagfeed.sdk.Subscription;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole of a data system, its source driven by hand and its time virtual. */
@Timeout(60)
class DataSystemTest {
    private static final Failure FAILURE = Failure.httpStatus(503, OptionalLong.of(7));

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final Instant start = scheduler.now();
    private final FakeDataSource source = new FakeDataSource();
    private final DataSystem system = builder(source).build();

    private final List<String> told = new ArrayList<>(); // by listeners, and by what depends on the start

    private DataSystem.Builder builder(DataSource of) {
        return DataSystem.builder(of).scheduler(scheduler).listenerExecutor(Runnable::run);
    }

    private void listen(DataSystem to) {
        to.onStatus(status -> told.add(status.state().toString()));
        to.onChange(event -> told.add("changes " + event.changes().size()));
    }

    private void apply(ChangeSet changes) {
        source.apply(changes);
        scheduler.runDue();
    }

    private void confirm() {
        source.confirm();
        scheduler.runDue();
    }

    private void fail(Failure failure, Duration nextAttemptIn) {
        source.fail(failure, nextAttemptIn);
        scheduler.runDue();
    }

    // ---- start and ready

    @Test
    void theStageCompletesWithTheFirstValidStatusAfterThatWasPublished() {
        listen(system);
        CompletionStage<DataSourceStatus> ready = system.start();
        ready.thenAccept(status ->
                told.add("ready " + status.state() + " " + system.status().state()));
        assertEquals(List.of(), told);

        apply(full(flag("a", 1)));
        assertEquals(List.of("changes 1", "VALID", "ready VALID VALID"), told);
        assertEquals(system.status(), now(ready));
    }

    // R15, STATUS-03
    @Test
    void failuresNeitherCompleteNorFailTheStage() {
        listen(system);
        CompletionStage<DataSourceStatus> ready = system.start();
        fail(Failure.httpStatus(401, OptionalLong.empty()), Duration.ofMinutes(5));
        fail(Failure.invalidData("no JSON"), Duration.ofMinutes(10));
        confirm();
        assertEquals(List.of("INITIALIZING", "INITIALIZING"), told);
        assertFalse(done(ready));

        apply(full());
        assertEquals(VALID, now(ready).state());
    }

    @Test
    void theStageKeepsTheFirstStatus() {
        CompletionStage<DataSourceStatus> ready = system.start();
        apply(full(flag("a", 1)));
        DataSourceStatus first = system.status();
        scheduler.advance(ofSeconds(5));
        fail(FAILURE, ofSeconds(1));
        system.close();
        assertEquals(first, now(ready));
        assertEquals(first, now(system.start()));
    }

    @Test
    void startingAgainChangesNothing() {
        CompletionStage<DataSourceStatus> ready = system.start();
        assertSame(ready, system.start());
        assertEquals(1, source.starts());
        apply(full());
        assertSame(ready, system.start());
        assertEquals(1, source.starts());
    }

    @Test
    void callersCannotCompleteTheStage() {
        CompletionStage<DataSourceStatus> ready = system.start();
        CompletableFuture<DataSourceStatus> future = ready.toCompletableFuture();
        assertTrue(future.cancel(true));
        assertTrue(ready.toCompletableFuture().complete(null));
        if (ready instanceof CompletableFuture<DataSourceStatus> itself) {
            assertThrows(UnsupportedOperationException.class, () -> itself.complete(null));
            assertThrows(UnsupportedOperationException.class, () -> itself.cancel(true));
        }
        assertFalse(done(ready));
        apply(full());
        assertEquals(VALID, now(ready).state());
        assertEquals(VALID, now(system.start()).state());
    }

    @Test
    void whatDependsOnTheStageRunsOnTheListenersExecutor() {
        List<Runnable> tasks = new ArrayList<>();
        DataSystem held = builder(source).listenerExecutor(tasks::add).build();
        CompletionStage<DataSourceStatus> ready = held.start();
        apply(full());
        assertEquals(VALID, held.status().state());
        assertFalse(done(ready));
        tasks.forEach(Runnable::run);
        assertTrue(done(ready));
        held.close();
    }

    @Test
    void itBeginsInitializing() {
        assertEquals(new DataSourceStatus(INITIALIZING, start, null, null, null), system.status());
        assertEquals(Optional.empty(), system.get(FLAG, "a"));
        assertEquals(Map.of(), system.snapshot().all(FLAG));
        assertEquals(0, source.starts());
        assertEquals(List.of(), scheduler.pending());
    }

    // ---- waiting

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT-2562047788015215H-30M-8S", "PT0.001S"})
    void awaitReadyOnlyLooksOrWaitsALittle(Duration timeout) throws InterruptedException {
        assertFalse(system.awaitReady(timeout)); // not started
        system.start();
        assertFalse(system.awaitReady(timeout));
        fail(FAILURE, ofSeconds(1));
        assertFalse(system.awaitReady(timeout));
        apply(full());
        assertTrue(system.awaitReady(timeout));
        fail(FAILURE, ofSeconds(1));
        assertTrue(system.awaitReady(timeout)); // there is data, though the last attempt failed
        system.close();
        assertFalse(system.awaitReady(timeout));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "PT2562047788015215H30M7S"})
    void awaitReadyReturnsAtOnceWhenThereIsSomethingToSay(Duration timeout) throws InterruptedException {
        system.start();
        apply(full());
        assertTrue(system.awaitReady(timeout));
        system.close();
        assertFalse(system.awaitReady(timeout));

        DataSystem neverStarted = builder(source).build();
        neverStarted.close();
        assertFalse(neverStarted.awaitReady(timeout));
    }

    // STATUS-06, STATUS-07
    @Test
    void allWhoWaitAreLetGo() throws Exception {
        for (boolean valid : new boolean[] {true, false}) {
            FakeDataSource own = new FakeDataSource();
            DataSystem waitedFor = builder(own).build();
            waitedFor.start();
            List<CompletableFuture<Boolean>> results = new ArrayList<>();
            CountDownLatch waiting = new CountDownLatch(10);
            for (int i = 0; i < 10; i++) {
                results.add(CompletableFuture.supplyAsync(
                        () -> {
                            waiting.countDown();
                            return awaitReady(waitedFor);
                        },
                        task -> new Thread(task, "waits").start()));
            }
            assertTrue(waiting.await(10, SECONDS));
            if (valid) {
                own.apply(full());
                scheduler.runDue();
            } else {
                waitedFor.close();
            }
            for (CompletableFuture<Boolean> result : results) {
                assertEquals(valid, result.get(10, SECONDS));
            }
            waitedFor.close();
        }
    }

    private static boolean awaitReady(DataSystem system) {
        try {
            return system.awaitReady(Duration.ofHours(1));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void waitingIsInterruptible() {
        system.start();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> system.awaitReady(Duration.ofHours(1)));
        assertFalse(Thread.interrupted());
    }

    // ---- data and status

    @Test
    void aStatusShowsWhatHappenedWhen() {
        system.start();
        scheduler.advance(ofSeconds(1));
        fail(FAILURE, ofSeconds(4));
        ErrorInfo error = ErrorInfo.of(FAILURE, start.plusSeconds(1));
        assertEquals(new DataSourceStatus(INITIALIZING, start, error, null, start.plusSeconds(5)), system.status());

        scheduler.advance(ofSeconds(4));
        apply(full(flag("a", 1)));
        assertEquals(
                new DataSourceStatus(VALID, start.plusSeconds(5), error, start.plusSeconds(5), null), system.status());

        scheduler.advance(ofSeconds(5));
        confirm();
        assertEquals(
                new DataSourceStatus(VALID, start.plusSeconds(5), error, start.plusSeconds(10), null), system.status());

        scheduler.advance(ofSeconds(5));
        fail(FAILURE, ofSeconds(2));
        ErrorInfo second = ErrorInfo.of(FAILURE, start.plusSeconds(15));
        assertEquals(
                new DataSourceStatus(
                        INTERRUPTED, start.plusSeconds(15), second, start.plusSeconds(10), start.plusSeconds(17)),
                system.status());

        scheduler.advance(ofSeconds(5));
        system.close();
        assertEquals(
                new DataSourceStatus(OFF, start.plusSeconds(20), second, start.plusSeconds(10), null), system.status());
    }

    @Test
    void statusListenersHearOfChangesAndFailuresAndNotOfConfirmations() {
        listen(system);
        system.start();
        fail(FAILURE, ofSeconds(1));
        apply(full());
        confirm();
        apply(full());
        confirm();
        fail(FAILURE, ofSeconds(1));
        fail(FAILURE, ofSeconds(2));
        confirm();
        fail(FAILURE, ofSeconds(1));
        apply(partial());
        system.close();
        assertEquals(
                List.of("INITIALIZING", "VALID", "INTERRUPTED", "INTERRUPTED", "VALID", "INTERRUPTED", "VALID", "OFF"),
                told);
    }

    // DATA-03
    @Test
    void aPartBeforeTheWholeMakesNothingReady() throws InterruptedException {
        CompletionStage<DataSourceStatus> ready = system.start();
        confirm();
        apply(partial(flag("a", 5)));
        confirm();
        assertEquals(INITIALIZING, system.status().state());
        assertNull(system.status().lastConfirmed());
        assertFalse(system.awaitReady(ZERO));
        assertFalse(done(ready));

        apply(full(flag("b", 1)));
        assertEquals(VALID, system.status().state());
        assertEquals(Map.of("b", flag("b", 1)), system.snapshot().all(FLAG)); // replaces the early part
    }

    // STORE-04
    @Test
    void theLastGoodDataIsServedThroughoutAnOutage() {
        system.start();
        apply(full(flag("a", 1)));
        for (Failure failure :
                List.of(FAILURE, Failure.httpStatus(401, OptionalLong.empty()), Failure.invalidData("?"))) {
            fail(failure, Duration.ofMinutes(20));
            scheduler.advance(Duration.ofMinutes(20));
            assertEquals(Optional.of(flag("a", 1)), system.get(FLAG, "a"));
        }
        system.close();
        assertEquals(Optional.of(flag("a", 1)), system.get(FLAG, "a"));
    }

    @Test
    void aSnapshotStaysAsItIs() {
        system.start();
        apply(full(flag("a", 1)));
        Snapshot before = system.snapshot();
        apply(partial(Item.tombstone(FLAG, "a", 2), flag("b", 1)));
        assertEquals(Map.of("a", flag("a", 1)), before.all(FLAG));
        assertEquals(Optional.empty(), system.get(FLAG, "a"));
        assertEquals(Map.of("b", flag("b", 1)), system.snapshot().all(FLAG));
    }

    // ---- changes

    @Test
    void changeListenersHearWhatChanged() {
        List<ChangeEvent> events = new ArrayList<>();
        system.start();
        apply(full(flag("a", 1))); // before anybody listens
        system.onChange(events::add);
        apply(partial(flag("a", 2)));
        assertEquals(
                List.of(new ChangeEvent(
                        ChangeSet.Type.PARTIAL,
                        List.of(new ChangeEvent.Change(FLAG, "a", flag("a", 1), flag("a", 2), null)))),
                events);
        assertEquals(Optional.of(flag("a", 2)), system.get(FLAG, "a"));
    }

    // STORE-06
    @Test
    void nothingChangedIsNoEvent() {
        system.start();
        listen(system);
        apply(full(flag("a", 1)));
        apply(full(flag("a", 1)));
        apply(partial(flag("a", 1)));
        apply(partial());
        confirm();
        assertEquals(List.of("changes 1", "VALID"), told);
    }

    @Test
    void theDataAreInPlaceWhenListenersHearOfThem() {
        system.start();
        system.onChange(
                event -> told.add("flag v" + system.get(FLAG, "a").orElseThrow().version()));
        system.onStatus(status -> told.add(status + " " + system.status().equals(status)));
        apply(full(flag("a", 7)));
        assertEquals(List.of("flag v7", system.status() + " true"), told);
    }

    @Test
    void changesReachWhatRefersToThemWheneverTheListenerCame() {
        Item rule = Item.of(FLAG, "a", 1, "{\"rules\":[{\"clauses\":[{\"op\":\"segmentMatch\",\"values\":[\"s\"]}]}]}");
        system.start();
        apply(full(rule, Item.of(SEGMENT, "s", 1, "{}")));

        List<ItemKey> through = new ArrayList<>();
        Subscription subscription =
                system.onChange(event -> event.changes().forEach(change -> through.add(change.through())));
        apply(partial(Item.of(SEGMENT, "s", 2, "{}")));
        assertEquals(2, through.size());
        assertEquals(new ItemKey(SEGMENT, "s"), through.get(1));

        subscription.unsubscribe();
        apply(partial(flag("a", 2))); // refers to nothing any more, while nobody listens
        through.clear();
        system.onChange(event -> event.changes().forEach(change -> through.add(change.through())));
        apply(partial(Item.of(SEGMENT, "s", 3, "{}")));
        assertEquals(Collections.singletonList(null), through);
    }

    @Test
    void aListenerThatThrowsHarmsNothing() {
        system.onStatus(status -> {
            throw new IllegalStateException("thrown on purpose");
        });
        system.onChange(event -> {
            throw new StackOverflowError("thrown on purpose");
        });
        listen(system);
        system.start();
        apply(full(flag("a", 1)));
        fail(FAILURE, ofSeconds(1));
        system.close();
        assertEquals(List.of("changes 1", "VALID", "INTERRUPTED", "OFF"), told);
    }

    // ---- stale data

    @Test
    void staleIsToldOnceAndFreshOnce() {
        DataSystem aging = builder(source).staleAfter(ofSeconds(60)).build();
        List<Boolean> stale = new ArrayList<>();
        aging.onStatus(status -> stale.add(status.isStale(scheduler.now())));
        aging.start();
        confirm();
        apply(partial(flag("a", 1)));
        scheduler.advance(ofSeconds(1000)); // there is nothing that could be stale
        assertEquals(List.of(), stale);

        apply(full(flag("a", 1)));
        assertEquals(List.of(false), stale); // VALID
        scheduler.advance(ofSeconds(59));
        assertEquals(List.of(false), stale);
        scheduler.advance(ofSeconds(1));
        assertEquals(List.of(false, true), stale);
        scheduler.advance(ofSeconds(1000));
        assertEquals(List.of(false, true), stale);

        confirm();
        confirm();
        assertEquals(List.of(false, true, false), stale);
        scheduler.advance(ofSeconds(60));
        assertEquals(List.of(false, true, false, true), stale);
        apply(partial(flag("a", 2)));
        assertEquals(List.of(false, true, false, true, false), stale);
        aging.close();
        assertEquals(List.of(), scheduler.pending());
    }

    @Test
    void everyConfirmationPutsTheAlarmOffAndNoneCostsATimer() {
        DataSystem aging = builder(source).staleAfter(ofSeconds(60)).build();
        listen(aging);
        aging.start();
        apply(full());
        for (int i = 0; i < 100; i++) {
            scheduler.advance(ofSeconds(59));
            confirm();
            assertEquals(1, scheduler.pending().size());
        }
        assertEquals(List.of("VALID"), told);
        scheduler.advance(ofSeconds(59));
        assertEquals(List.of("VALID"), told);
        scheduler.advance(ofSeconds(1));
        assertEquals(List.of("VALID", "VALID"), told);
        aging.close();
    }

    @Test
    void dataGetStaleDuringAnOutageToo() {
        DataSystem aging = builder(source).staleAfter(ofSeconds(60)).build();
        listen(aging);
        aging.start();
        apply(full());
        scheduler.advance(ofSeconds(30));
        fail(FAILURE, ofSeconds(100));
        scheduler.advance(ofSeconds(30));
        assertEquals(List.of("VALID", "INTERRUPTED", "INTERRUPTED"), told);
        confirm(); // valid and fresh again: one event
        assertEquals(List.of("VALID", "INTERRUPTED", "INTERRUPTED", "VALID"), told);
        scheduler.advance(ofSeconds(59));
        aging.close();
        scheduler.advance(ofSeconds(100));
        assertEquals(List.of("VALID", "INTERRUPTED", "INTERRUPTED", "VALID", "OFF"), told);
    }

    @ParameterizedTest
    @ValueSource(longs = {-3600, 3600})
    void aClockThatIsSetNeitherHidesNorHastensThatDataAreStale(long seconds) {
        DataSystem aging = builder(source).staleAfter(ofSeconds(60)).build();
        List<Boolean> stale = new ArrayList<>();
        aging.onStatus(status -> stale.add(status.isStale(scheduler.now())));
        aging.start();
        apply(full());
        scheduler.advance(ofSeconds(30));
        scheduler.stepWallClock(ofSeconds(seconds));
        scheduler.advance(ofSeconds(29));
        assertEquals(List.of(false), stale);
        scheduler.advance(ofSeconds(1));
        assertEquals(List.of(false, true), stale);
        assertTrue(aging.status().isStale(scheduler.now()));
        confirm();
        assertEquals(List.of(false, true, false), stale);
        aging.close();
    }

    static Stream<Duration> senseless() {
        return Stream.of(null, ZERO, ofSeconds(-1));
    }

    // R16
    @ParameterizedTest
    @MethodSource("senseless")
    void aSenselessLimitMeansNever(Duration limit) {
        DataSystem ageless =
                builder(source).staleAfter(ofSeconds(1)).staleAfter(limit).build();
        ageless.start();
        apply(full());
        assertNull(ageless.status().staleAt());
        assertEquals(List.of(), scheduler.pending());
    }

    @Test
    void anAbsurdLimitIsNoError() {
        DataSystem ageless =
                builder(source).staleAfter(ofSeconds(Long.MAX_VALUE)).build();
        ageless.start();
        apply(full());
        confirm();
        assertEquals(Instant.MAX, ageless.status().staleAt());
        ageless.close();
    }

    // ---- close

    @Test
    void closingStopsTheSourceAndIsToldLastAndOnce() {
        listen(system);
        system.start();
        apply(full(flag("a", 1)));
        system.close();
        system.close();
        assertEquals(0, source.running());
        assertEquals(List.of("changes 1", "VALID", "OFF"), told);
        assertEquals(OFF, system.status().state());
    }

    @Test
    void closingBeforeTheStartIsForGood() {
        listen(system);
        system.close();
        CompletionStage<DataSourceStatus> ready = system.start();
        assertEquals(0, source.starts());
        assertEquals(OFF, now(ready).state());
        assertEquals(List.of("OFF"), told);
    }

    @Test
    void closingBeforeThereIsDataCompletesTheStageWithOff() {
        CompletionStage<DataSourceStatus> ready = system.start();
        ready.thenAccept(status -> told.add("ready " + status.state()));
        listen(system);
        fail(FAILURE, ofSeconds(1));
        system.close();
        assertEquals(List.of("INITIALIZING", "OFF", "ready OFF"), told);
    }

    @Test
    void aStatusListenerMayClose() {
        system.onStatus(status -> {
            told.add("first " + status.state());
            system.close();
        });
        listen(system);
        CompletionStage<DataSourceStatus> ready = system.start();
        apply(full(flag("a", 1)));
        // two listeners may hear in either order, each of them in order
        assertEquals(Set.of("changes 1", "first VALID", "VALID", "first OFF", "OFF"), Set.copyOf(told));
        assertEquals(5, told.size(), told::toString);
        assertTrue(told.indexOf("first VALID") < told.indexOf("first OFF"), told::toString);
        assertTrue(told.indexOf("VALID") < told.indexOf("OFF"), told::toString);
        assertEquals(VALID, now(ready).state()); // it was published before
        assertEquals(0, source.running());
    }

    @Test
    void aChangeListenerMayClose() {
        system.onChange(event -> system.close());
        listen(system);
        CompletionStage<DataSourceStatus> ready = system.start();
        apply(full(flag("a", 1)));
        assertEquals(1, Collections.frequency(told, "OFF"));
        assertTrue(told.indexOf("VALID") < told.indexOf("OFF"), told::toString);
        assertEquals(VALID, now(ready).state());
        assertEquals(Optional.of(flag("a", 1)), system.get(FLAG, "a"));
    }

    @Test
    void closingWhileTheSourceStartsCancelsItsRun() {
        AtomicReference<DataSystem> closed = new AtomicReference<>();
        AtomicInteger cancelled = new AtomicInteger();
        DataSystem closing = builder((sink, clock) -> {
                    closed.get().close();
                    return cancelled::incrementAndGet;
                })
                .build();
        closed.set(closing);
        assertEquals(OFF, now(closing.start()).state());
        assertEquals(1, cancelled.get());
    }

    @Test
    void whatASourceSaysAfterTheEndIsIgnored() {
        AtomicReference<UpdateSink> late = new AtomicReference<>();
        DataSystem closing = builder((sink, clock) -> {
                    late.set(sink);
                    return () -> {}; // a source that does not stop
                })
                .staleAfter(ofSeconds(60))
                .build();
        listen(closing);
        closing.start();
        late.get().apply(full(flag("a", 1)));
        closing.close();
        DataSourceStatus off = closing.status();
        told.clear();

        scheduler.advance(ofSeconds(1));
        late.get().apply(full(flag("a", 2), flag("b", 1)));
        late.get().apply(partial(flag("a", 3)));
        late.get().confirm();
        late.get().interrupted(ErrorInfo.of(FAILURE, scheduler.now()), ofSeconds(1));
        scheduler.advance(ofSeconds(1000));

        assertEquals(off, closing.status());
        assertEquals(Map.of("a", flag("a", 1)), closing.snapshot().all(FLAG));
        assertEquals(List.of(), told);
        assertEquals(List.of(), scheduler.pending());
    }

    // STATUS-01
    @Test
    void offIsLastAndOnceWhateverComesAtTheSameTime() throws Exception {
        for (int round = 0; round < 300; round++) {
            AtomicReference<UpdateSink> sink = new AtomicReference<>();
            DataSystem racing = builder((to, clock) -> {
                        sink.set(to);
                        return () -> {};
                    })
                    .build();
            List<DataSourceStatus.State> states = Collections.synchronizedList(new ArrayList<>());
            racing.onStatus(status -> states.add(status.state()));
            CompletionStage<DataSourceStatus> ready = racing.start();
            CyclicBarrier together = new CyclicBarrier(2);
            Thread news = new Thread(() -> {
                meet(together);
                sink.get().apply(full(flag("a", 1)));
                sink.get().interrupted(ErrorInfo.of(FAILURE, start), ofSeconds(1));
                sink.get().confirm();
            });
            news.start();
            meet(together);
            racing.close();
            news.join(10_000);

            assertEquals(OFF, states.get(states.size() - 1), states::toString);
            assertEquals(1, Collections.frequency(states, OFF), states::toString);
            assertEquals(states.contains(VALID) ? VALID : OFF, now(ready).state());
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(10, SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** As when there is no thread to be had: nothing is lost but time. */
    @Test
    void anExecutorThatFailsWithAnErrorHoldsUpNobodyAndIsAskedAgain() throws InterruptedException {
        boolean[] shortage = {true};
        DataSystem system = builder(source)
                .listenerExecutor(task -> {
                    if (shortage[0]) {
                        throw new OutOfMemoryError("unable to create native thread, on purpose");
                    }
                    task.run();
                })
                .build();
        listen(system);
        CompletionStage<DataSourceStatus> ready = system.start();
        apply(full());
        assertEquals(VALID, now(ready).state());
        assertTrue(system.awaitReady(ZERO));
        assertEquals(List.of(), told);
        shortage[0] = false;
        fail(Failure.network("reset"), ofSeconds(1));
        system.close();
        assertEquals(List.of("VALID", "INTERRUPTED", "OFF"), told);
    }

    @Test
    void byDefaultAListenerThatBlocksHoldsUpNoOtherAndNotTheStage() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch heard = new CountDownLatch(1);
        DataSystem system = DataSystem.builder(source).scheduler(scheduler).build();
        system.onStatus(status -> {
            try {
                blocked.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        system.onStatus(status -> heard.countDown());
        CompletionStage<DataSourceStatus> ready = system.start();
        apply(full());
        assertTrue(heard.await(10, SECONDS));
        assertEquals(VALID, ready.toCompletableFuture().get(10, SECONDS).state());
        blocked.countDown();
        system.close();
    }

    @Test
    void aListenerMayWaitForReadinessInItsFirstCall() {
        AtomicReference<Boolean> ready = new AtomicReference<>();
        DataSystem system = builder(source).build();
        system.onStatus(status -> {
            try {
                ready.compareAndSet(null, system.awaitReady(ofSeconds(10)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        system.start();
        apply(full());
        assertEquals(true, ready.get());
        system.close();
    }

    /** However the two meet: after the close nothing runs, and nothing is asked for. */
    @Test
    void closingWhileAnotherThreadStartsLeavesNoRunBehind() throws Exception {
        for (int round = 0; round < 1000; round++) {
            FakeDataSource raced = new FakeDataSource();
            VirtualScheduler time = new VirtualScheduler();
            DataSystem system = DataSystem.builder(raced)
                    .scheduler(time)
                    .listenerExecutor(Runnable::run)
                    .build();
            CyclicBarrier barrier = new CyclicBarrier(2);
            Thread starter = new Thread(() -> {
                meet(barrier);
                system.start();
            });
            starter.start();
            meet(barrier);
            system.close();
            int runningAtClose = raced.running();
            starter.join();
            assertEquals(0, runningAtClose, "round " + round);
            assertEquals(0, raced.running(), "round " + round);
            assertEquals(List.of(), time.pending(), "round " + round);
        }
    }

    @Test
    void aSourceThatCannotBeStartedMayBeStartedAgain() {
        boolean[] broken = {true};
        DataSystem system = builder((sink, time) -> {
                    if (broken[0]) {
                        throw new IllegalStateException("on purpose");
                    }
                    return source.start(sink, time);
                })
                .build();
        assertThrows(IllegalStateException.class, system::start);
        assertEquals(INITIALIZING, system.status().state());
        broken[0] = false;
        system.start();
        apply(full());
        assertEquals(VALID, system.status().state());
        system.close();
    }

    // ---- executors and threads

    // STATUS-04
    @Test
    void anExecutorThatRefusesWorkHoldsUpNoData() throws InterruptedException {
        Executor refusing = task -> {
            throw new RejectedExecutionException("on purpose");
        };
        DataSystem unheard = builder(source).listenerExecutor(refusing).build();
        listen(unheard);
        CompletionStage<DataSourceStatus> ready = unheard.start();
        apply(full(flag("a", 1)));
        assertEquals(VALID, now(ready).state());
        assertTrue(unheard.awaitReady(ZERO));
        apply(partial(flag("a", 2)));
        assertEquals(Optional.of(flag("a", 2)), unheard.get(FLAG, "a"));
        unheard.close();
        assertEquals(OFF, unheard.status().state());
        assertEquals(List.of(), told);
    }

    @Tag("real-time")
    @Test
    void byDefaultListenersHaveADaemonThreadThatIsThereOnlyWhileThereIsSomethingToTell() throws Exception {
        DataSystem own = DataSystem.builder(source).scheduler(scheduler).build();
        CompletableFuture<Thread> found = new CompletableFuture<>();
        CompletableFuture<Thread> foundAgain = new CompletableFuture<>();
        own.onStatus(status -> (status.state() == OFF ? foundAgain : found).complete(Thread.currentThread()));
        own.start();
        apply(full());

        Thread thread = found.get(10, SECONDS);
        assertEquals("flagfeed-listeners", thread.getName());
        assertTrue(thread.isDaemon());
        thread.join(10_000); // idle, it goes, though the system is open
        assertFalse(thread.isAlive());

        own.close();
        Thread another = foundAgain.get(10, SECONDS); // OFF is told after the close
        another.join(10_000);
        assertFalse(another.isAlive());
    }

    @Test
    void byDefaultASystemHasASchedulerOfItsOwnAndClosesIt() throws Exception {
        CompletableFuture<Scheduler> given = new CompletableFuture<>();
        DataSystem own = DataSystem.builder((sink, clock) -> {
                    given.complete(clock);
                    return () -> {};
                })
                .build();
        own.start();
        CompletableFuture<Thread> found = new CompletableFuture<>();
        given.get().execute(() -> found.complete(Thread.currentThread()));
        Thread thread = found.get(10, SECONDS);
        assertEquals("flagfeed", thread.getName());
        given.get().schedule(Duration.ofHours(1), () -> {}); // would keep the thread
        own.close();
        thread.join(10_000);
        assertFalse(thread.isAlive());
        given.get().execute(() -> told.add("after the end"));
        assertEquals(List.of(), told);
    }

    @Test
    void aGivenSchedulerServesOthersAfterTheEnd() {
        system.start();
        system.close();
        scheduler.execute(() -> told.add("still there"));
        scheduler.runDue();
        assertEquals(List.of("still there"), told);
    }

    @Test
    void systemsThatShareASchedulerDoNotMeet() {
        FakeDataSource other = new FakeDataSource();
        DataSystem second = builder(other).build();
        system.start();
        second.start();
        apply(full(flag("a", 1)));
        assertEquals(INITIALIZING, second.status().state());
        system.close();
        other.apply(full());
        scheduler.runDue();
        assertEquals(VALID, second.status().state());
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> DataSystem.builder(null));
        assertThrows(
                NullPointerException.class, () -> DataSystem.builder(source).scheduler(null));
        assertThrows(
                NullPointerException.class, () -> DataSystem.builder(source).listenerExecutor(null));
        assertThrows(NullPointerException.class, () -> system.onChange(null));
        assertThrows(NullPointerException.class, () -> system.onStatus(null));
        assertThrows(NullPointerException.class, () -> system.awaitReady(null));
        assertThrows(NullPointerException.class, () -> system.get(FLAG, null));
    }

    private static boolean done(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isDone();
    }

    private static DataSourceStatus now(CompletionStage<DataSourceStatus> stage) {
        DataSourceStatus status = stage.toCompletableFuture().getNow(null);
        assertNotNull(status, "not completed");
        return status;
    }

    private static ChangeSet full(Item... items) {
        return ChangeSet.full(List.of(items));
    }

    private static ChangeSet partial(Item... items) {
        return ChangeSet.partial(List.of(items));
    }

    private static Item flag(String key, long version) {
        return Item.of(FLAG, key, version, "{}");
    }
}
