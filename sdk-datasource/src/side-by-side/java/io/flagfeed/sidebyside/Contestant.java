package io.flagfeed.sidebyside;

import io.flagfeed.sdk.Scheduler;
import java.net.URI;

/** Who is measured, and how one of it is started. */
enum Contestant {
    FLAGFEED("Flagfeed"),
    /** All of a JVM on one scheduler. */
    FLAGFEED_SHARING("Flagfeed, one scheduler"),
    LAUNCHDARKLY("LaunchDarkly"),
    FLOOR("floor");

    /** Made by who needs it first. */
    private static final class Shared {
        static final Scheduler SCHEDULER = Scheduler.system("shared");
    }

    /** What the tables call it. */
    final String title;

    Contestant(String title) {
        this.title = title;
    }

    /** Starts one without waiting for it. The newest version in the service is for who can only count. */
    Client start(URI service, Feed feed, long newest) {
        if (this == LAUNCHDARKLY) {
            return new LaunchDarklyClient(service, feed);
        } else if (this == FLOOR) {
            return new FloorClient(service, feed, newest);
        } else if (this == FLAGFEED) {
            return new FlagfeedClient(service, feed, null);
        }
        return new FlagfeedClient(service, feed, Shared.SCHEDULER);
    }
}
