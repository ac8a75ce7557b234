package io.flagfeed.sidebyside;

import java.util.Arrays;

/** How late a reader is that looks all the time. {@link System#nanoTime} is one clock for all JVMs of a machine. */
final class Latency implements Measurement {
    private static final int PER_SECOND = 200;
    private static final int PATCHES = 10 * PER_SECOND;

    @Override
    public void measure(Bench bench, Figures figures) throws InterruptedException {
        Client client = bench.ready(Feed.STREAM);
        bench.burst(client);
        long[] nanos = new long[PATCHES];
        long before = bench.control.ask("pace " + PATCHES + " " + PER_SECOND)[0];
        for (int i = 0; i < PATCHES; i++) {
            long version = before + 1 + i;
            String key = bench.keyOf(version);
            while (client.version(key) < version) {
                Thread.onSpinWait();
            }
            nanos[i] = System.nanoTime();
        }
        long[] sent = bench.control.ask("sent");
        for (int i = 0; i < PATCHES; i++) {
            nanos[i] -= sent[i];
        }
        Arrays.sort(nanos);
        figures.put("p50, µs", nanos[PATCHES / 2] / 1e3);
        figures.put("p99, µs", nanos[PATCHES * 99 / 100] / 1e3);
        figures.put("max, µs", nanos[PATCHES - 1] / 1e3);
        client.close();
    }
}
