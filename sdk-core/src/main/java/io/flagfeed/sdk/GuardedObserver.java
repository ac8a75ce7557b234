package io.flagfeed.sdk;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An observer whose exceptions and errors go no further. */
final class GuardedObserver implements Observer {
    private final Observer observer;
    private final AtomicBoolean failureSaid = new AtomicBoolean();

    GuardedObserver(Observer observer) {
        this.observer = observer;
    }

    @Override
    public void attemptStarted() {
        try {
            observer.attemptStarted();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void connected() {
        try {
            observer.connected();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void attemptFailed(ErrorInfo error, Duration nextAttemptIn) {
        try {
            observer.attemptFailed(error, nextAttemptIn);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void applied(Applied applied) {
        try {
            observer.applied(applied);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void statusMoved(DataSourceStatus status) {
        try {
            observer.statusMoved(status);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void listenerFailed(Throwable error) {
        try {
            observer.listenerFailed(error);
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** An Error too: it is the observer's, not ours. What a logger throws in turn goes no further either. */
    private void failed(Throwable e) {
        try {
            if (failureSaid.compareAndSet(false, true)) {
                log().warn(
                                "The observer failed with {}; this is said once",
                                e.getClass().getName());
            }
            log().debug("The observer failed", e);
        } catch (RuntimeException | Error broken) {
            // so nobody hears of it
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(GuardedObserver.class);
    }
}
