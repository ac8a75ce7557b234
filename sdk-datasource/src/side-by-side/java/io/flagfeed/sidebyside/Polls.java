package io.flagfeed.sidebyside;

/**
 * A poll each 5 ms that finds nothing new: first with entity tags, so that 304 is answered to a client that sends its
 * tag back, then without, so that the same data come again. The service counts, and the client's JVM only waits.
 */
final class Polls implements Measurement {
    @Override
    public void measure(Bench bench, Figures figures) throws InterruptedException {
        Client client = bench.ready(Feed.POLL_OFTEN);
        measure(bench, figures, "with tags");
        bench.control.ask("tag 0");
        measure(bench, figures, "without");
        bench.control.ask("tag 1");
        client.close();
    }

    private static void measure(Bench bench, Figures figures, String service) throws InterruptedException {
        bench.control.ask("polls-after 1500"); // warms up
        System.gc();
        long[] before = bench.control.ask("polls-after 0");
        Meter meter = Meter.begin();
        long[] after = bench.control.ask("polls-after 2500");
        Meter.Use all = meter.end();
        long polls = after[0] - before[0];
        figures.put(service + ", % answered with 304", (after[1] - before[1]) * 100.0 / polls);
        figures.put(service + ", ms of CPU for one", all.cpuMillis() / polls);
        figures.put(service + ", KB allocated for one", all.bytes() / 1e3 / polls);
    }
}
