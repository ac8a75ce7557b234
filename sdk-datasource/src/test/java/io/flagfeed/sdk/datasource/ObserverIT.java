package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Observer;
import io.flagfeed.sdk.micrometer.MicrometerObserver;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an observer is told, from the attempt to the listener, in both modes. */
final class ObserverIT {
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final HandTransport transport = new HandTransport();

    /** Notes all it is told, of a status the state and whether an attempt is waited for. */
    private static final class Noting implements Observer {
        private final List<String> told = new ArrayList<>();

        @Override
        public void attemptStarted() {
            told.add("attempt");
        }

        @Override
        public void connected() {
            told.add("connected");
        }

        @Override
        public void attemptFailed(ErrorInfo error, Duration nextAttemptIn) {
            told.add("failed " + error.message() + ", next in " + nextAttemptIn);
        }

        @Override
        public void applied(Applied applied) {
            told.add(applied.toString());
        }

        @Override
        public void statusMoved(DataSourceStatus status) {
            told.add(status.state() + (status.nextAttempt() == null ? "" : " waiting"));
        }

        @Override
        public void listenerFailed(Throwable error) {
            told.add("listener: " + error.getMessage());
        }
    }

    private DataSystem start(Mode mode, Observer observer) {
        DataSystem system = DataSystem.builder(
                        (sink, time) -> mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, time))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .observer(observer)
                .build();
        system.start();
        scheduler.runDue();
        return system;
    }

    @ParameterizedTest
    @EnumSource
    void everythingIsToldInOrder(Mode mode) {
        Noting observer = new Noting();
        DataSystem system = start(mode, observer);
        system.onChange(event -> {
            throw new IllegalStateException("on purpose");
        });
        transport.attempt(1).receiver.failed(Failure.httpStatus(503, OptionalLong.empty()));
        scheduler.runDue();
        scheduler.advance(mode.base);
        Receiver second = transport.attempt(2).receiver;
        second.connected();
        String data = mode.data("\"a\":{\"version\":1},\"b\":{\"version\":1}");
        second.event(mode.event(), new ByteArrayInputStream(data.getBytes(UTF_8)), () -> 321, null);
        second.unchanged();
        scheduler.runDue();
        system.close();
        second.unchanged();
        second.connected();
        scheduler.runDue();
        assertEquals(
                List.of(
                        "attempt",
                        "INITIALIZING",
                        "failed HTTP status 503, next in " + mode.base,
                        "INITIALIZING waiting",
                        "attempt",
                        "INITIALIZING",
                        "connected",
                        "Applied[type=FULL, items=2, bytes=321, decoding=PT0S, applying=PT0S]",
                        "VALID",
                        "listener: on purpose",
                        "VALID",
                        "OFF"),
                observer.told);
    }

    @ParameterizedTest
    @EnumSource
    void nextAttemptIsKnownWhileItIsWaitedFor(Mode mode) {
        DataSystem system = start(mode, new Observer() {});
        transport.attempt(1).receiver.failed(Failure.network("reset"));
        scheduler.runDue();
        assertEquals(scheduler.now().plus(mode.base), system.status().nextAttempt());
        DataSourceStatus waiting = system.status();
        scheduler.advance(mode.base);
        assertNull(system.status().nextAttempt());
        assertEquals(waiting.lastError(), system.status().lastError());
        assertEquals(waiting.since(), system.status().since());
        system.close();
    }

    /** Whatever it throws, wherever. */
    @ParameterizedTest
    @EnumSource
    void observerThatThrowsHarmsNothing(Mode mode) {
        List<Throwable> thrown = List.of(new IllegalStateException("a"), new StackOverflowError("b"));
        for (Throwable e : thrown) {
            HandTransport.Attempt attempt;
            try (RecordedLog log = new RecordedLog()) {
                int before = transport.attempts.size();
                DataSystem system = start(mode, new Throwing(e));
                attempt = transport.attempt(before + 1);
                attempt.receiver.connected();
                attempt.receiver.event(mode.event(), mode.data("\"a\":{\"version\":1}"), null);
                attempt.receiver.failed(Failure.network("reset"));
                scheduler.runDue();
                assertEquals(State.INTERRUPTED, system.status().state());
                assertEquals(1, system.snapshot().all(ItemKind.FLAG).size());
                scheduler.advance(mode.base);
                transport.attempt(before + 2);
                system.close();
                assertEquals(
                        1,
                        log.lines(Level.WARN).stream()
                                .filter(line -> line.equals("WARN The observer failed with "
                                        + e.getClass().getName() + "; this is said once"))
                                .count());
            }
        }
    }

    private static final class Throwing implements Observer {
        private final Throwable thrown;

        Throwing(Throwable thrown) {
            this.thrown = thrown;
        }

        private void fail() {
            if (thrown instanceof Error e) {
                throw e;
            }
            throw (RuntimeException) thrown;
        }

        @Override
        public void attemptStarted() {
            fail();
        }

        @Override
        public void connected() {
            fail();
        }

        @Override
        public void attemptFailed(ErrorInfo error, Duration nextAttemptIn) {
            fail();
        }

        @Override
        public void applied(Applied applied) {
            fail();
        }

        @Override
        public void statusMoved(DataSourceStatus status) {
            fail();
        }
    }

    /** Over a socket: that the bytes are counted where they are read. */
    @ParameterizedTest
    @EnumSource
    void metersShowWhatCameOverTheWire(Mode mode) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.set(TestFlags.flag("a").build());
            mode.script(server)
                    .atOnce(script -> script.respond(503).then().serve().gzip());
            DataSystem system = DataSystem.builder(mode.source(server))
                    .scheduler(scheduler)
                    .observer(new MicrometerObserver(registry, Tags.empty()))
                    .build();
            system.start();
            Sockets.runUntilWaiting(scheduler);
            scheduler.advance(mode.base);
            Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
            int sent = server.snapshotJson().length();
            double received = registry.get("flagfeed.received").counter().count();
            assertEquals(2, registry.get("flagfeed.attempts").counter().count());
            assertEquals(
                    1,
                    registry.get("flagfeed.failures")
                            .tag("kind", "http_status")
                            .counter()
                            .count());
            assertEquals(1, registry.get("flagfeed.changes").counter().count());
            assertEquals(
                    mode == Mode.POLLING ? sent : sent + "event: put\ndata: {\"path\":\"/\",\"data\":}\n\n".length(),
                    received);
            assertEquals(1, registry.get("flagfeed.connected").gauge().value());
            system.close();
            assertEquals(0, registry.get("flagfeed.connected").gauge().value());
        }
    }

    @Test
    void nobodyNeedsToObserveEverything() {
        Observer observer = new Observer() {};
        DataSystem system = start(Mode.POLLING, observer);
        system.close();
        observer.listenerFailed(new IllegalStateException());
        assertEquals(State.OFF, system.status().state());
    }
}
