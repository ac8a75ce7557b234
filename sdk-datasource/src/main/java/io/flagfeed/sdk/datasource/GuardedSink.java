package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.UpdateSink;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A sink whose exceptions and errors go no further than the log, but for those that data depend on. */
final class GuardedSink implements UpdateSink {
    private final UpdateSink sink;

    GuardedSink(UpdateSink sink) {
        this.sink = sink;
    }

    /** Throws what the sink throws: the data may have been applied or not. */
    @Override
    public void apply(ChangeSet changes) {
        sink.apply(changes);
    }

    @Override
    public void confirm() {
        try {
            sink.confirm();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
        try {
            sink.interrupted(error, nextAttemptIn);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void attempting() {
        try {
            sink.attempting();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void connected() {
        try {
            sink.connected();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void rescheduled(Duration nextAttemptIn) {
        try {
            sink.rescheduled(nextAttemptIn);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void environment(@Nullable String id) {
        try {
            sink.environment(id);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void received(long bytes, Duration decoding) {
        try {
            sink.received(bytes, decoding);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    /** What a logger throws in turn goes no further either. */
    private static void failed(Throwable e) {
        try {
            log().error("The sink failed", e);
        } catch (RuntimeException | Error broken) {
            // so nobody hears of it
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(GuardedSink.class);
    }
}
