package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Script;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a public contract-test suite for flag SDKs asks of their data sources, as far as no other test shows it; the
 * numbers are that suite's.
 */
@Timeout(60)
final class AcceptanceIT {
    private static final Duration SOON = Duration.ofSeconds(10);

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final FakeFlagServer server = FakeFlagServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private DataSystem start(Mode mode) {
        DataSystem system = DataSystem.builder(mode.source(server))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        system.start();
        return system;
    }

    private static String json(long version) {
        return "{\"key\":\"x\",\"version\":" + version + "}";
    }

    private void awaitMark(DataSystem system) {
        server.sendEvent("patch", "{\"path\":\"/flags/mark\",\"data\":{\"version\":1}}");
        Sockets.runUntil(scheduler, () -> system.get(ItemKind.FLAG, "mark").isPresent());
    }

    /** 7 to 18: held is version 100. */
    @ParameterizedTest
    @CsvSource({
        "FLAG, patch, 101, 101",
        "FLAG, patch, 100, 100",
        "FLAG, patch, 99, 100",
        "FLAG, delete, 101, -1",
        "FLAG, delete, 100, 100",
        "FLAG, delete, 99, 100",
        "SEGMENT, patch, 101, 101",
        "SEGMENT, patch, 100, 100",
        "SEGMENT, patch, 99, 100",
        "SEGMENT, delete, 101, -1",
        "SEGMENT, delete, 100, 100",
        "SEGMENT, delete, 99, 100"
    })
    void onlyAGreaterVersionCounts(ItemKind kind, String change, long version, long expected) {
        String name = kind == ItemKind.FLAG ? "flags" : "segments";
        server.stream().event("put", "{\"data\":{\"" + name + "\":{\"x\":" + json(100) + "}}}");
        DataSystem system = start(Mode.STREAMING);
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        String path = "{\"path\":\"/" + name + "/x\",";
        server.sendEvent(
                change, path + (change.equals("patch") ? "\"data\":" + json(version) : "\"version\":" + version) + "}");
        awaitMark(system);
        assertEquals(expected, system.get(kind, "x").map(item -> item.version()).orElse(-1L));
        assertEquals(1, server.requests().size());
        system.close();
    }

    /** 19 to 22: nothing of the key is held. */
    @ParameterizedTest
    @EnumSource
    void unknownKeyIsPatchedAndADeletionOfItIsRemembered(ItemKind kind) {
        String name = kind == ItemKind.FLAG ? "flags" : "segments";
        DataSystem system = start(Mode.STREAMING);
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        server.sendEvent("patch", "{\"path\":\"/" + name + "/x\",\"data\":" + json(100) + "}");
        server.sendEvent("delete", "{\"path\":\"/" + name + "/y\",\"version\":100}");
        server.sendEvent("patch", "{\"path\":\"/" + name + "/y\",\"data\":" + json(100) + "}");
        awaitMark(system);
        assertEquals(100, system.get(kind, "x").orElseThrow().version());
        assertTrue(system.get(kind, "y").isEmpty());
        system.close();
    }

    /** 23 to 28: with a first wait of a millisecond, twice a fault and then data; no request too many. */
    @ParameterizedTest
    @ValueSource(strings = {"drop", "400", "408", "429", "500", "503"})
    void passingFaultsAreTriedAgainBeforeAndAfterTheFirstData(String fault) {
        Consumer<Script> twice = script -> {
            if (fault.equals("drop")) {
                script.drop().times(2);
            } else {
                script.respond(Integer.parseInt(fault)).times(2);
            }
        };
        server.set(TestFlags.flag("a").build());
        server.stream().atOnce(twice);
        DataSystem system = DataSystem.builder(StreamingDataSource.builder(server.uri(), "sdk-key")
                        .initialRetryDelay(Duration.ofMillis(1))
                        .build())
                .build();
        system.start();
        Sockets.await().until(() -> system.status().state() == State.VALID);
        assertEquals(3, server.requests().size());
        server.stream().atOnce(script -> {
            script.drop().times(2); // no kept connection is left to be tried again on
            if (!fault.equals("drop")) {
                script.clear();
                twice.accept(script);
            }
        });
        server.set(TestFlags.flag("a").version(2).build());
        server.dropStreams();
        Sockets.await()
                .until(() -> server.requests().size() == 6
                        && system.status().state() == State.VALID
                        && system.get(ItemKind.FLAG, "a").orElseThrow().version() == 2);
        system.close();
    }

    /** 31 to 34. */
    @ParameterizedTest
    @ValueSource(ints = {401, 403, 405})
    void unexpectedStatusIsTriedAgainInMinutesForEver(int status) {
        server.stream().respond(status).times(20);
        server.set(TestFlags.flag("a").build());
        DataSystem system = start(Mode.STREAMING);
        for (int attempt = 1; attempt <= 20; attempt++) {
            Sockets.runUntilWaiting(scheduler);
            assertEquals(attempt, server.requests().size());
            Duration wait = scheduler.advanceToNext();
            assertTrue(wait.compareTo(Duration.ofMinutes(5)) >= 0, wait::toString);
        }
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        system.close();
    }

    /** 35: a stream that stays open for 75 s and says nothing after its data. */
    @Test
    void healthyStreamReturnsToShortWaits() {
        server.stream().respond(401);
        DataSystem system = start(Mode.STREAMING);
        Sockets.runUntilWaiting(scheduler);
        scheduler.advance(Duration.ofMinutes(5));
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        scheduler.advance(Duration.ofSeconds(75));
        server.dropStreams();
        Sockets.runUntil(scheduler, () -> system.status().state() == State.INTERRUPTED);
        assertEquals(Duration.ofSeconds(1), scheduler.advanceToNext());
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        system.close();
    }

    /** 3 to 5: of a server whose certificate nobody vouches for nothing is asked. */
    @ParameterizedTest
    @EnumSource
    void certificateThatIsNotTrustedMeansNoRequest(Mode mode) {
        try (FakeFlagServer secure = FakeFlagServer.builder().tls().start()) {
            DataSystem system =
                    DataSystem.builder(mode.source(secure)).scheduler(scheduler).build();
            system.start();
            Sockets.runUntil(scheduler, () -> system.status().lastError() != null);
            assertEquals(Failure.Kind.NETWORK, system.status().lastError().kind());
            assertTrue(
                    system.status().lastError().message().startsWith("SSL"),
                    system.status().toString());
            assertEquals(0, secure.requests().size());
            system.close();
        }
    }

    /** 46: a thousand flags of version 0, and one with an empty key; compressed. */
    @Test
    void largePollOfVersionZeroAndAnEmptyKey() throws Exception {
        StringBuilder flags = new StringBuilder("{\"flags\":{\"\":{\"version\":0,\"on\":true}");
        for (int i = 0; i < 1000; i++) {
            flags.append(",\"flag-key-")
                    .append(i)
                    .append("\":{\"version\":0,\"on\":")
                    .append(i == 999)
                    .append("}");
        }
        server.poll()
                .body("application/json", flags.append("},\"segments\":{}}").toString())
                .gzip();
        DataSystem system = start(Mode.POLLING);
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        assertEquals(1001, system.snapshot().all(ItemKind.FLAG).size());
        assertTrue(system.get(ItemKind.FLAG, "").isPresent());
        assertTrue(
                system.get(ItemKind.FLAG, "flag-key-999").orElseThrow().json().contains("true"));
        assertTrue(
                server.awaitRequest(SOON).header("Accept-Encoding").orElse("").contains("gzip")); // 42
        system.close();
    }

    /** 48 and 49. */
    @ParameterizedTest
    @ValueSource(ints = {401, 403, 405})
    void pollsReturnToTheirIntervalAfterTwoSuccesses(int status) {
        server.poll().respond(status);
        server.set(TestFlags.flag("a").build());
        DataSystem system = start(Mode.POLLING);
        Sockets.runUntilWaiting(scheduler);
        assertEquals(Duration.ofMinutes(5), scheduler.advanceToNext());
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        for (int poll = 3; poll <= 4; poll++) {
            Sockets.runUntilWaiting(scheduler);
            assertEquals(Duration.ofSeconds(30), scheduler.advanceToNext());
            int polls = poll;
            Sockets.runUntil(scheduler, () -> server.requests().size() == polls);
        }
        system.close();
    }
}
