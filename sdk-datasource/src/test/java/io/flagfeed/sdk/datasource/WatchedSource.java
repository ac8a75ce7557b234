package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.UpdateSink;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A source between which and its sink somebody looks at every call: after a failure nothing counts but news of a new
 * attempt, and after the end nothing at all. The sink may stumble, too: fail again and again, before or after it has
 * applied what it was given.
 */
final class WatchedSource implements DataSource {
    private static final int STUMBLES_EVERY = 7;

    private final DataSource source;
    private final boolean streaming;
    private final boolean stumbles;
    private final Consumer<String> complaints;
    private volatile boolean ended;

    WatchedSource(DataSource source, boolean stumbles, Consumer<String> complaints) {
        this.source = source;
        this.streaming = source instanceof StreamingDataSource;
        this.stumbles = stumbles;
        this.complaints = complaints;
    }

    /** The run was cancelled, and cancelling has returned. */
    void ended() {
        ended = true;
    }

    @Override
    public Cancellable start(UpdateSink sink, Scheduler scheduler) {
        return source.start(new WatchedSink(sink), scheduler);
    }

    private final class WatchedSink implements UpdateSink {
        private final UpdateSink sink;
        private int applied;
        private boolean stumbled; // and nobody was told yet
        private boolean inSync; // whether a full set came since the last failure

        WatchedSink(UpdateSink sink) {
            this.sink = sink;
        }

        @Override
        public void apply(ChangeSet changes) {
            check(changes.type() == ChangeSet.Type.FULL, changes.toString());
            inSync = true;
            applied++;
            stumbled = stumbles && applied % STUMBLES_EVERY == 0;
            if (stumbled && applied % 2 == 0) {
                throw new IllegalStateException("no memory of what came");
            }
            sink.apply(changes);
            if (stumbled) {
                throw new AssertionError("something broke afterwards");
            }
        }

        @Override
        public void confirm() {
            check(!streaming, "that all is as it was");
            sink.confirm();
        }

        @Override
        public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
            stumbled = false;
            check(true, error.toString());
            inSync = false;
            sink.interrupted(error, nextAttemptIn);
        }

        private void check(boolean mayBegin, String news) {
            if (ended) {
                complaints.accept("heard after the end: " + news);
            } else if (stumbled) {
                complaints.accept("stumbled, and heard, before that this was a failure: " + news);
            } else if (!inSync && !mayBegin) {
                complaints.accept("heard without anything to begin with: " + news);
            }
        }
    }
}
