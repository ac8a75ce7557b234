package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data source driven by hand: what the test says reaches every run that was started and not cancelled.
 *
 * <p>As a real source would, it hands its news to the scheduler it was started with: in virtual time nothing arrives
 * before {@link VirtualScheduler#runDue}. May be used from any thread.
 */
public final class FakeDataSource implements DataSource {
    private static final Logger LOG = LoggerFactory.getLogger(FakeDataSource.class);
    private static final Duration RETRY_AFTER_REFUSAL = Duration.ofSeconds(1);

    private final List<Run> runs = new CopyOnWriteArrayList<>();

    /** A source that nobody has started yet. */
    public FakeDataSource() {}

    @Override
    public Cancellable start(UpdateSink sink, Scheduler scheduler) {
        Run run = new Run(sink, scheduler);
        runs.add(run);
        return run;
    }

    /**
     * Delivers data. Where a sink throws, it is told of a failed attempt instead, as a real source would do; what
     * follows that is up to the test.
     */
    public void apply(ChangeSet changes) {
        requireNonNull(changes, "changes");
        for (Run run : runs) {
            run.tell(sink -> {
                try {
                    sink.apply(changes);
                } catch (RuntimeException | Error e) {
                    if (run.cancelled) {
                        return;
                    }
                    Failure failure = Failure.unknown(e.getClass().getName());
                    guarded(() -> sink.interrupted(ErrorInfo.of(failure, run.scheduler.now()), RETRY_AFTER_REFUSAL));
                }
            });
        }
    }

    /** Delivers the word that what was sent is current. */
    public void confirm() {
        tell(sink -> guarded(sink::confirm));
    }

    /** Reports a failed attempt, dated by the scheduler's time, and when the next one would follow. */
    public void fail(Failure failure, Duration nextAttemptIn) {
        requireNonNull(failure, "failure");
        requireNonNull(nextAttemptIn, "nextAttemptIn");
        for (Run run : runs) {
            run.tell(sink ->
                    guarded(() -> sink.interrupted(ErrorInfo.of(failure, run.scheduler.now()), nextAttemptIn)));
        }
    }

    /** Says that an attempt begins, so that none is waited for: after a failure, when the wait it told of is over. */
    public void attempting() {
        tell(sink -> guarded(sink::attempting));
    }

    /** Says that the service has answered with what the attempt was made for. */
    public void connected() {
        tell(sink -> guarded(sink::connected));
    }

    /** Says that the next attempt comes at another time than {@link #fail} told, so long from now. */
    public void rescheduled(Duration nextAttemptIn) {
        requireNonNull(nextAttemptIn, "nextAttemptIn");
        tell(sink -> guarded(() -> sink.rescheduled(nextAttemptIn)));
    }

    /** Says what a good response called the environment, or null if it did not. */
    public void environment(@Nullable String id) {
        tell(sink -> guarded(() -> sink.environment(id)));
    }

    /** How many runs were started, cancelled ones included. */
    public int starts() {
        return runs.size();
    }

    /** How many runs are going on. */
    public int running() {
        return (int) runs.stream().filter(run -> !run.cancelled).count();
    }

    /** What these throw is logged and no more, as by a real source. */
    private static void guarded(Runnable news) {
        try {
            news.run();
        } catch (RuntimeException | Error e) {
            LOG.error("The sink failed", e);
        }
    }

    private void tell(Consumer<UpdateSink> news) {
        runs.forEach(run -> run.tell(news));
    }

    private static final class Run implements Cancellable {
        private final UpdateSink sink;
        private final Scheduler scheduler;
        private volatile boolean cancelled;

        Run(UpdateSink sink, Scheduler scheduler) {
            this.sink = requireNonNull(sink, "sink");
            this.scheduler = requireNonNull(scheduler, "scheduler");
        }

        void tell(Consumer<UpdateSink> news) {
            if (cancelled) {
                return;
            }
            scheduler.execute(() -> {
                if (!cancelled) {
                    news.accept(sink);
                }
            });
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
