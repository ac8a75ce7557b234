package io.flagfeed.sidebyside;

import java.util.ArrayList;
import java.util.List;

/**
 * Streams that the service closes, each of a client of its own: the wait after it is the first one, 1 ms for each
 * contestant, and not one that earlier cuts have made longer.
 */
final class Cut implements Measurement {
    private static final int CUTS = 7;

    @Override
    public void measure(Bench bench, Figures figures) throws InterruptedException {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < CUTS; i++) {
            Client client = bench.ready(Feed.STREAM);
            Thread.sleep(200);
            long[] whenAndVersion = bench.control.ask("cut");
            bench.awaitVersion(client, whenAndVersion[1], 50_000);
            millis.add((System.nanoTime() - whenAndVersion[0]) / 1e6);
            client.close();
        }
        figures.put("first in a JVM, ms", millis.get(0));
        figures.put("later ones, ms", Figures.median(millis.subList(1, CUTS)));
    }
}
