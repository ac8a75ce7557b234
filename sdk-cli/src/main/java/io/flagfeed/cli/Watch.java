package io.flagfeed.cli;

import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.Snapshot;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a data system and shows what it says, until it is told to end. */
final class Watch {
    private static final long LONGEST_GOODBYE_SECONDS = 2;

    private final Display display; // guarded by this, and so is all below: listeners are two
    private final Scheduler scheduler;
    private final DataSystem system;
    private final long began;
    private final CountDownLatch off = new CountDownLatch(1);

    private @Nullable ErrorInfo counted; // the error that was counted last
    private boolean ready;
    private boolean valid;
    private long validSince;
    private long validNanos;
    private long changes;
    private long failures;

    Watch(DataSource source, Scheduler scheduler, Display display) {
        this.display = display;
        this.scheduler = scheduler;
        this.began = scheduler.nanoTime();
        system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run) // printing is quick, and lines stay in order
                .build();
        system.onChange(this::changed);
        system.onStatus(this::moved);
    }

    void start() {
        moved(system.status());
        system.start();
    }

    synchronized void story(String line) {
        display.story(line, scheduler.now());
    }

    /** Closes the system, and shows what is held, if wanted, and how it went. */
    Summary end(boolean withSnapshot) throws InterruptedException {
        system.close();
        boolean said = off.await(LONGEST_GOODBYE_SECONDS, TimeUnit.SECONDS); // the scheduler's thread may be printing
        synchronized (this) {
            if (!said) {
                display.status(system.status(), scheduler.now());
            }
            Snapshot held = system.snapshot();
            if (withSnapshot) {
                display.snapshot(held);
            }
            Summary summary = new Summary(
                    ready,
                    Duration.ofNanos(scheduler.nanoTime() - began),
                    Duration.ofNanos(validNanos),
                    changes,
                    failures);
            display.summary(summary, scheduler.now());
            return summary;
        }
    }

    private synchronized void changed(ChangeEvent event) {
        for (ChangeEvent.Change change : event.changes()) {
            if (change.direct()) {
                changes++;
                display.change(change, scheduler.now());
            }
        }
    }

    private synchronized void moved(DataSourceStatus status) {
        ErrorInfo error = status.lastError();
        if (error != null && !error.equals(counted)) {
            counted = error;
            failures++;
        }
        long nanoTime = scheduler.nanoTime();
        if (valid) {
            validNanos += nanoTime - validSince;
        }
        valid = status.state() == State.VALID;
        validSince = nanoTime;
        ready |= valid;
        display.status(status, scheduler.now());
        if (status.state() == State.OFF) {
            off.countDown();
        }
    }
}
