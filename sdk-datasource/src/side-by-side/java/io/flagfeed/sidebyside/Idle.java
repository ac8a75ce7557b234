package io.flagfeed.sidebyside;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** What many clients hold on to once they are ready: platform threads, and heap. */
final class Idle implements Measurement {
    /** How many flags each has, whatever the other scenarios have. */
    static final int FLAGS = 100;

    private static final int CLIENTS = 100;

    @Override
    public void measure(Bench bench, Figures figures) throws InterruptedException {
        long heapBefore = Allocation.heapAfterCollection();
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(bench.ready(Feed.STREAM));
        }
        Thread.sleep(2000); // until threads that only a start needs have ended
        figures.put("platform threads", ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore);
        figures.put("MB of heap", (Allocation.heapAfterCollection() - heapBefore) / 1e6);
        clients.forEach(Client::close);
    }
}
