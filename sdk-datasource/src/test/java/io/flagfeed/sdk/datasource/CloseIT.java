package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.Snapshot;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Hold;
import io.flagfeed.sdk.testing.TestFlags;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Closing in real time, in every phase and at any moment: at once, for good, and leaving nothing behind. */
final class CloseIT {
    private static final int ROUNDS = Integer.getInteger("close.rounds", 500);
    private static final long SEED = Long.getLong("close.seed", 1);
    private static final Duration LONGEST = Duration.ofSeconds(20);

    // It takes microseconds, and a second is promised. But a machine that is busy may hold up any thread that long, and
    // the least that close could wait for, a connect timeout, takes five.
    private static final Duration AT_ONCE = Duration.ofSeconds(4);
    private static final Duration PROMISED = Duration.ofSeconds(1);

    private final FakeFlagServer server = FakeFlagServer.start();
    private final SilentPort silent = new SilentPort();

    // A name server that does not answer, as the system's resolver waits for it: no interrupt ends that.
    private final CountDownLatch nameServer = new CountDownLatch(1);
    private final AtomicInteger lookups = new AtomicInteger();
    private final AtomicInteger changes = new AtomicInteger();

    @AfterEach
    void close() {
        nameServer.countDown();
        server.close();
        silent.close();
    }

    private List<InetAddress> lookUp(String name) throws UnknownHostException {
        lookups.incrementAndGet();
        while (true) {
            try {
                nameServer.await();
                throw new UnknownHostException(name);
            } catch (InterruptedException e) {
                // goes on
            }
        }
    }

    /** What a system meets, and how to tell that it has. */
    private enum Phase {
        NAME_THAT_DOES_NOT_RESOLVE {
            @Override
            DataSystem system(CloseIT test, Mode mode) {
                OkHttpClient client =
                        new OkHttpClient.Builder().dns(test::lookUp).build();
                HttpSettings http = HttpSettings.builder().client(client).build();
                return test.system(mode, URI.create("http://flagfeed.invalid"), http);
            }

            @Override
            boolean reached(CloseIT test, DataSystem system, int taken) {
                return test.lookups.get() > 0;
            }
        },
        SLOW_TLS_HANDSHAKE {
            @Override
            DataSystem system(CloseIT test, Mode mode) {
                return test.system(mode, test.silent.uri("https"), HttpSettings.DEFAULT);
            }

            @Override
            boolean reached(CloseIT test, DataSystem system, int taken) {
                return test.silent.taken() > taken;
            }
        },
        SILENCE_INSTEAD_OF_HEADERS {
            @Override
            DataSystem system(CloseIT test, Mode mode) {
                return test.system(mode, test.silent.uri("http"), HttpSettings.DEFAULT);
            }

            @Override
            boolean reached(CloseIT test, DataSystem system, int taken) {
                return test.silent.taken() > taken;
            }
        },
        PORT_THAT_IS_CLOSED {
            @Override
            DataSystem system(CloseIT test, Mode mode) {
                test.server.refuse();
                return test.system(mode, test.server.uri(), HttpSettings.DEFAULT);
            }

            @Override
            boolean reached(CloseIT test, DataSystem system, int taken) {
                return system.status().lastError() != null;
            }
        },
        WAIT_OF_FIVE_MINUTES {
            @Override
            DataSystem system(CloseIT test, Mode mode) {
                test.server.require("another-key");
                return test.system(mode, test.server.uri(), HttpSettings.DEFAULT);
            }

            @Override
            boolean reached(CloseIT test, DataSystem system, int taken) {
                return system.status().lastError() != null;
            }
        },
        ENDLESS_CHANGES {
            @Override
            DataSystem system(CloseIT test, Mode mode) {
                test.server.set(TestFlags.flag("a").version(0).build());
                DataSystem system = test.system(mode, test.server.uri(), HttpSettings.DEFAULT);
                AtomicInteger version = new AtomicInteger();
                system.onChange(
                        event -> { // each change brings the next one
                            test.changes.incrementAndGet();
                            test.server.set(TestFlags.flag("a")
                                    .version(version.incrementAndGet())
                                    .build());
                        });
                return system;
            }

            @Override
            boolean reached(CloseIT test, DataSystem system, int taken) {
                return test.changes.get() > 3;
            }
        };

        abstract DataSystem system(CloseIT test, Mode mode);

        abstract boolean reached(CloseIT test, DataSystem system, int taken);
    }

    private DataSystem system(Mode mode, URI uri, HttpSettings http) {
        Duration base = mode == Mode.POLLING ? Duration.ofMillis(1) : Duration.ofMinutes(5);
        return DataSystem.builder(mode.source(uri, base, http)).build();
    }

    static Stream<Arguments> phases() {
        return Stream.of(Phase.values())
                .flatMap(phase -> Stream.of(Mode.values()).map(mode -> Arguments.of(phase, mode)));
    }

    private static void interruptAttempts() {
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("flagfeed-(stream|poll)"))
                .forEach(Thread::interrupt);
    }

    private void assertNothingIsLeft() {
        nameServer.countDown();
        Sockets.awaitNoThreads();
        Sockets.await().until(() -> server.openConnections() == 0 && silent.open() == 0);
    }

    @ParameterizedTest
    @MethodSource("phases")
    void closesAtOnceInEveryPhaseAndLetsGoOfAllWhoWait(Phase phase, Mode mode) throws Exception { // LIFE-01, STATUS-06
        for (boolean interrupted : new boolean[] {false, true}) {
            lookups.set(0);
            changes.set(0);
            int taken = silent.taken();
            DataSystem system = phase.system(this, mode);
            List<State> states = new ArrayList<>();
            system.onStatus(status -> {
                synchronized (states) {
                    states.add(status.state());
                }
            });
            CompletionStage<DataSourceStatus> stage = system.start();
            Sockets.await().until(() -> phase.reached(this, system, taken));
            boolean ready = phase == Phase.ENDLESS_CHANGES;
            for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofMillis(20))) {
                assertEquals(ready, system.awaitReady(wait));
            }
            ExecutorService waiters = Executors.newFixedThreadPool(10);
            List<Future<Boolean>> waits = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                waits.add(waiters.submit(() -> system.awaitReady(LONGEST)));
            }
            if (interrupted) {
                interruptAttempts();
            }
            assertTimeout(AT_ONCE, system::close);
            int requests = server.requests().size();
            Snapshot held = system.snapshot();
            for (Future<Boolean> wait : waits) {
                assertTrue(!wait.get(LONGEST.toSeconds(), TimeUnit.SECONDS) || ready);
            }
            waiters.shutdown();
            assertTrue(waiters.awaitTermination(LONGEST.toSeconds(), TimeUnit.SECONDS));
            DataSourceStatus end = stage.toCompletableFuture().get(LONGEST.toSeconds(), TimeUnit.SECONDS);
            assertEquals(ready ? State.VALID : State.OFF, end.state());
            assertNothingIsLeft();
            assertTrue(server.requests().size() - requests <= 1, "what was on the wire at most");
            assertEquals(held, system.snapshot());
            synchronized (states) {
                assertEquals(states.size() - 1, states.indexOf(State.OFF), states::toString);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void closesAtOnceAtAnyMoment(Phase phase) { // LIFE-01
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);
        int slow = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Mode mode = round % 2 == 0 ? Mode.STREAMING : Mode.POLLING;
            DataSystem system = phase.system(this, mode);
            system.start();
            long until = System.nanoTime() + random.nextLong(3_000_000);
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            if (random.nextInt(4) == 0) {
                interruptAttempts();
            }
            long began = System.nanoTime();
            assertTimeout(AT_ONCE, system::close, "seed " + SEED + ", round " + round);
            slow += System.nanoTime() - began > PROMISED.toNanos() ? 1 : 0;
            DataSourceStatus status = system.status();
            Snapshot held = system.snapshot();
            assertEquals(State.OFF, status.state());
            assertEquals(status, system.status());
            assertEquals(held, system.snapshot());
        }
        assertNothingIsLeft();
        assertTrue(slow <= 1 + ROUNDS / 100, slow + " of " + ROUNDS + " over " + PROMISED);
    }

    /** The moment in which OkHttp has seen that the call goes on, and has no socket yet that cancelling it could close. */
    @ParameterizedTest
    @EnumSource
    void closedWhileTheSocketIsMade(Mode mode) throws Exception { // LIFE-01
        for (String scheme : List.of("http", "https")) {
            AtomicReference<DataSystem> system = new AtomicReference<>();
            CountDownLatch closed = new CountDownLatch(1);
            OkHttpClient client = new OkHttpClient.Builder()
                    .socketFactory(new WatchedSockets(() -> {
                        system.get().close();
                        closed.countDown();
                    }))
                    .build();
            HttpSettings http = HttpSettings.builder().client(client).build();
            system.set(system(mode, silent.uri(scheme), http));
            system.get().start();
            assertTrue(closed.await(LONGEST.toSeconds(), TimeUnit.SECONDS));
            assertNothingIsLeft();
        }
        assertEquals(0, silent.taken());
    }

    @ParameterizedTest
    @EnumSource
    void closedByManyAtOnceAndStartedAfterwards(Mode mode) throws Exception { // LIFE-07
        server.set(TestFlags.flag("a").build());
        mode.script(server).respond(401);
        DataSystem system = DataSystem.builder(mode.source(server)).build();
        AtomicInteger off = new AtomicInteger();
        system.onStatus(status -> off.addAndGet(status.state() == State.OFF ? 1 : 0));
        system.start();
        Sockets.await().until(() -> system.status().lastError() != null);
        ExecutorService closers = Executors.newFixedThreadPool(10);
        CyclicBarrier together = new CyclicBarrier(10);
        List<Future<?>> closings = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            closings.add(closers.submit(() -> {
                together.await();
                system.close();
                return null;
            }));
        }
        for (Future<?> closing : closings) {
            closing.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
        }
        closers.shutdown();
        assertTrue(closers.awaitTermination(LONGEST.toSeconds(), TimeUnit.SECONDS));
        DataSourceStatus end = system.start().toCompletableFuture().get(LONGEST.toSeconds(), TimeUnit.SECONDS);
        assertEquals(State.OFF, end.state());
        assertFalse(system.awaitReady(Duration.ZERO));
        assertNothingIsLeft();
        assertEquals(1, off.get());
        assertEquals(1, server.requests().size());
    }

    /** A supplied scheduler that is closed too early: nobody takes news any more, so nobody reads any. */
    @Test
    void schedulerThatIsClosedFirstEndsTheReader() throws Exception {
        SystemScheduler scheduler = Scheduler.system("flagfeed-supplied");
        DataSystem system = DataSystem.builder(Mode.STREAMING.source(server))
                .scheduler(scheduler)
                .build();
        system.start();
        assertTrue(system.awaitReady(LONGEST));
        scheduler.close();
        Sockets.await().until(() -> {
            server.heartbeat();
            return Sockets.threads().isEmpty();
        });
        Sockets.await().until(() -> server.openConnections() == 0);
        assertEquals(State.VALID, system.status().state()); // nobody was there to say otherwise
        system.close();
        assertEquals(State.OFF, system.status().state());
    }

    /** What is read already and not applied yet is not applied any more. */
    @Test
    void whatWasBufferedIsNotAppliedAfterClosing() throws Exception { // LIFE-06
        StringBuilder patches = new StringBuilder("event: put\ndata: {\"data\":{\"flags\":{}}}\n\n");
        for (int version = 1; version <= 5000; version++) {
            patches.append("event: patch\ndata: {\"path\":\"/flags/a\",\"data\":{\"version\":" + version + "}}\n\n");
        }
        server.stream().events(patches.toString());
        DataSystem system = DataSystem.builder(Mode.STREAMING.source(server))
                .listenerExecutor(Runnable::run)
                .build();
        CountDownLatch ten = new CountDownLatch(10);
        system.onChange(event -> {
            ten.countDown();
            if (ten.getCount() == 0) {
                system.close();
            }
        });
        system.start();
        assertTrue(ten.await(LONGEST.toSeconds(), TimeUnit.SECONDS));
        assertNothingIsLeft();
        assertEquals(10, system.get(ItemKind.FLAG, "a").orElseThrow().version());
    }

    @ParameterizedTest
    @EnumSource
    void lateSuccessReachesThoseWhoCameTooEarly(Mode mode) throws Exception { // STATUS-07
        server.set(TestFlags.flag("a").build());
        Hold answer = mode.script(server).serve().hold();
        try (DataSystem system = DataSystem.builder(mode.source(server)).build()) {
            system.start();
            answer.awaitReached(LONGEST);
            assertFalse(system.awaitReady(Duration.ofMillis(20)));
            answer.release();
            assertTrue(system.awaitReady(LONGEST));
            assertEquals(State.VALID, system.status().state());
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource
    void serviceThatComesBackIsFoundWithoutAnybodyDoingAnything(Mode mode) throws Exception { // RETRY-13
        server.set(TestFlags.flag("a").version(1).build());
        Duration soon = Duration.ofMillis(20);
        try (DataSystem system = DataSystem.builder(mode.source(server.uri(), soon, HttpSettings.DEFAULT))
                .build()) {
            system.start();
            assertTrue(system.awaitReady(LONGEST));
            server.refuse();
            Sockets.await().until(() -> system.status().state() == State.INTERRUPTED);
            server.set(TestFlags.flag("a").version(2).build());
            server.accept();
            Sockets.await()
                    .until(() -> system.get(ItemKind.FLAG, "a").orElseThrow().version() == 2);
            assertEquals(State.VALID, system.status().state());
        }
        assertNothingIsLeft();
    }

    /** A second system finds all of it in working order. */
    @ParameterizedTest
    @EnumSource
    void whatWasSuppliedSurvives(Mode mode) throws Exception { // LIFE-10
        server.set(TestFlags.flag("a").build());
        OkHttpClient client = new OkHttpClient();
        ExecutorService listeners = Executors.newSingleThreadExecutor();
        try (SystemScheduler scheduler = Scheduler.system("flagfeed-supplied")) {
            HttpSettings http = HttpSettings.builder().client(client).build();
            for (int i = 0; i < 2; i++) {
                AtomicReference<State> last = new AtomicReference<>();
                DataSystem system = DataSystem.builder(mode.source(server.uri(), mode.base, http))
                        .scheduler(scheduler)
                        .listenerExecutor(listeners)
                        .build();
                system.onStatus(status -> last.set(status.state()));
                system.start();
                assertTrue(system.awaitReady(LONGEST));
                system.close();
                Sockets.await().until(() -> last.get() == State.OFF);
            }
            assertFalse(listeners.isShutdown());
            assertFalse(client.dispatcher().executorService().isShutdown());
            CompletableFuture<Boolean> alive = new CompletableFuture<>();
            scheduler.schedule(Duration.ofMillis(1), () -> alive.complete(true));
            assertTrue(alive.get(LONGEST.toSeconds(), TimeUnit.SECONDS));
        } finally {
            listeners.shutdown();
            client.dispatcher().executorService().shutdown();
        }
        assertNothingIsLeft();
    }
}
