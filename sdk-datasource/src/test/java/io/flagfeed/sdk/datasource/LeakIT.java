package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;

/** Made, used and closed again and again, half of the time in vain. */
final class LeakIT { // LIFE-10
    private static final int CYCLES = Integer.getInteger("leak.cycles", 200);
    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final long NOISE_BYTES = 1_500_000; // a leak of one system each would be more
    private static final int FLAGS = 100;

    private final FakeFlagServer server = FakeFlagServer.start();
    private final Set<String> threads = new ConcurrentSkipListSet<>();

    @Test
    void twoHundredCyclesLeaveNoThreadNoSocketAndNoMemoryBehind() throws Exception {
        server.setAll(TestFlags.dataSet(FLAGS, 1));
        cycles(CYCLES / 2); // classes, caches, and OkHttp's own threads
        long before = usedBytes();
        cycles(CYCLES / 2);
        Sockets.awaitNoThreads();
        Sockets.await().until(() -> server.openConnections() == 0);
        Sockets.await().until(() -> usedBytes() - before < NOISE_BYTES);
        Set<String> known = Set.of("flagfeed", "flagfeed-listeners", "flagfeed-poll", "flagfeed-stream");
        assertTrue(threads.contains("flagfeed-listeners") && known.containsAll(threads), threads::toString);
        server.close();
    }

    private void cycles(int count) throws InterruptedException {
        for (int cycle = 0; cycle < count; cycle++) {
            Mode mode = cycle % 2 == 0 ? Mode.STREAMING : Mode.POLLING;
            boolean inVain = cycle / 2 % 2 == 0;
            if (inVain) {
                server.require("another-key");
            }
            try (DataSystem system = DataSystem.builder(mode.source(server)).build()) {
                system.onChange(event -> note());
                system.onStatus(status -> note());
                system.start();
                if (inVain) {
                    Sockets.await().until(() -> system.status().lastError() != null);
                } else {
                    assertTrue(system.awaitReady(LONGEST));
                    note();
                    assertEquals(FLAGS, system.snapshot().all(ItemKind.FLAG).size());
                }
            }
            server.require("sdk-key");
        }
    }

    /** The names of what is at work, which is daemons throughout. */
    private void note() {
        List<Thread> ours = new ArrayList<>(Thread.getAllStackTraces().keySet());
        ours.removeIf(thread ->
                !thread.getName().startsWith("flagfeed") || thread.getName().startsWith("flagfeed-fake-server"));
        for (Thread thread : ours) {
            threads.add(thread.isDaemon() ? thread.getName() : "not a daemon: " + thread.getName());
        }
    }

    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
