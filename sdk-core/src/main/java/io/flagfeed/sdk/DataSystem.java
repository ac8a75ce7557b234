package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.DataSourceStatus.State;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Start here: runs a data source, holds what arrives, says how things stand, and tells listeners what changed.
 *
 * <pre>{@code
 * DataSystem system = DataSystem.builder(source).build();
 * system.onChange(event -> ...);
 * system.start();
 * if (!system.awaitReady(Duration.ofSeconds(5))) { ... } // it goes on trying meanwhile
 * Optional<Item> flag = system.get(ItemKind.FLAG, "new-checkout");
 * system.close();
 * }</pre>
 *
 * <p>All methods may be called from any thread, from listeners too, and none but {@link #awaitReady} waits. Reading
 * takes no lock. What was read before {@link #close} stays readable after it.
 */
public final class DataSystem implements AutoCloseable {
    private final DataSource source;
    private final Scheduler scheduler;
    private final @Nullable SystemScheduler ownScheduler; // null when the application gave one
    private final Executor listenerExecutor;
    private final @Nullable ThreadPoolExecutor ownListenerExecutor; // null when the application gave one
    private final StatusMachine statusMachine;
    private final @Nullable Duration staleAfter;
    private final GuardedObserver observer;

    private final Listeners<ChangeEvent> changeListeners;
    private final Listeners<DataSourceStatus> statusListeners;
    private final CompletableFuture<DataSourceStatus> ready = new CompletableFuture<>();
    private final CompletionStage<DataSourceStatus> readyStage = ready.minimalCompletionStage();
    private final CountDownLatch settled = new CountDownLatch(1); // VALID once, or OFF

    private volatile Snapshot snapshot = Snapshot.EMPTY;
    private volatile DataSourceStatus status;

    // All writes and the order of what listeners hear are guarded by this lock. It is held for no I/O and no callback.
    private final Object lock = new Object();
    private @Nullable DataSourceStatus firstValid; // null until there was one
    private final StaleAlarm staleAlarm = new StaleAlarm();

    // Held while the source is started or cancelled, which takes no time, so that a close meets a run or none. Guards
    // the next two.
    private final Object starting = new Object();
    private volatile long startedAt;
    private @Nullable Cancellable run; // null unless the source runs

    // Touched by calls of the sink only, which come one at a time.
    private long receivedBytes; // of the change set that is applied next
    private Duration decoding = Duration.ZERO; // of the same
    private @Nullable References references; // null until a change listener needs them

    private DataSystem(Builder builder) {
        source = builder.source;
        ownScheduler = builder.scheduler == null ? builder.ownScheduler() : null;
        scheduler = builder.scheduler == null ? requireNonNull(ownScheduler) : builder.scheduler;
        ownListenerExecutor = builder.listenerExecutor == null ? builder.listenerThreads() : null;
        listenerExecutor =
                builder.listenerExecutor == null ? requireNonNull(ownListenerExecutor) : builder.listenerExecutor;
        staleAfter = builder.staleAfter;
        observer = new GuardedObserver(builder.observer);
        statusMachine = new StatusMachine(staleAfter);
        Consumer<Throwable> onFailure = observer::listenerFailed;
        changeListeners = new Listeners<>(listenerExecutor, Backlog::ofChanges, onFailure);
        statusListeners = new Listeners<>(listenerExecutor, Backlog::ofStatuses, onFailure);
        status = statusMachine.initial(scheduler.now());
    }

    /** A system that will run the given source. */
    public static Builder builder(DataSource source) {
        return new Builder(source);
    }

    /**
     * Starts the source in the background and returns at once. A second call changes nothing; after {@link #close} no
     * call does. If the source throws, so does this, and it may be tried again.
     *
     * @return completes with the first {@link State#VALID} status, which is published before, or with
     *     {@link State#OFF} if the system is closed earlier. Failures never complete it. It is completed on the
     *     listeners' executor, and so runs what depends on it, unless that is added later. All calls return the same
     *     stage, and cancelling a future made of it harms no other.
     */
    public CompletionStage<DataSourceStatus> start() {
        synchronized (starting) {
            if (run == null && status.state() != State.OFF) {
                startedAt = scheduler.nanoTime();
                run = source.start(new Sink(), scheduler);
                if (status.state() == State.OFF) { // closed from inside
                    cancelRun();
                }
            }
        }
        return readyStage;
    }

    /**
     * Waits in real time until there is data, the system is closed, or the time is up, whichever comes first. The
     * source goes on meanwhile and afterwards.
     *
     * @param timeout the longest wait; zero or negative only looks
     * @return whether a full data set has ever arrived and the system is open
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean awaitReady(Duration timeout) throws InterruptedException {
        long nanos;
        try {
            nanos = timeout.toNanos();
        } catch (ArithmeticException e) {
            nanos = timeout.isNegative() ? 0 : Long.MAX_VALUE;
        }
        return settled.await(nanos, TimeUnit.NANOSECONDS) && status.state() != State.OFF;
    }

    /** The item as it is held now, unless there is none or it was deleted. Takes no lock. */
    public Optional<Item> get(ItemKind kind, String key) {
        return snapshot.get(kind, key);
    }

    /** Everything that is held at this moment. Takes no lock. */
    public Snapshot snapshot() {
        return snapshot;
    }

    /** How things stand at this moment. Takes no lock. */
    public DataSourceStatus status() {
        return status;
    }

    /**
     * Calls a listener after each applied change set that changed anything, in order, on the listeners' executor. What
     * a listener throws is logged once and goes no further.
     */
    public Subscription onChange(Consumer<ChangeEvent> listener) {
        requireNonNull(listener, "listener");
        synchronized (lock) { // so that its first event begins where the snapshot of this moment ends
            return changeListeners.add(listener);
        }
    }

    /**
     * Calls a listener after each change of the state, each failed attempt, and each time the data become stale or
     * fresh again, in order, on the listeners' executor. The last call is the one with {@link State#OFF}. What a
     * listener throws is logged once and goes no further.
     */
    public Subscription onStatus(Consumer<DataSourceStatus> listener) {
        requireNonNull(listener, "listener");
        synchronized (lock) {
            return statusListeners.add(listener);
        }
    }

    /**
     * Stops the source and ends in {@link State#OFF}. Returns at once; after it nothing changes any more. Listeners
     * still hear what happened before, and OFF as the last. May be called any number of times and before
     * {@link #start}. A scheduler or executor that the application gave is left alone.
     */
    @Override
    public void close() {
        DataSourceStatus off = null;
        synchronized (lock) {
            if (status.state() != State.OFF) {
                off = statusMachine.closed(status, scheduler.now());
                status = off;
                statusListeners.enqueue(off);
                staleAlarm.cancel();
            }
        }
        try {
            cancelRun(); // also if another thread is closing: no request begins after any close has returned
        } finally { // whatever a source of the application's throws
            if (off != null) {
                end(off);
            }
        }
    }

    private void end(DataSourceStatus off) {
        settled.countDown();
        observer.statusMoved(off);
        dispatch();
        completeStage();
        if (ownScheduler != null) {
            ownScheduler.close();
        }
        if (ownListenerExecutor != null) {
            // and no shutdown: another thread may be about to hand on what listeners are still to hear
            ownListenerExecutor.setKeepAliveTime(0, TimeUnit.SECONDS);
        }
    }

    /** Waits for a start or a cancel that is under way. */
    private void cancelRun() {
        synchronized (starting) {
            Cancellable ended = run;
            run = null; // a cancel that closes the system again finds nothing to do
            if (ended != null) {
                ended.cancel();
            }
        }
    }

    /** Completes what start returned, with a status that is published already. */
    private void completeStage() {
        DataSourceStatus reached;
        synchronized (lock) { // a listener, or another thread, may have closed the system since it became valid
            reached = firstValid == null ? status : firstValid;
        }
        try {
            listenerExecutor.execute(() -> ready.complete(reached)); // dependents are the application's code
        } catch (RuntimeException | Error e) { // a supplied executor that refuses, no thread to be had
            ready.complete(reached);
        }
    }

    private final class Sink implements UpdateSink {
        @Override
        public void apply(ChangeSet changes) {
            requireNonNull(changes, "changes");
            long began = scheduler.nanoTime();
            // What takes long with many flags is done before the lock is taken: nobody else writes the snapshot.
            Snapshot before = snapshot;
            Snapshot after = before.with(changes);
            ChangeEvent event = changeListeners.isEmpty() ? null : changesBetween(before, after, changes);
            boolean becameReady;
            DataSourceStatus reached;
            synchronized (lock) {
                if (status.state() == State.OFF) {
                    return;
                }
                snapshot = after;
                if (event == null && !changeListeners.isEmpty()) {
                    event = changesBetween(before, after, changes); // somebody began to listen just now
                } else if (event == null) {
                    references = null; // nobody asks: found anew when somebody does
                }
                if (event != null && !event.changes().isEmpty()) {
                    changeListeners.enqueue(event);
                }
                confirmTo(
                        changes.type() == ChangeSet.Type.FULL
                                ? statusMachine.full(status, scheduler.now())
                                : statusMachine.partial(status, scheduler.now()));
                becameReady = firstValid == null && status.state() == State.VALID;
                if (becameReady) {
                    firstValid = status;
                }
                reached = status;
            }
            if (becameReady) {
                settled.countDown(); // before the listeners: one of them may wait for it
            }
            observer.applied(new Observer.Applied(
                    changes.type(),
                    changes.items().size(),
                    receivedBytes,
                    decoding,
                    Duration.ofNanos(scheduler.nanoTime() - began)));
            receivedBytes = 0;
            decoding = Duration.ZERO;
            observer.statusMoved(reached);
            dispatch();
            if (becameReady) {
                completeStage();
                sayReady(after);
            }
        }

        /** What a logger throws is no fault of the data, which are there. */
        private void sayReady(Snapshot first) {
            long millis = TimeUnit.NANOSECONDS.toMillis(scheduler.nanoTime() - startedAt);
            try {
                log().info("Ready after {} ms: {}", millis, first);
            } catch (RuntimeException | Error e) {
                // so nobody hears of it
            }
        }

        @Override
        public void confirm() {
            DataSourceStatus reached;
            synchronized (lock) {
                if (status.state() == State.OFF) {
                    return;
                }
                confirmTo(statusMachine.confirmed(status, scheduler.now()));
                reached = status;
            }
            observer.statusMoved(reached);
            dispatch();
        }

        @Override
        public void attempting() {
            DataSourceStatus reached;
            synchronized (lock) {
                if (status.state() == State.OFF) {
                    return;
                }
                status = statusMachine.attempting(status);
                reached = status;
            }
            observer.attemptStarted();
            observer.statusMoved(reached);
        }

        @Override
        public void connected() {
            if (status.state() != State.OFF) {
                observer.connected();
            }
        }

        @Override
        public void rescheduled(Duration nextAttemptIn) {
            requireNonNull(nextAttemptIn, "nextAttemptIn");
            DataSourceStatus reached;
            synchronized (lock) {
                status = statusMachine.rescheduled(status, nextAttemptIn, scheduler.now());
                reached = status;
            }
            if (reached.state() != State.OFF) {
                observer.statusMoved(reached);
            }
        }

        @Override
        public void environment(@Nullable String id) {
            DataSourceStatus reached;
            synchronized (lock) {
                status = statusMachine.environment(status, id);
                reached = status;
            }
            if (reached.state() != State.OFF) {
                observer.statusMoved(reached);
            }
        }

        @Override
        public void received(long bytes, Duration decoding) {
            receivedBytes = bytes;
            DataSystem.this.decoding = requireNonNull(decoding, "decoding");
        }

        @Override
        public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
            requireNonNull(error, "error");
            requireNonNull(nextAttemptIn, "nextAttemptIn");
            DataSourceStatus reached;
            synchronized (lock) {
                if (status.state() == State.OFF) {
                    return;
                }
                moveTo(statusMachine.interrupted(status, error, nextAttemptIn, scheduler.now()), true);
                reached = status;
            }
            observer.attemptFailed(error, nextAttemptIn);
            observer.statusMoved(reached);
            dispatch();
        }
    }

    private void dispatch() {
        changeListeners.dispatch();
        statusListeners.dispatch();
    }

    /** The service said something of the data: publishes what that makes of the status. */
    private void confirmTo(DataSourceStatus next) {
        boolean freshAgain = next.state() == State.VALID && staleAlarm.confirmed();
        moveTo(next, freshAgain);
    }

    /** Publishes a status; listeners hear of it unless only the time of the last confirmation moved. */
    private void moveTo(DataSourceStatus next, boolean worthTelling) {
        DataSourceStatus previous = status;
        status = next;
        if (worthTelling || next.state() != previous.state()) {
            statusListeners.enqueue(next);
        }
    }

    private ChangeEvent changesBetween(Snapshot before, Snapshot after, ChangeSet changes) {
        if (references == null) {
            references = References.of(before);
        }
        return Changes.between(before, after, changes, references);
    }

    /** Tells status listeners once when the data have become stale, and once when they are fresh again. */
    private final class StaleAlarm {
        private boolean stale;
        private boolean waiting;
        private long confirmedAt;
        private @Nullable Cancellable wait; // null before the first

        /** The data are current now; costs no timer per confirmation. Says whether they were stale before. */
        boolean confirmed() {
            if (staleAfter == null) {
                return false;
            }
            confirmedAt = scheduler.nanoTime();
            boolean wasStale = stale;
            stale = false;
            if (!waiting) {
                wait = scheduler.schedule(staleAfter, this::ring); // may throw: nothing waits then
                waiting = true;
            }
            return wasStale;
        }

        void cancel() {
            if (wait != null) {
                wait.cancel();
            }
        }

        private void ring() {
            DataSourceStatus reached;
            synchronized (lock) {
                Duration limit = requireNonNull(staleAfter);
                Duration left = limit.minusNanos(scheduler.nanoTime() - confirmedAt);
                if (status.state() == State.OFF) {
                    return;
                }
                waiting = false; // also if what follows throws
                if (!left.isNegative() && !left.isZero()) {
                    wait = scheduler.schedule(left, this::ring); // confirmed since the timer was set
                    waiting = true;
                    return;
                }
                stale = true;
                moveTo(statusMachine.stale(status, scheduler.now()), true);
                reached = status;
            }
            observer.statusMoved(reached);
            statusListeners.dispatch();
        }
    }

    /** What a system is made of. Not safe for use by several threads. */
    public static final class Builder {
        private final DataSource source;
        private @Nullable Scheduler scheduler;
        private @Nullable Executor listenerExecutor;
        private @Nullable Duration staleAfter;
        private Observer observer = new Observer() {};
        private String threadNamePrefix = "flagfeed";
        private @Nullable ThreadFactory threadFactory;

        private Builder(DataSource source) {
            this.source = requireNonNull(source, "source");
        }

        /**
         * Where time comes from and where the system's work is done. It may be shared by many systems and is never
         * closed by this one. Default: a {@link Scheduler#system} of its own, closed with the system.
         */
        public Builder scheduler(Scheduler scheduler) {
            this.scheduler = requireNonNull(scheduler, "scheduler");
            return this;
        }

        /**
         * Where listeners run, and what depends on the stage that {@link DataSystem#start} returns. Never shut down by
         * the system. Each listener hears one event at a time, in order, on any executor. On the default one a listener
         * that blocks holds up no other; on one with a single thread it does. One that is full may throw, and what it
         * has refused is told with the next event, so after the end not at all; but it must not drop what it has taken,
         * as a {@code DiscardPolicy} does: that listener would hear nothing any more. Default: daemon threads of its
         * own, as many as listeners are busy at the same time, which last a second longer than there is something to
         * tell.
         */
        public Builder listenerExecutor(Executor listenerExecutor) {
            this.listenerExecutor = requireNonNull(listenerExecutor, "listenerExecutor");
            return this;
        }

        /**
         * From which age, counted from {@link DataSourceStatus#lastConfirmed}, data count as stale. Listeners are told
         * by a clock that nobody sets, so on time when the one on the wall was set; that clock may stand still while
         * the machine sleeps, and they are told that much later then. Null, zero or negative means the default, with a
         * WARN. Default: never.
         */
        public Builder staleAfter(@Nullable Duration staleAfter) {
            if (staleAfter == null || staleAfter.isZero() || staleAfter.isNegative()) {
                log().warn("staleAfter makes no sense as {}: using the default, never", staleAfter);
                this.staleAfter = null;
            } else {
                this.staleAfter = staleAfter;
            }
            return this;
        }

        /**
         * Is told what the system does, for metrics and tracing. Default: nobody.
         *
         * @see io.flagfeed.sdk.micrometer.MicrometerObserver
         */
        public Builder observer(Observer observer) {
            this.observer = requireNonNull(observer, "observer");
            return this;
        }

        /**
         * What the names of the system's own threads begin with: that of its scheduler has this name, those of
         * listeners end in {@code -listeners}. Default: {@code flagfeed}.
         */
        public Builder threadNamePrefix(String threadNamePrefix) {
            this.threadNamePrefix = requireNonNull(threadNamePrefix, "threadNamePrefix");
            return this;
        }

        /**
         * Makes the system's own threads, virtual ones for instance, and names them as it likes; the prefix has no
         * meaning then. Not used where a scheduler and an executor are given. Default: daemon threads.
         */
        public Builder threadFactory(ThreadFactory threadFactory) {
            this.threadFactory = requireNonNull(threadFactory, "threadFactory");
            return this;
        }

        private SystemScheduler ownScheduler() {
            return threadFactory == null ? Scheduler.system(threadNamePrefix) : Scheduler.systemWith(threadFactory);
        }

        /** Order is kept for each listener by its queue, so there may be as many threads as listeners are busy. */
        private ThreadPoolExecutor listenerThreads() {
            String name = threadNamePrefix + "-listeners";
            ThreadFactory daemons = task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                return thread;
            };
            return new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    1,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    threadFactory == null ? daemons : threadFactory);
        }

        /** The system, not yet started. */
        public DataSystem build() {
            return new DataSystem(this);
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(DataSystem.class);
    }
}
