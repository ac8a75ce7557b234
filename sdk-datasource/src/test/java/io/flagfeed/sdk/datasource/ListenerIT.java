package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three listeners of each kind, of which the one in the middle throws whatever can be thrown. */
@Timeout(60)
final class ListenerIT {
    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    private final List<Long> firstChanges = new CopyOnWriteArrayList<>();
    private final List<Long> lastChanges = new CopyOnWriteArrayList<>();
    private final List<State> firstStates = new CopyOnWriteArrayList<>();
    private final List<State> lastStates = new CopyOnWriteArrayList<>();
    private final AtomicInteger changesThrown = new AtomicInteger();
    private final AtomicInteger statesThrown = new AtomicInteger();

    @AfterEach
    void close() {
        thread.shutdown();
        server.close();
    }

    private static final List<Throwable> THROWN = List.of(
            new IllegalStateException("thrown on purpose"),
            new StackOverflowError("thrown on purpose"),
            new InterruptedException("thrown on purpose, sneakily"));

    private static <T extends Throwable> void throwNext(AtomicInteger thrown) throws T {
        @SuppressWarnings("unchecked") // what Kotlin or Lombok do behind one's back
        T next = (T) THROWN.get(thrown.getAndIncrement() % THROWN.size());
        throw next;
    }

    private DataSystem system(boolean onTheThread) {
        DataSystem system = DataSystem.builder(Mode.STREAMING.source(server))
                .scheduler(scheduler)
                .listenerExecutor(onTheThread ? thread : Runnable::run)
                .build();
        system.onChange(event -> firstChanges.add(event.changes().get(0).after().version()));
        system.onChange(event -> ListenerIT.<RuntimeException>throwNext(changesThrown));
        system.onChange(event -> lastChanges.add(event.changes().get(0).after().version()));
        system.onStatus(status -> firstStates.add(status.state()));
        system.onStatus(status -> ListenerIT.<RuntimeException>throwNext(statesThrown));
        system.onStatus(status -> lastStates.add(status.state()));
        return system;
    }

    /** The others hear everything, the data go on, their thread is as it was, and the log has one line for each. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listenerThatThrowsHarmsNobody(boolean onTheThread) throws Exception { // LISTEN-03
        server.set(TestFlags.flag("a").version(1).build());
        try (RecordedLog log = new RecordedLog()) {
            DataSystem system = system(onTheThread);
            Thread before = thread.submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
            system.start();
            for (long version = 1; version <= 3; version++) { // a put and two patches
                server.set(TestFlags.flag("a").version(version).build());
                long awaited = version;
                Sockets.runUntil(
                        scheduler,
                        () -> system.get(ItemKind.FLAG, "a")
                                .filter(flag -> flag.version() == awaited)
                                .isPresent());
                Sockets.runUntil(scheduler, () -> lastChanges.size() == awaited);
            }
            server.dropStreams();
            Sockets.runUntil(scheduler, () -> system.status().state() == State.INTERRUPTED);
            scheduler.advanceToNext();
            Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
            assertEquals(3, system.get(ItemKind.FLAG, "a").orElseThrow().version());
            system.close();
            Sockets.await().until(() -> lastStates.size() == 4);
            assertEquals(
                    thread.submit(() -> Thread.currentThread().isInterrupted()).get(10, TimeUnit.SECONDS), false);
            assertSame(before, thread.submit(Thread::currentThread).get(10, TimeUnit.SECONDS));

            assertEquals(List.of(1L, 2L, 3L), firstChanges);
            assertEquals(firstChanges, lastChanges);
            assertEquals(List.of(State.VALID, State.INTERRUPTED, State.VALID, State.OFF), firstStates);
            assertEquals(firstStates, lastStates);
            assertEquals(3, changesThrown.get());
            assertEquals(4, statesThrown.get());

            String said = "WARN A listener failed with java.lang.IllegalStateException; it stays registered, and this"
                    + " is said once";
            List<String> lines = log.lines(Level.DEBUG).stream()
                    .filter(line -> line.contains("istener"))
                    .toList();
            assertEquals(2, Collections.frequency(lines, said), lines::toString); // one for each that throws
            assertEquals(3 + 4, Collections.frequency(lines, "DEBUG A listener failed"), lines::toString);
            assertEquals(2 + 3 + 4, lines.size(), lines::toString);
            assertEquals(0, log.stackTraces(Level.INFO));
            assertTrue(log.stackTraces(Level.DEBUG) >= 3 + 4);
            assertFalse(thread.isShutdown());
        }
    }
}
