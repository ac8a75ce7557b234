package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Interrupts of any thread: no hot loop, no dead source, no flag lost (R39). */
final class InterruptIT { // LIFE-03
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();

    @AfterEach
    void close() {
        server.close();
    }

    private DataSystem system(Mode mode) {
        return DataSystem.builder(mode.source(server))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
    }

    private static Thread attemptThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("flagfeed-(stream|poll)"))
                .findAny()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void interruptedAttemptIsOneFailureAndTheNextOneComes(Mode mode) throws Exception {
        server.set(TestFlags.flag("a").build());
        mode.script(server).serve().cutHalfway().stall();
        DataSystem system = system(mode);
        system.start();
        scheduler.runDue();
        server.awaitRequest(LONGEST);
        Sockets.await().until(() -> mode.script(server).pending().isEmpty()); // the request has got that answer
        attemptThread().interrupt();
        server.resetStreams(); // a read that was under way takes no notice of the flag until something happens
        if (mode == Mode.POLLING) {
            server.refuse();
            server.accept();
        }
        Sockets.runUntil(scheduler, () -> scheduler.pending().equals(List.of(mode.base)));
        assertEquals(1, server.requests().size());
        scheduler.advance(mode.base);
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        assertEquals(2, server.requests().size());
        system.close();
    }

    /** Real threads, all of ours, whatever they are doing: connecting, reading, waiting, applying, telling. */
    @ParameterizedTest
    @EnumSource
    void interruptsOfAllThreadsOfOursDoNotEndTheUpdates(Mode mode) {
        server.set(TestFlags.flag("a").build());
        Duration soon = Duration.ofMillis(5);
        DataSource source = mode == Mode.POLLING
                ? mode.source(server.uri(), soon, HttpSettings.DEFAULT)
                : StreamingDataSource.builder(server.uri(), "sdk-key")
                        .initialRetryDelay(soon)
                        .retryPolicy(RetryPolicy.builder().normalCeiling(soon).build())
                        .build();
        DataSystem system = DataSystem.builder(source).build();
        system.onChange(event -> {});
        system.start();
        for (long version = 2; version <= 40; version++) {
            mode.script(server).atOnce(script -> script.respond(503));
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().matches("flagfeed|flagfeed-(stream|poll|listeners)")) {
                    thread.interrupt();
                }
            }
            if (mode == Mode.STREAMING && version % 2 == 0) {
                server.dropStreams();
            }
            server.set(TestFlags.flag("a").version(version).build());
            long sent = version;
            Sockets.await()
                    .until(() -> system.get(ItemKind.FLAG, "a")
                            .filter(flag -> flag.version() == sent)
                            .isPresent());
        }
        Sockets.await().until(() -> system.status().state() == State.VALID);
        system.close();
        Sockets.awaitNoThreads();
    }

    @ParameterizedTest
    @EnumSource
    void callersFlagIsKeptAndHarmsNothing(Mode mode) throws Exception {
        server.set(TestFlags.flag("a").build());
        Thread.currentThread().interrupt();
        try {
            DataSystem system = system(mode);
            system.start();
            scheduler.runDue();
            assertTrue(Thread.currentThread().isInterrupted());
            assertThrows(InterruptedException.class, () -> system.awaitReady(LONGEST)); // which clears it
            assertFalse(Thread.currentThread().isInterrupted());
            Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
            Thread.currentThread().interrupt();
            system.close();
            assertTrue(Thread.currentThread().isInterrupted());
        } finally {
            Thread.interrupted();
        }
        Sockets.awaitNoThreads();
    }
}
