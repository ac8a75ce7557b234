package io.flagfeed.sidebyside;

/** Only gets the first data set, or fails to: {@link Arena#leastHeap} wants to know. */
final class Load implements Measurement {
    @Override
    public void measure(Bench bench, Figures figures) throws InterruptedException {
        bench.ready(Feed.STREAM);
    }
}
