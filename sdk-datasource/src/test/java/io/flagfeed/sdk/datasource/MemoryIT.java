package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large and many payloads, in a JVM with a small heap of its own. */
@Timeout(300)
final class MemoryIT {
    private static final int MB = 1_000_000;
    private static final long PATCHES = Long.getLong("flagfeed.patches", 1_000_000);
    private static final int RECONNECTS = Integer.getInteger("flagfeed.reconnects", 500);
    private static final int DELETES = 100_000;
    private static final long NOISE = 3L * MB; // of a heap that holds one flag

    private final FakeFlagServer server = FakeFlagServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private static String flag(long version, int bytes) {
        return "{\"key\":\"big\",\"version\":" + version + ",\"x\":\"" + "x".repeat(bytes) + "\"}";
    }

    private static String put(long version, int bytes) {
        return "event: put\ndata: {\"data\":{\"flags\":{\"big\":" + flag(version, bytes) + "}}}\n\n";
    }

    /**
     * In small writes, as a service that streams its serializer sends it. Were the line scanned anew for each of them,
     * 30 thousand times 15 MB on average would be looked at.
     */
    @Test
    void thirtyMegabytesInOneLineAreAppliedWithinASmallHeap() throws Exception { // SSE-10
        server.stream()
                .events(put(1, 15 * MB))
                .events(put(2, 15 * MB))
                .events(put(3, 30 * MB))
                .drip(1024, Duration.ZERO);
        try (Probe probe = new Probe("256m", Mode.STREAMING, server.uri().toString())) {
            long first = probe.await("big", 1).cpuMillis();
            long second = probe.await("big", 2).cpuMillis();
            long third = probe.await("big", 3).cpuMillis();
            server.sendEvent("patch", "{\"path\":\"/flags/big\",\"data\":" + flag(4, 5 * MB) + "}");
            probe.await("big", 4);
            server.heartbeat();
            assertEquals(
                    "status VALID",
                    probe.seen().replaceAll("(?m)^(holds|library).*", "").strip());
            assertTrue(
                    third - second < 20_000, // it takes one second; half a terabyte of scanning would take minutes
                    "milliseconds for 15, 15 and 30 MB: " + first + ", " + second + ", " + third + " in all");
        }
    }

    /** What is left of a deleted flag costs memory until the next full set, and keeps older patches out. */
    @Test
    void whatIsLeftOfAHundredThousandDeletesGoesWithTheNextPut() throws Exception { // STORE-01
        server.set(TestFlags.flag("a").version(1).build());
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
        try (Probe probe = new Probe("64m", Mode.STREAMING, server.uri().toString())) {
            long heap = probe.await("a", 1).heap();
            for (int round = 1; round <= 3; round++) {
                List<String> late = new ArrayList<>();
                for (int chunk = 0; chunk < DELETES / 1000; chunk++) {
                    StringBuilder deletes = new StringBuilder();
                    for (int i = 0; i < 1000; i++) {
                        String path = "{\"path\":\"/flags/" + Long.toHexString(random.nextLong());
                        deletes.append("event: delete\ndata: " + path + "\",\"version\":7}\n\n");
                        if (i == 0) {
                            late.add("event: patch\ndata: " + path + "\",\"data\":{\"version\":6}}\n\n");
                        }
                    }
                    server.sendRaw(deletes.toString());
                }
                server.sendRaw(String.join("", late));
                server.set(TestFlags.flag("a").version(2L * round).build());
                Probe.Held full = probe.await("a", 2L * round);
                assertEquals(1, full.flags(), "no late patch has brought one back");
                assertTrue(full.heap() > heap + NOISE, "so that there is something to see: " + full);
                server.setAll(
                        List.of(TestFlags.flag("a").version(2L * round + 1).build()));
                Probe.Held cleared = probe.await("a", 2L * round + 1);
                assertTrue(cleared.heap() < heap + NOISE, "grew from " + heap + " to " + cleared);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void payloadThatDoesNotFitTheHeapIsOneFailedAttempt(Mode mode) throws Exception {
        server.set(TestFlags.flag("big").build());
        if (mode == Mode.STREAMING) {
            server.stream().atOnce(script -> script.serve().end().then().oversized(60 * MB));
        } else {
            server.poll().atOnce(script -> script.serve().then().oversized(60 * MB));
        }
        try (Probe probe = new Probe("64m", mode, server.uri().toString())) {
            probe.awaitLine(line -> line.startsWith("status VALID"));
            probe.awaitLine(line -> line.equals("status INTERRUPTED java.lang.OutOfMemoryError"));
            probe.awaitLine(line -> line.startsWith("status VALID"));
            server.set(TestFlags.flag("big").version(2).build());
            probe.await("big", 2);
        }
    }

    @Test
    void aMillionPatchesAndManyReconnectsLeaveTheHeapAsItWas() throws Exception { // LIFE-04
        server.set(TestFlags.flag("a").build());
        try (Probe probe = new Probe("64m", Mode.STREAMING, server.uri().toString())) {
            probe.await("a", 1);
            long version = 1;
            long[] heap = new long[4];
            int looks = 0;
            for (long percent : List.of(10, 50, 100)) {
                long until = PATCHES * percent / 100;
                while (version < until) {
                    StringBuilder patches = new StringBuilder();
                    for (int i = 0; i < 1000; i++) {
                        patches.append("event: patch\ndata: {\"path\":\"/flags/a\",\"data\":{\"version\":")
                                .append(++version)
                                .append("}}\n\n");
                    }
                    server.sendRaw(patches.toString().getBytes(StandardCharsets.US_ASCII));
                }
                heap[looks++] = probe.await("a", version).heap();
            }
            for (int reconnect = 1; reconnect <= RECONNECTS; reconnect++) {
                server.dropStreams();
                server.awaitRequests(reconnect + 1, Duration.ofSeconds(30));
                server.awaitStreams(1, Duration.ofSeconds(30));
            }
            server.set(TestFlags.flag("a").version(version + 1).build());
            heap[looks] = probe.await("a", version + 1).heap();
            for (int later = 1; later < heap.length; later++) {
                assertTrue(heap[later] < heap[0] + NOISE, "grew from " + heap[0] + " to " + heap[later]);
            }
            assertFalse(probe.seen().contains("Error"), probe::seen);
        }
    }
}
