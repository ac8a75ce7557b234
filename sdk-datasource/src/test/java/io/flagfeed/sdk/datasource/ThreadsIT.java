package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose threads do the work, and what they are called. */
@Timeout(60)
final class ThreadsIT {
    private final FakeFlagServer server = FakeFlagServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private SourceBuilder<?> source(Mode mode) {
        return mode == Mode.STREAMING
                ? StreamingDataSource.builder(server.uri(), "key")
                : PollingDataSource.builder(server.uri(), "key");
    }

    /** Starts it, has a listener hear something, and says which of the library's threads there were meanwhile. */
    private Set<String> threadsOf(DataSystem system) {
        Set<String> names = new ConcurrentSkipListSet<>();
        system.onStatus(status -> names.add(Thread.currentThread().getName()));
        server.set(TestFlags.flag("a").build());
        system.start();
        Sockets.await().until(() -> system.status().state() == State.VALID && !names.isEmpty());
        names.addAll(Sockets.threads());
        system.close();
        Sockets.awaitNoThreads();
        return names;
    }

    @ParameterizedTest
    @EnumSource
    void namesBeginWithTheLibrarysByDefault(Mode mode) {
        DataSystem system = DataSystem.builder(source(mode).build()).build();
        Set<String> names = threadsOf(system);
        assertTrue(names.containsAll(List.of("flagfeed", "flagfeed-listeners")), names::toString);
        assertTrue(mode == Mode.POLLING || names.contains("flagfeed-stream"), names::toString);
        assertTrue(names.stream().allMatch(name -> name.startsWith("flagfeed")), names::toString);
    }

    @ParameterizedTest
    @EnumSource
    void namesBeginWithThePrefix(Mode mode) {
        DataSource source = source(mode).threadNamePrefix("shop").build();
        Set<String> names =
                threadsOf(DataSystem.builder(source).threadNamePrefix("shop").build());
        assertTrue(names.containsAll(List.of("shop", "shop-listeners")), names::toString);
        assertTrue(mode == Mode.POLLING || names.contains("shop-stream"), names::toString);
        assertTrue(names.stream().allMatch(name -> name.startsWith("shop")), names::toString);
    }

    @ParameterizedTest
    @EnumSource
    void factoryMakesAllOfThem(Mode mode) throws InterruptedException {
        Queue<Thread> made = new ConcurrentLinkedQueue<>();
        ThreadFactory factory = task -> {
            Thread thread = new Thread(task, "mine");
            made.add(thread);
            return thread;
        };
        DataSource source = source(mode).threadFactory(factory).build();
        DataSystem system = DataSystem.builder(source).threadFactory(factory).build();
        assertEquals(List.of("mine"), List.copyOf(threadsOf(system)));
        assertTrue(made.size() >= 3, made::toString); // the scheduler's, a listener's, an attempt's
        assertFalse(made.stream().anyMatch(Thread::isDaemon)); // as the factory made them
        for (Thread thread : made) {
            thread.join(TimeUnit.SECONDS.toMillis(10));
            assertFalse(thread.isAlive());
        }
    }

    /** A thread costs more than an unchanged poll. */
    @Test
    void pollsThatComeOftenShareAThread() throws InterruptedException {
        Queue<Thread> made = new ConcurrentLinkedQueue<>();
        SystemScheduler scheduler = Scheduler.system("flagfeed-test-polls");
        server.set(TestFlags.flag("a").build());
        Cancellable run = PollingDataSource.builder(server.uri(), "key")
                .pollInterval(Duration.ofMillis(1))
                .threadFactory(task -> {
                    Thread thread = new Thread(task);
                    made.add(thread);
                    return thread;
                })
                .build()
                .start(new RecordingSink(), scheduler);
        Sockets.await().until(() -> server.requests().size() >= 50);
        run.cancel();
        scheduler.close();
        for (Thread thread : made) {
            thread.join(TimeUnit.SECONDS.toMillis(10));
            assertFalse(thread.isAlive());
        }
        assertTrue(made.size() <= 5, made::toString); // one; another where a poll is late in giving it back
    }

    @Test
    void pollsThatComeSeldomLeaveNoThreadBehind() {
        VirtualScheduler scheduler = new VirtualScheduler();
        RecordingSink sink = new RecordingSink();
        server.set(TestFlags.flag("a").build());
        Cancellable run = PollingDataSource.builder(server.uri(), "key")
                .pollInterval(Duration.ofMillis(1001))
                .threadFactory(task -> new Thread(task, "flagfeed-seldom"))
                .build()
                .start(sink, scheduler);
        Sockets.runUntil(
                scheduler,
                () -> scheduler.pending().size() == 1 && Sockets.threads().isEmpty());
        sink.takeApplied();
        run.cancel();
    }

    @Test
    void fetchOnceTakesThemFromTheFactoryToo() throws Exception {
        server.set(TestFlags.flag("a").build());
        Queue<Thread> made = new ConcurrentLinkedQueue<>();
        PollingDataSource source = PollingDataSource.builder(server.uri(), "key")
                .threadFactory(task -> {
                    Thread thread = new Thread(task);
                    made.add(thread);
                    return thread;
                })
                .build();
        assertEquals(1, source.fetchOnce(Duration.ofSeconds(10)).items().size());
        assertEquals(2, made.size()); // its scheduler's and that of the attempt
        Sockets.awaitNoThreads();
    }

    /** As when there is none to be had: the next attempt may get one. */
    @ParameterizedTest
    @EnumSource
    void factoryWithoutAThreadIsAFailedAttempt(Mode mode) {
        VirtualScheduler scheduler = new VirtualScheduler();
        RecordingSink sink = new RecordingSink();
        server.set(TestFlags.flag("a").build());
        List<Integer> asked = new ArrayList<>();
        ThreadFactory factory = task -> {
            asked.add(asked.size());
            return asked.size() < 3 ? null : new Thread(task);
        };
        source(mode).random(() -> 0).threadFactory(factory).build().start(sink, scheduler);
        scheduler.runDue();
        assertEquals(
                "java.lang.NullPointerException", sink.takeInterrupted().error().message());
        scheduler.advanceToNext();
        sink.takeInterrupted();
        scheduler.advanceToNext();
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        sink.takeApplied();
    }

    /** The call that needed a thread says so, and what it began is undone. */
    @ParameterizedTest
    @EnumSource
    void systemWithoutAThreadMayBeStartedAgain(Mode mode) {
        server.set(TestFlags.flag("a").build());
        List<Integer> asked = new ArrayList<>();
        DataSystem system = DataSystem.builder(source(mode).build())
                .threadFactory(task -> {
                    asked.add(asked.size());
                    return asked.size() < 2 ? null : new Thread(task);
                })
                .build();
        NullPointerException e = assertThrows(NullPointerException.class, system::start);
        assertEquals("no thread from the thread factory", e.getMessage());
        system.start();
        Sockets.await().until(() -> system.status().state() == State.VALID);
        assertEquals(1, server.requests().size());
        system.close();
        Sockets.await().until(() -> server.openConnections() == 0);
        Sockets.awaitNoThreads();
    }

    @Test
    void fetchWithoutAThreadThrows() {
        PollingDataSource source = PollingDataSource.builder(server.uri(), "key")
                .threadFactory(task -> null)
                .build();
        assertThrows(NullPointerException.class, () -> source.fetchOnce(Duration.ofSeconds(1)));
    }

    /** A hundred clients, each with its stream, its scheduler and a listener. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_25) // from 24 on a virtual thread that waits in a lock holds no other
    void virtualThreadsDoAllOfIt() throws Exception {
        ThreadFactory virtual = virtualThreads();
        server.set(TestFlags.flag("a").build());
        List<DataSystem> systems = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            DataSource source = source(Mode.STREAMING).threadFactory(virtual).build();
            DataSystem system =
                    DataSystem.builder(source).threadFactory(virtual).build();
            systems.add(system);
            system.onStatus(status -> {});
            system.start();
        }
        Sockets.await()
                .until(() -> systems.stream().allMatch(system -> system.status().state() == State.VALID));
        assertEquals(List.of(), Sockets.threads());
        server.set(TestFlags.flag("b").build());
        Sockets.await()
                .until(() -> systems.stream()
                        .allMatch(system -> system.snapshot()
                                        .all(io.flagfeed.sdk.ItemKind.FLAG)
                                        .size()
                                == 2));
        systems.forEach(DataSystem::close);
        Sockets.await().until(() -> server.openConnections() == 0);
    }

    /** By reflection: the library is built for Java 17. */
    private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        try {
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }
}
