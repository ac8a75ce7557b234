package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import com.google.gson.JsonObject;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The options of watch, each seen to do what it says. */
@Execution(ExecutionMode.CONCURRENT)
final class WatchIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String KEY = "sdk-very-secret-4711";

    @Test
    void keyAndHeadersAreSentAndTheLogAndTheSnapshotAreShown() throws Exception {
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.require(KEY);
            server.set(Item.of(ItemKind.FLAG, "b", 2, "{\"version\":2,\"n\":1.0,\"unknown\":[null]}"));
            server.set(TestFlags.flag("a").build());
            try (FlagfeedProcess watch = FlagfeedProcess.start(
                    "watch",
                    "--stream=" + server.uri(),
                    "--sdk-key=" + KEY,
                    "--header=X-Team:flags",
                    "--header=X-More: a:b ",
                    "--verbose",
                    "--snapshot",
                    "--json")) {
                watch.awaitState("VALID");
                FakeFlagServer.Request request = server.awaitRequest(PATIENCE);
                assertEquals(Optional.of(KEY), request.header("Authorization"));
                assertEquals(Optional.of("flags"), request.header("X-Team"));
                assertEquals(Optional.of("a:b"), request.header("X-More"));

                server.set(TestFlags.flag("c").version(3).build());
                watch.awaitChange("c", 3);
                server.delete("a");
                watch.awaitJson(line -> line.toString().contains("\"deleted\""));
                watch.terminate();
                assertEquals(0, watch.awaitExit(), watch.toString());
                List<String> lines = watch.out();
                String snapshot = lines.get(lines.size() - 2);
                assertEquals(
                        "{\"type\":\"snapshot\",\"flags\":{\"b\":{\"version\":2,\"n\":1.0,\"unknown\":[null]},\"c\":"
                                + TestFlags.flag("c").version(3).build().json() + "},\"segments\":{}}",
                        snapshot);
                assertTrue(lines.get(lines.size() - 1).startsWith("{\"type\":\"summary\","), watch.toString());
                assertTrue(watch.err().stream().anyMatch(line -> line.contains("Ready after ")), watch.toString());
                assertFalse(watch.toString().replace("--sdk-key=" + KEY, "").contains(KEY), watch.toString());
            }
        }
    }

    @Test
    void keyFromTheEnvironmentIsSent() throws Exception {
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.require(KEY);
            server.set(TestFlags.flag("a").build());
            try (FlagfeedProcess watch = FlagfeedProcess.start(
                    Map.of("FLAGFEED_SDK_KEY", KEY), "watch", "--poll=" + server.uri(), "--json")) {
                watch.awaitState("VALID");
                watch.terminate();
                assertEquals(0, watch.awaitExit(), watch.toString());
                assertEquals(List.of(), watch.err(), "no log without --verbose");
                assertFalse(watch.toString().contains(KEY), watch.toString());
            }
        }
    }

    @Test
    void serviceThatRefusesTheKeyForEverEndsIn1AndTheKeyIsNotLogged() throws Exception {
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.require("another");
            try (FlagfeedProcess watch = FlagfeedProcess.start(
                    Map.of("FLAGFEED_SDK_KEY", KEY),
                    "watch",
                    "--stream=" + server.uri(),
                    "--for=6s",
                    "--verbose",
                    "--json")) {
                assertEquals(1, watch.awaitExit(), watch.toString());
                JsonObject error = watch.jsonOut().get(1).getAsJsonObject("error");
                assertEquals(401, error.get("httpStatus").getAsInt());
                assertTrue(watch.err().stream().anyMatch(line -> line.contains("401")), watch.toString());
                assertFalse(watch.toString().contains(KEY), watch.toString());
            }
        }
    }

    @Test
    void nobodyThereEndsIn1OnTimeAndTheFirstWaitIsAsTold() throws Exception {
        try (FlagfeedProcess watch = FlagfeedProcess.start(
                "watch",
                "--stream=http://127.0.0.1:" + closedPort(),
                "--initial-retry-delay=10m",
                "--for=6s",
                "--json")) {
            assertEquals(1, watch.awaitExit(), watch.toString());
            List<JsonObject> lines = watch.jsonOut();
            assertEquals(
                    "NETWORK", lines.get(1).getAsJsonObject("error").get("kind").getAsString());
            long wait = lines.get(1).get("nextAttemptMillis").getAsLong();
            assertTrue(wait > 60_000 && wait <= 600_000, watch.toString());
            JsonObject summary = lines.get(lines.size() - 1);
            assertFalse(summary.get("ready").getAsBoolean());
            long watched = summary.get("watchedMillis").getAsLong();
            assertTrue(watched >= 6_000 && watched < 20_000, watch.toString());
        }
    }

    @Test
    void streamThatGoesSilentIsTriedAgainAfterTheReadTimeout() throws Exception {
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.set(TestFlags.flag("a").build());
            server.stream().stall();
            try (FlagfeedProcess watch = FlagfeedProcess.start(
                    "watch",
                    "--stream=" + server.uri(),
                    "--read-timeout=400ms",
                    "--initial-retry-delay=20ms",
                    "--json")) {
                watch.awaitState("VALID");
                JsonObject failed = watch.jsonOut().get(1);
                assertTrue(failed.toString().contains("\"kind\":\"NETWORK\""), watch.toString());
                assertTrue(failed.get("nextAttemptMillis").getAsLong() <= 20, watch.toString());
            }
        }
    }

    @Test
    void hostThatDoesNotAnswerIsGivenUpAfterTheConnectTimeout() throws Exception {
        List<Socket> queue = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1)) {
            fill(full, queue);
            try (FlagfeedProcess watch = FlagfeedProcess.start(
                    "watch", "--stream=http://127.0.0.1:" + full.getLocalPort(), "--connect-timeout=300ms", "--json")) {
                JsonObject failed = watch.awaitJson(
                        line -> line.has("error") && !line.get("error").isJsonNull());
                assertTrue(failed.toString().contains("SocketTimeoutException"), watch.toString());
                Duration waited = Duration.between(
                        Instant.parse(failed.get("since").getAsString()),
                        Instant.parse(failed.get("time").getAsString()));
                assertTrue(waited.toMillis() >= 300 && waited.toMillis() < 4_500, "waited " + waited);
            }
        } finally {
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    /** Connects until nobody takes connections any more. */
    private static void fill(ServerSocket server, List<Socket> queue) throws IOException {
        for (int i = 0; i < 100; i++) {
            Socket socket = new Socket();
            queue.add(socket);
            try {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()), 200);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
        abort("this system takes connections for ever");
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
