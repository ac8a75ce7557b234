package io.flagfeed.sdk;

import java.time.Duration;
import java.time.Instant;

/** A scheduler whose time stands still and which never runs anything: the calls of a model are all that happens. */
final class ByHand implements Scheduler {
    @Override
    public void execute(Runnable task) {
        throw new AssertionError("nobody hops here");
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        return () -> {};
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public Instant now() {
        return Instant.EPOCH;
    }
}
