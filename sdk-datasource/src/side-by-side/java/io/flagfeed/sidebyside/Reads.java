package io.flagfeed.sidebyside;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Readers that do nothing but read, each flag in turn, while nothing changes and while a thousand patches a second come. */
final class Reads implements Measurement {
    private static final int BETWEEN_LOOKS_AT_THE_CLOCK = 256;
    private static final long WARM_UP = 500_000_000;
    private static final long MEASURED = 1_000_000_000;
    private static final int PER_SECOND = 1000;

    @Override
    public void measure(Bench bench, Figures figures) throws Exception {
        Client client = bench.ready(Feed.STREAM);
        String[] keys = new String[bench.flags];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = bench.keyOf(FlagData.FIRST_VERSION + i);
        }
        for (int threads = 1; threads <= 2; threads++) {
            String name = threads + (threads == 1 ? " thread" : " threads");
            Count idle = read(client, keys, threads);
            figures.put(name + ", million reads a second", idle.reads * 1e3 / MEASURED);
            if (threads == 1) {
                figures.put(name + ", bytes allocated for one", Math.round(10.0 * idle.bytes / idle.reads) / 10.0);
            }
            bench.control.ask("pace " + (WARM_UP + MEASURED) / 1_000_000 * PER_SECOND / 1000 + " " + PER_SECOND);
            Count busy = read(client, keys, threads);
            figures.put(name + ", the same during 1,000 patches a second", busy.reads * 1e3 / MEASURED);
            bench.control.ask("sent");
        }
        client.close();
    }

    private static Count read(Client client, String[] keys, int threads) throws Exception {
        ExecutorService readers = Executors.newFixedThreadPool(threads);
        List<Future<Count>> counts = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            counts.add(readers.submit(() -> read(client, keys)));
        }
        Count all = new Count(0, 0);
        for (Future<Count> count : counts) {
            all = new Count(all.reads + count.get().reads, all.bytes + count.get().bytes);
        }
        readers.shutdown();
        return all;
    }

    private static Count read(Client client, String[] keys) {
        long began = System.nanoTime();
        long reads = 0;
        long bytesBefore = 0;
        boolean warm = false;
        int next = 0;
        while (true) {
            long passed = System.nanoTime() - began;
            if (passed >= WARM_UP + MEASURED) {
                return new Count(reads, Allocation.ofThisThread() - bytesBefore);
            }
            if (!warm && passed >= WARM_UP) {
                warm = true;
                reads = 0;
                bytesBefore = Allocation.ofThisThread();
            }
            for (int i = 0; i < BETWEEN_LOOKS_AT_THE_CLOCK; i++) {
                if (client.version(keys[next]) < FlagData.FIRST_VERSION) {
                    throw new IllegalStateException("no longer there: " + keys[next]);
                }
                next = next + 1 == keys.length ? 0 : next + 1;
            }
            reads += BETWEEN_LOOKS_AT_THE_CLOCK;
        }
    }

    private record Count(long reads, long bytes) {}
}
