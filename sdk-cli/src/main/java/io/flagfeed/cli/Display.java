package io.flagfeed.cli;

import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.Snapshot;
import java.time.Instant;

/** Shows what a watch sees, line by line. */
interface Display {
    /** How things stand, at the given time. */
    void status(DataSourceStatus status, Instant now);

    /** What happened to one key. */
    void change(ChangeEvent.Change change, Instant now);

    /** What the fake service is made to do next. */
    void story(String line, Instant now);

    /** Everything that is held. */
    void snapshot(Snapshot snapshot);

    /** How it went. */
    void summary(Summary summary, Instant now);
}
