package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.UpdateSink;
import java.time.Duration;

/** A source whose sink fails again and again, before or after it has applied what it was given. */
final class StumblingSource implements DataSource {
    private static final int EVERY = 7;

    private final DataSource source;

    StumblingSource(DataSource source) {
        this.source = source;
    }

    @Override
    public Cancellable start(UpdateSink sink, Scheduler scheduler) {
        return source.start(new StumblingSink(sink), scheduler);
    }

    private static final class StumblingSink implements UpdateSink {
        private final UpdateSink sink;
        private int calls;

        StumblingSink(UpdateSink sink) {
            this.sink = sink;
        }

        @Override
        public void apply(ChangeSet changes) {
            calls++;
            if (calls % (2 * EVERY) == 0) {
                throw new IllegalStateException("no memory of what came");
            }
            sink.apply(changes);
            if (calls % EVERY == 0) {
                throw new AssertionError("something broke afterwards");
            }
        }

        @Override
        public void confirm() {
            sink.confirm();
        }

        @Override
        public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
            sink.interrupted(error, nextAttemptIn);
        }
    }
}
