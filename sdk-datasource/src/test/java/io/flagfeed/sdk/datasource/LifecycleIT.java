package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Observer;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closing, in every phase: no request and no event afterwards, the connection closed, no thread left. */
final class LifecycleIT {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler(); // waits are virtual, sockets are not
    private final List<DataSourceStatus> statuses = new CopyOnWriteArrayList<>();
    private final List<ChangeEvent> changes = new CopyOnWriteArrayList<>();
    private boolean connected; // whether an answer has begun

    @BeforeEach
    void serve() {
        server.set(TestFlags.flag("a").build());
    }

    @AfterEach
    void close() {
        server.close();
    }

    private DataSystem system(DataSource source) {
        DataSystem system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .observer(new Observer() {
                    @Override
                    public void connected() {
                        connected = true;
                    }
                })
                .build();
        system.onStatus(statuses::add);
        system.onChange(changes::add);
        return system;
    }

    /** Closes, lets a day go by, and finds that nothing happened in it. */
    private void assertQuietAfterClosing(DataSystem system, int requests) throws InterruptedException {
        system.close();
        int statusesThen = statuses.size();
        int changesThen = changes.size();
        assertEquals(State.OFF, statuses.get(statusesThen - 1).state());
        assertTrue(system.start().toCompletableFuture().isDone());
        Sockets.awaitNoThreads(); // whatever was under way has told all it had to tell
        for (FakeFlagServer.Request request : server.requests()) {
            server.awaitConnectionClosed(request.connectionId(), LONGEST);
        }
        scheduler.advance(Duration.ofDays(1));
        assertEquals(List.of(), scheduler.pending());
        assertEquals(requests, server.requests().size(), server::toString);
        assertEquals(statusesThen, statuses.size());
        assertEquals(changesThen, changes.size());
    }

    @ParameterizedTest
    @EnumSource
    void closeBeforeStart(Mode mode) throws InterruptedException {
        assertQuietAfterClosing(system(mode.source(server)), 0);
    }

    @ParameterizedTest
    @EnumSource
    void closeBeforeTheFirstAttempt(Mode mode) throws InterruptedException {
        DataSystem system = system(mode.source(server));
        system.start();
        assertQuietAfterClosing(system, 0);
    }

    @ParameterizedTest
    @EnumSource
    void closeWhileConnecting(Mode mode) throws InterruptedException {
        server.blackHole();
        DataSystem system = system(mode.source(server));
        system.start();
        scheduler.runDue();
        Sockets.await().until(() -> server.openConnections() == 1);
        assertQuietAfterClosing(system, 0);
    }

    @ParameterizedTest
    @EnumSource
    void closeWhileWaitingForTheAnswer(Mode mode) throws InterruptedException {
        mode.script(server).hang();
        DataSystem system = system(mode.source(server));
        system.start();
        scheduler.runDue();
        server.awaitRequest(LONGEST);
        assertQuietAfterClosing(system, 1);
    }

    @ParameterizedTest
    @EnumSource
    void closeInTheMiddleOfTheAnswer(Mode mode) throws InterruptedException {
        mode.script(server).serve().cutHalfway().stall();
        DataSystem system = system(mode.source(server));
        system.start();
        Sockets.runUntil(scheduler, () -> connected);
        assertQuietAfterClosing(system, 1);
        assertTrue(changes.isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void closeWhileOpenOrBetweenPolls(Mode mode) throws InterruptedException {
        DataSystem system = system(mode.source(server));
        system.start();
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        assertQuietAfterClosing(system, 1);
        assertTrue(system.get(ItemKind.FLAG, "a").isPresent()); // still readable
    }

    @ParameterizedTest
    @EnumSource
    void closeWhileWaitingForTheNextAttempt(Mode mode) throws InterruptedException {
        mode.script(server).respond(401).forever();
        DataSystem system = system(mode.source(server));
        system.start();
        Sockets.runUntilWaiting(scheduler);
        assertEquals(1, scheduler.pending().size());
        assertQuietAfterClosing(system, 1);
    }

    @ParameterizedTest
    @EnumSource
    void closeTwiceAndFromAListener(Mode mode) throws InterruptedException {
        DataSystem system = system(mode.source(server));
        system.onStatus(status -> system.close());
        system.start();
        Sockets.runUntil(scheduler, () -> system.status().state() == State.OFF);
        assertQuietAfterClosing(system, 1);
        assertEquals(
                List.of(State.VALID, State.OFF),
                statuses.stream().map(DataSourceStatus::state).toList());
    }

    @ParameterizedTest
    @EnumSource
    void oneRecipeRunsManyTimesAtOnce(Mode mode) throws InterruptedException {
        DataSource source = mode.source(server);
        DataSystem first = system(source);
        DataSystem second = system(source);
        first.start();
        second.start();
        Sockets.runUntil(
                scheduler,
                () -> first.status().state() == State.VALID && second.status().state() == State.VALID);
        first.close();
        server.set(TestFlags.flag("a").version(2).build());
        scheduler.advance(Duration.ofSeconds(30)); // for polling, a poll
        Sockets.runUntil(
                scheduler, () -> second.get(ItemKind.FLAG, "a").orElseThrow().version() == 2);
        assertEquals(1, first.get(ItemKind.FLAG, "a").orElseThrow().version());
        second.close();
        Sockets.awaitNoThreads();
    }
}
