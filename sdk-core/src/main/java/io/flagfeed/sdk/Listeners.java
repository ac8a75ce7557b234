package io.flagfeed.sdk;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners for one kind of event. Each has a {@link Backlog} of its own, emptied on the executor: it gets every
 * event in order, one at a time, and one that throws or blocks holds up neither the others nor the data.
 *
 * <p>A listener that is registered twice hears everything twice, until each of its registrations has ended.
 */
final class Listeners<E> {
    private final Executor executor;
    private final Supplier<Backlog<E>> backlogs;
    private final Consumer<Throwable> onFailure;
    private final List<Listener> all = new CopyOnWriteArrayList<>();

    /**
     * Nobody listens yet.
     *
     * @param executor runs listeners
     * @param backlogs makes each listener's own
     * @param onFailure is given whatever a listener throws, on the listener's thread
     */
    Listeners(Executor executor, Supplier<Backlog<E>> backlogs, Consumer<Throwable> onFailure) {
        this.executor = executor;
        this.backlogs = backlogs;
        this.onFailure = onFailure;
    }

    Subscription add(Consumer<? super E> consumer) {
        Listener listener = new Listener(consumer);
        all.add(listener);
        return listener;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Queues an event for every listener there is now, and no more: safe to call under a lock. */
    void enqueue(E event) {
        for (Listener listener : all) {
            listener.enqueue(event);
        }
    }

    /** Sends the executor to every queue that holds something. It may run listeners at once: hold no lock. */
    void dispatch() {
        for (Listener listener : all) {
            listener.dispatch();
        }
    }

    private final class Listener implements Subscription {
        private final Consumer<? super E> consumer;
        private final Backlog<E> backlog = backlogs.get(); // guarded by itself
        private boolean emptying; // guarded by backlog: whether somebody is at work on it
        private volatile boolean ended;
        private boolean failureSaid; // touched by whoever is at work only
        private boolean refusalSaid; // guarded by backlog

        Listener(Consumer<? super E> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void unsubscribe() {
            ended = true;
            all.remove(this);
            synchronized (backlog) {
                backlog.clear(); // whoever keeps the subscription keeps no more than that
            }
        }

        void enqueue(E event) {
            synchronized (backlog) {
                if (!ended) {
                    backlog.add(event);
                }
            }
        }

        void dispatch() {
            synchronized (backlog) {
                if (emptying || backlog.isEmpty()) {
                    return;
                }
                emptying = true;
            }
            try {
                executor.execute(this::empty);
            } catch (RuntimeException | Error e) { // full for a moment, shut down before us, no thread to be had
                boolean first;
                synchronized (backlog) {
                    emptying = false; // what is queued is told with the next event, if that is taken
                    first = !refusalSaid;
                    refusalSaid = true;
                }
                if (first) {
                    sayRefused(e);
                }
            }
        }

        /** What a logger throws does not keep the others from hearing. */
        private void sayRefused(Throwable e) {
            try {
                log().warn(
                                "The executor of a listener refused with {}; this is said once",
                                e.getClass().getName());
            } catch (RuntimeException | Error broken) {
                // so nobody hears of it
            }
        }

        private void empty() {
            for (E event = next(); event != null; event = next()) {
                try {
                    consumer.accept(event);
                } catch (Throwable e) { // an Error too: it is the listener's, not ours
                    complain(e);
                }
            }
        }

        private @Nullable E next() {
            while (true) {
                Backlog.Merged<E> merged;
                synchronized (backlog) {
                    E event = ended ? null : backlog.poll();
                    if (event != null) {
                        return event;
                    }
                    merged = ended ? null : backlog.pollMerged();
                    if (merged == null) {
                        emptying = false;
                        return null;
                    }
                }
                try { // without the lock, for which those who tell wait
                    E event = merged.event();
                    if (event != null) {
                        return event;
                    }
                } catch (RuntimeException | Error e) { // no memory for so many
                    complain(e);
                }
            }
        }

        /** Whatever the log or the observer throws in turn goes no further either. */
        private void complain(Throwable e) {
            try {
                onFailure.accept(e);
                if (!failureSaid) {
                    failureSaid = true;
                    log().warn(
                                    "A listener failed with {}; it stays registered, and this is said once",
                                    e.getClass().getName());
                }
                log().debug("A listener failed", e);
            } catch (RuntimeException | Error again) {
                failureSaid = true;
            }
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(Listeners.class);
    }
}
