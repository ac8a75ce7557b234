package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.Answer;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Script;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Odd data, from the bytes on a socket to what is held and what listeners hear. */
@Timeout(60)
final class DataIT {
    private static final Duration SOON = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int NESTING = 200_000;

    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final List<String> told = new CopyOnWriteArrayList<>(); // "FULL key before>after" of each change
    private int marks;

    @AfterEach
    void close() {
        server.close();
    }

    private DataSystem start(Mode mode) {
        DataSystem system = DataSystem.builder(mode.source(server))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        system.onChange(this::note);
        system.start();
        Sockets.runUntil(scheduler, () -> system.status().state() != State.INITIALIZING);
        return system;
    }

    private void awaitEndOfAttempt(Mode mode, DataSystem system) {
        Sockets.runUntil(
                scheduler,
                () -> mode == Mode.STREAMING ? system.status().nextAttempt() != null : Sockets.isWaiting(scheduler));
    }

    private void note(ChangeEvent event) {
        for (ChangeEvent.Change change : event.changes()) {
            told.add(
                    event.type() + " " + change.key() + " " + version(change.before()) + ">" + version(change.after()));
        }
    }

    private static String version(Item item) {
        return item == null ? "none" : "" + item.version();
    }

    private List<String> takeTold() {
        List<String> all = List.copyOf(told);
        told.clear();
        return all;
    }

    private static Answer whole(Mode mode, Script script, String flags) {
        return mode == Mode.STREAMING
                ? script.event("put", mode.data(flags))
                : script.body("application/json", mode.data(flags));
    }

    private static String put(String flags) {
        return Mode.STREAMING.data(flags);
    }

    private static String patch(String key, long version) {
        return "{\"path\":\"/flags/" + key + "\",\"data\":{\"version\":" + version + "}}";
    }

    private static String delete(String key, long version) {
        return "{\"path\":\"/flags/" + key + "\",\"version\":" + version + "}";
    }

    /** Sends an event, and waits for one that follows it on the same stream. What that one changes is not told of. */
    private void send(DataSystem system, String event, String data) {
        server.sendEvent(event, data);
        marks++;
        server.sendEvent("patch", patch("mark", marks));
        Sockets.runUntil(
                scheduler,
                () -> system.get(ItemKind.FLAG, "mark")
                        .filter(mark -> mark.version() == marks)
                        .isPresent());
        told.removeIf(change -> change.contains(" mark "));
    }

    @Test
    void deletedFlagIsToldOnceAndAnUnknownOneIsNoError() { // DATA-09
        server.stream().event("put", put("\"a\":{\"version\":1},\"b\":{\"version\":1}"));
        DataSystem system = start(Mode.STREAMING);
        assertEquals(List.of("FULL a none>1", "FULL b none>1"), takeTold());

        send(system, "delete", delete("a", 5));
        assertEquals(List.of("PARTIAL a 1>none"), takeTold());
        assertTrue(system.get(ItemKind.FLAG, "a").isEmpty());
        assertEquals(Set.of("b", "mark"), system.snapshot().all(ItemKind.FLAG).keySet());

        send(system, "delete", delete("z", 3));
        assertEquals(List.of(), takeTold());
        assertTrue(system.get(ItemKind.FLAG, "z").isEmpty());
        assertEquals(Set.of("b", "mark"), system.snapshot().all(ItemKind.FLAG).keySet());

        send(system, "put", put("\"b\":{\"version\":1}"));
        assertEquals(List.of(), takeTold());
        send(system, "put", put("\"a\":{\"version\":9,\"deleted\":true},\"b\":{\"version\":1}"));
        assertEquals(List.of(), takeTold());

        Map<String, Item> all = system.snapshot().all(ItemKind.FLAG);
        assertEquals(Set.of("b", "mark"), all.keySet());
        assertFalse(all.containsValue(null));
        assertEquals(2, all.size());
        assertEquals(State.VALID, system.status().state());
        assertNull(system.status().lastError());
        assertEquals(1, server.requests().size());
        system.close();
    }

    /** The other way for a flag to go: it is missing in a full set. */
    @ParameterizedTest
    @EnumSource
    void flagThatIsMissingInTheWholeIsToldOnce(Mode mode) { // DATA-09
        mode.script(server).atOnce(script -> {
            Answer first = whole(mode, script, "\"a\":{\"version\":1},\"b\":{\"version\":1}");
            Answer second = whole(mode, script, "\"b\":{\"version\":1}");
            Answer third = whole(mode, script, "\"b\":{\"version\":1}");
            if (mode == Mode.STREAMING) {
                List.of(first, second, third).forEach(Answer::end);
            }
        });
        DataSystem system = start(mode);
        assertEquals(List.of("FULL a none>1", "FULL b none>1"), takeTold());
        for (List<String> change : List.of(List.of("FULL a 1>none"), List.<String>of())) {
            awaitEndOfAttempt(mode, system);
            scheduler.advanceToNext();
            awaitEndOfAttempt(mode, system);
            assertEquals(change, takeTold());
            assertEquals(Set.of("b"), system.snapshot().all(ItemKind.FLAG).keySet());
        }
        system.close();
    }

    /** One that is null is not there; null within a flag is the flag's affair. */
    @ParameterizedTest
    @EnumSource
    void nullWhereNobodyExpectsItCostsNoOtherFlag(Mode mode) { // DATA-04
        Map<String, String> flags = Map.of(
                "good", "{\"key\":\"good\",\"version\":1}",
                "array", "{\"key\":\"array\",\"version\":1,\"variations\":[null,true]}",
                "clause", "{\"version\":1,\"rules\":[null,{\"clauses\":[null,{\"op\":null,\"values\":[null]}]}]}",
                "key", "{\"key\":null,\"version\":1}",
                "variations", "{\"version\":1,\"variations\":null,\"rules\":null,\"prerequisites\":null}",
                "prerequisite", "{\"version\":1,\"prerequisites\":[null,{\"key\":null}]}",
                "version", "{\"version\":null,\"deleted\":null}");
        String members = flags.entrySet().stream()
                .map(flag -> "\"" + flag.getKey() + "\":" + flag.getValue())
                .collect(Collectors.joining(",", "\"none\":null,", ",\"nothing\":null"));
        String data = mode.data(members).replace("\"segments\":{}", "\"segments\":null");
        if (mode == Mode.STREAMING) {
            server.stream().event("put", data);
        } else {
            server.poll()
                    .atOnce(script -> script.body("application/json", data)
                            .etag("\"nulls\"")
                            .then()
                            .respond(304));
        }
        DataSystem system = start(mode);
        Map<String, Item> held = system.snapshot().all(ItemKind.FLAG);
        assertEquals(flags, held.values().stream().collect(Collectors.toMap(Item::key, Item::json)));
        assertEquals(
                flags.keySet(),
                takeTold().stream().map(change -> change.split(" ", 3)[1]).collect(Collectors.toSet()));
        assertEquals(Set.of(), system.snapshot().all(ItemKind.SEGMENT).keySet());

        scheduler.advance(
                Duration.ofMinutes(1).minus(mode.base)); // no second attempt because of what the first brought
        if (mode == Mode.POLLING) {
            Sockets.runUntilWaiting(scheduler);
            assertEquals(
                    "\"nulls\"",
                    server.requests().get(1).header("If-None-Match").orElse("none"));
        } else {
            send(system, "patch", patch("good", 2));
            assertEquals(List.of("PARTIAL good 1>2"), takeTold());
        }
        assertEquals(mode == Mode.POLLING ? 2 : 1, server.requests().size());
        assertEquals(State.VALID, system.status().state());
        assertNull(system.status().lastError());
        system.close();
    }

    /** A patch that gives null is no delete, and nobody knows what it is: everything is asked for again. */
    @Test
    void patchOfNothingAsksForEverythingAgain() { // DATA-04
        server.stream().atOnce(script -> {
            script.event("put", put("\"a\":{\"version\":1}"));
            script.event("put", put("\"a\":{\"version\":2}"));
        });
        DataSystem system = start(Mode.STREAMING);
        server.sendEvent("patch", "{\"path\":\"/flags/a\",\"data\":null}");
        Sockets.runUntil(scheduler, () -> system.status().state() == State.INTERRUPTED);
        DataSourceStatus status = system.status();
        assertEquals(Failure.Kind.INVALID_DATA, status.lastError().kind());
        assertEquals(1, system.get(ItemKind.FLAG, "a").orElseThrow().version());
        scheduler.advanceToNext();
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        assertEquals(2, system.get(ItemKind.FLAG, "a").orElseThrow().version());
        assertEquals(2, server.requests().size());
        system.close();
    }

    /** Beyond all reason it ends the attempt; within reason it is data like any other. On the threads of real life. */
    @ParameterizedTest
    @EnumSource
    void deepNestingEndsAnAttemptAndNotTheUpdates(Mode mode) throws Exception { // DATA-01
        String arrays = "\"a\":{\"version\":1,\"variations\":" + nested("[", "]", NESTING) + "}";
        String objects = "\"a\":{\"version\":1,\"variations\":[" + nested("{\"x\":", "}", NESTING) + "]}";
        String deep = "\"a\":{\"version\":1,\"variations\":[" + nested("{\"x\":[", "]}", 100) + "]}";
        mode.script(server).atOnce(script -> {
            whole(mode, script, arrays);
            whole(mode, script, objects);
            whole(mode, script, deep);
            if (mode == Mode.POLLING) {
                whole(mode, script, arrays);
            }
            whole(mode, script, "\"a\":{\"version\":2}").forever();
        });
        List<DataSourceStatus> statuses = new CopyOnWriteArrayList<>();
        List<ChangeEvent> changes = new CopyOnWriteArrayList<>();
        try (DataSystem system = DataSystem.builder(mode.source(server.uri(), SOON, HttpSettings.DEFAULT))
                .build()) {
            system.onStatus(statuses::add);
            system.onChange(changes::add);
            system.start();
            assertTrue(system.awaitReady(LONGEST));
            if (mode == Mode.STREAMING) {
                server.sendEvent(
                        "patch",
                        "{\"path\":\"/flags/b\",\"data\":{\"version\":1,\"x\":" + nested("[", "]", NESTING) + "}}");
            }
            await(() -> system.get(ItemKind.FLAG, "a").orElseThrow().version() == 2);
            await(() -> changes.size() == 2 && statuses.size() >= 5);
            assertEquals(
                    List.of(State.INITIALIZING, State.INITIALIZING, State.VALID, State.INTERRUPTED, State.VALID),
                    statuses.stream().map(DataSourceStatus::state).toList());
            for (int failure : List.of(0, 1, 3)) {
                assertEquals(
                        Failure.Kind.INVALID_DATA,
                        statuses.get(failure).lastError().kind());
                assertTrue(statuses.get(failure).lastError().message().length() < 500);
            }
            Item accepted = changes.get(0).changes().get(0).after();
            assertEquals("{" + deep.substring(deep.indexOf("\"version\"")), accepted.json()); // printed
            assertEquals(Item.of(ItemKind.FLAG, "a", 1, accepted.json()), accepted); // and compared
            assertEquals(accepted, changes.get(1).changes().get(0).before());
            assertTrue(changes.get(0).toString().contains("a"));
        }
        Sockets.awaitNoThreads();
    }

    private static String nested(String open, String close, int depth) {
        return open.repeat(depth) + "1" + close.repeat(depth);
    }

    private static void await(BooleanSupplier condition) {
        Sockets.await().until(condition::getAsBoolean);
    }

    @Test
    void lateOlderPatchDoesNotBringADeletedFlagBack() { // STORE-01
        server.stream().event("put", put("\"a\":{\"version\":5}"));
        DataSystem system = start(Mode.STREAMING);
        assertEquals(List.of("FULL a none>5"), takeTold());
        List<String> steps = new ArrayList<>();
        for (String[] step : new String[][] {
            {"delete", delete("a", 7)},
            {"patch", patch("a", 6)},
            {"patch", patch("a", 8)},
            {"delete", delete("z", 9)}, // unknown
            {"patch", patch("z", 8)},
            {"put", put("\"a\":{\"version\":8}")}, // clears what was left of z
            {"patch", patch("z", 8)},
        }) {
            send(system, step[0], step[1]);
            steps.add("a " + version(system.get(ItemKind.FLAG, "a").orElse(null)) + ", z "
                    + version(system.get(ItemKind.FLAG, "z").orElse(null)) + ": " + takeTold());
        }
        assertEquals(
                List.of(
                        "a none, z none: [PARTIAL a 5>none]",
                        "a none, z none: []",
                        "a 8, z none: [PARTIAL a none>8]",
                        "a 8, z none: []",
                        "a 8, z none: []",
                        "a 8, z none: []",
                        "a 8, z 8: [PARTIAL z none>8]"),
                steps);
        assertEquals(1, server.requests().size());
        system.close();
    }
}
