package io.flagfeed.sidebyside;

import java.time.Duration;

/** How a client gets its data. */
enum Feed {
    STREAM(Duration.ofSeconds(30)),
    /** Polls at an interval that no measurement lasts for. */
    POLL(Duration.ofMinutes(10)),
    POLL_OFTEN(Duration.ofMillis(5));

    /** The wait before a stream's first retry, of each client. */
    static final Duration RETRY = Duration.ofMillis(1);

    final Duration interval;

    Feed(Duration interval) {
        this.interval = interval;
    }
}
