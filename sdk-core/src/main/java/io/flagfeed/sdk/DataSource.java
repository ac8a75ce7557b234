package io.flagfeed.sdk;

/**
 * A recipe for keeping a sink up to date. Immutable; can be started any number of times, each start being a run of
 * its own.
 */
@FunctionalInterface
public interface DataSource {
    /**
     * Starts a run in the background and returns at once, also when the service cannot be reached. No failure ends a
     * run (R15): only cancelling does.
     *
     * @param sink where everything the run learns goes, in order
     * @param scheduler where the run gets its time from and does its work
     * @return stops the run: no request begins after {@code cancel} has returned, and of the sink no call but one that
     *     another thread was making, or about to make, at that moment
     */
    Cancellable start(UpdateSink sink, Scheduler scheduler);
}
