package io.flagfeed.sidebyside;

import java.util.ArrayList;
import java.util.List;

/** Bursts of patches, after a first one that warms up. */
final class Patches implements Measurement {
    private static final int BURSTS = 3;

    @Override
    public void measure(Bench bench, Figures figures) throws InterruptedException {
        Client client = bench.ready(Feed.STREAM);
        bench.burst(client);
        List<Double> rates = new ArrayList<>();
        System.gc();
        Meter meter = Meter.begin();
        for (int i = 0; i < BURSTS; i++) {
            rates.add(bench.burst(client));
        }
        Meter.Use all = meter.end();
        int patches = BURSTS * bench.burstSize();
        figures.put("patches a second", Figures.median(rates));
        figures.put("µs of CPU for one", all.cpuMillis() * 1e3 / patches);
        figures.put("KB allocated for one", all.bytes() / 1e3 / patches);
        client.close();
    }
}
