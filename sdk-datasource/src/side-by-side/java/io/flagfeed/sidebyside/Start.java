package io.flagfeed.sidebyside;

import java.util.ArrayList;
import java.util.List;

/** From nothing to ready, cold and warm. */
final class Start implements Measurement {
    private final Feed feed;

    Start(Feed feed) {
        this.feed = feed;
    }

    @Override
    public void measure(Bench bench, Figures figures) throws InterruptedException {
        long heapBefore = Allocation.heapAfterCollection();
        Meter meter = Meter.begin();
        Client first = bench.start(feed);
        first.awaitReady();
        Meter.Use cold = meter.end();
        bench.check(first);
        long heapAfter = Allocation.heapAfterCollection();
        first.close();

        List<Double> millis = new ArrayList<>();
        List<Double> bytes = new ArrayList<>();
        double cpuMillis = 0;
        int times = Math.min(10, Math.max(3, 50_000 / bench.flags));
        for (int i = 0; i < times; i++) {
            System.gc();
            meter = Meter.begin();
            Client client = bench.start(feed);
            client.awaitReady();
            Meter.Use warm = meter.end();
            client.close();
            millis.add(warm.millis());
            bytes.add(warm.bytes());
            cpuMillis += warm.cpuMillis();
        }
        figures.put("cold, ms", cold.millis());
        figures.put("cold, ms of CPU", cold.cpuMillis());
        figures.put("cold, MB allocated", cold.bytes() / 1e6);
        figures.put("MB of heap that stay", (heapAfter - heapBefore) / 1e6);
        figures.put("warm, ms", Figures.median(millis));
        figures.put("warm, ms of CPU (mean)", cpuMillis / times);
        figures.put("warm, MB allocated", Figures.median(bytes) / 1e6);
    }
}
