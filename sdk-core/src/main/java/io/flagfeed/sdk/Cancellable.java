package io.flagfeed.sdk;

/** Something under way that can be stopped. */
@FunctionalInterface
public interface Cancellable {
    /** Stops it. May be called from any thread and any number of times, returns at once, never throws. */
    void cancel();
}
