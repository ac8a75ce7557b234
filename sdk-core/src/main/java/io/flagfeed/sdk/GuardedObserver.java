package io.flagfeed.sdk;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An observer whose exceptions and errors go no further. */
final class GuardedObserver implements Observer {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedObserver.class);

    private final Observer observer;
    private final AtomicBoolean failureSaid = new AtomicBoolean();

    GuardedObserver(Observer observer) {
        this.observer = observer;
    }

    @Override
    public void attemptStarted() {
        guarded(observer::attemptStarted);
    }

    @Override
    public void connected() {
        guarded(observer::connected);
    }

    @Override
    public void attemptFailed(ErrorInfo error, Duration nextAttemptIn) {
        guarded(() -> observer.attemptFailed(error, nextAttemptIn));
    }

    @Override
    public void applied(Applied applied) {
        guarded(() -> observer.applied(applied));
    }

    @Override
    public void statusMoved(DataSourceStatus status) {
        guarded(() -> observer.statusMoved(status));
    }

    @Override
    public void listenerFailed(Throwable error) {
        guarded(() -> observer.listenerFailed(error));
    }

    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) { // an Error too: it is the observer's, not ours
            if (failureSaid.compareAndSet(false, true)) {
                LOG.warn(
                        "The observer failed with {}; this is said once",
                        e.getClass().getName());
            }
            LOG.debug("The observer failed", e);
        }
    }
}
