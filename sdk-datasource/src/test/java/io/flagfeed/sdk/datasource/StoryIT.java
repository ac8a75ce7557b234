package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.ChangeEvent.Change;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.FlagBuilder;
import io.flagfeed.sdk.testing.TestFlags;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One story from bytes on a socket to a listener, in both modes, in real time of milliseconds. */
final class StoryIT {
    private static final Duration SOON = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final FakeFlagServer server = FakeFlagServer.start();
    private final BlockingQueue<ChangeEvent> changes = new LinkedBlockingQueue<>();
    private final BlockingQueue<DataSourceStatus> statuses = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void flagsArriveChangeSurviveAnOutageAndRecover(Mode mode) throws Exception {
        FlagBuilder checkout = TestFlags.flag("checkout").on().rule(1, TestFlags.segmentMatch("beta"));
        server.setAll(List.of(
                checkout.build(), TestFlags.segment("beta").included("ada").build()));
        server.require("sdk-key");

        try (DataSystem system = DataSystem.builder(mode.source(server.uri(), SOON, HttpSettings.DEFAULT))
                .build()) {
            system.onChange(changes::add);
            system.onStatus(statuses::add);
            DataSourceStatus first = system.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
            assertEquals(State.VALID, first.state());
            assertTrue(system.awaitReady(Duration.ZERO));

            // arrive
            assertEquals(State.VALID, statuses.take().state());
            ChangeEvent arrived = takeChange();
            assertEquals(2, arrived.changes().size());
            assertEquals(1, system.get(ItemKind.FLAG, "checkout").orElseThrow().version());

            // change, and change through what they refer to
            server.set(checkout.off().build());
            Change direct = takeChange().changes().get(0);
            assertEquals("checkout 1 2", direct.key() + " " + versionBefore(direct) + " " + versionAfter(direct));
            server.set(TestFlags.segment("beta")
                    .version(2)
                    .included("ada", "grace")
                    .build());
            List<Change> both = takeChange().changes();
            assertEquals(
                    List.of("beta", "checkout"), both.stream().map(Change::key).toList());
            assertEquals(new ItemKey(ItemKind.SEGMENT, "beta"), both.get(1).through());

            // survive
            mode.script(server)
                    .atOnce(script -> script.respond(503)
                            .retryAfter(0)
                            .times(3)
                            .then()
                            .drop()
                            .times(3));
            server.dropStreams();
            DataSourceStatus interrupted = takeStatus(status -> {
                ErrorInfo error = status.lastError();
                return error != null && error.httpStatus() == 503;
            });
            assertEquals(State.INTERRUPTED, interrupted.state());
            assertEquals(OptionalLong.of(0), assertNotNullError(interrupted).retryAfterSeconds());
            assertNotNull(interrupted.nextAttempt());
            assertEquals(2, system.get(ItemKind.FLAG, "checkout").orElseThrow().version());
            server.delete("checkout");

            // recover, with what happened meanwhile
            DataSourceStatus network = takeStatus(status -> status.lastError() != null
                    && status.lastError().kind() == Failure.Kind.NETWORK
                    && status.lastError().message().contains("unexpected end"));
            assertEquals(State.INTERRUPTED, network.state());
            takeStatus(status -> status.state() == State.VALID);
            Change deleted = takeChange().changes().get(0);
            assertEquals("checkout", deleted.key());
            assertEquals(null, deleted.after());
            assertTrue(system.get(ItemKind.FLAG, "checkout").isEmpty());
        }
        takeStatus(status -> status.state() == State.OFF);
        assertEquals(List.of(), List.copyOf(statuses)); // OFF is the last, and there is nothing after it
        Sockets.awaitNoThreads();
    }

    private ChangeEvent takeChange() throws InterruptedException {
        ChangeEvent event = changes.poll(LONGEST.toSeconds(), TimeUnit.SECONDS);
        assertNotNull(event, () -> "no change; " + server);
        return event;
    }

    private DataSourceStatus takeStatus(Predicate<DataSourceStatus> expected) throws InterruptedException {
        while (true) {
            DataSourceStatus status = statuses.poll(LONGEST.toSeconds(), TimeUnit.SECONDS);
            assertNotNull(status, () -> "no such status; " + server);
            if (expected.test(status)) {
                return status;
            }
        }
    }

    private static ErrorInfo assertNotNullError(DataSourceStatus status) {
        ErrorInfo error = status.lastError();
        assertNotNull(error);
        return error;
    }

    private static long versionBefore(Change change) {
        return change.before() == null ? -1 : change.before().version();
    }

    private static long versionAfter(Change change) {
        return change.after() == null ? -1 : change.after().version();
    }
}
