package io.flagfeed.sdk;

/** A listener's registration. */
@FunctionalInterface
public interface Subscription {
    /**
     * Ends it. May be called from any thread, from the listener itself too, and any number of times; returns at once.
     * No call of the listener begins after it has returned on the listener's own thread.
     */
    void unsubscribe();
}
