package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryState;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a data source: attempt, receive, ended, decide, wait, attempt. The same for streaming, where an attempt
 * never ends well, and for polling, where it does and the next one follows after the interval.
 *
 * <pre>
 *   state \ news | event              | ended well       | ended in failure                | wait is over
 *   attempting   | apply, success     | wait the cadence | report, wait what RetryState says | –
 *                | (bad data: failure)|                  |                                 |
 *   waiting      | – (late)           | – (late)         | – (late)                        | attempt
 *   cancelled    | –                  | –                | –                               | –
 * </pre>
 *
 * <p>It attempts exactly while {@link #attempt} is set, and news of any other attempt is late. Everything runs on the
 * scheduler's thread but {@link #cancel} and the receiver's methods, which decode on the attempt's thread and then hop.
 * Nobody else schedules, waits or tries again.
 */
final class SourceLoop implements Cancellable {
    private static final Cancellable NOTHING = () -> {};
    private static final int MOST_UNITS_WAITING = 1024; // as many small events, or 64 MiB of large ones
    // room that there is only once an attempt was let go
    private static final int MORE_THAN_ALL = MOST_UNITS_WAITING + 1;
    private static final int BYTES_PER_UNIT = 64 * 1024;
    private static final Duration LOOKS_EVERY = Duration.ofSeconds(1); // while it waits for room

    private final String name;
    private final Transport transport;
    private final Supplier<EventDecoder> decoders;
    private final RetryState retry;
    private final Spread spread;
    private final UpdateSink sink; // throws in apply only
    private final Scheduler scheduler;
    private final OutageLog outages;

    // confined to the scheduler's thread
    private @Nullable Attempt attempt; // the one under way, null while waiting
    private @Nullable String held; // what the service calls the data that are held

    // guarded by this
    private boolean cancelled;
    private Cancellable underWay = NOTHING; // the attempt or the wait
    private Cancellable exchange = NOTHING; // of the attempt, nothing while waiting

    private volatile Cancellable swaps = NOTHING;

    SourceLoop(
            String name,
            Transport transport,
            Supplier<EventDecoder> decoders,
            RetryState retry,
            Spread spread,
            UpdateSink sink,
            Scheduler scheduler) {
        this.name = name;
        this.transport = transport;
        this.decoders = decoders;
        this.retry = retry;
        this.spread = spread;
        this.sink = new GuardedSink(sink);
        this.scheduler = scheduler;
        this.outages = new OutageLog(name);
    }

    /**
     * Begins the run: with its first attempt at once, or within the spread; and anew when the credential is swapped.
     */
    Cancellable start(Credential credential) {
        swaps = credential.onSwap(this::swapped); // before anybody reads the key
        try {
            scheduler.execute(this::firstAttempt);
        } catch (RuntimeException | Error e) {
            cancel(); // it may have been taken all the same, and the caller may start another run
            throw e;
        }
        return this;
    }

    private void firstAttempt() {
        synchronized (this) {
            if (cancelled || underWay != NOTHING) { // the credential was swapped before this came
                return;
            }
        }
        Duration extra = spread.next();
        if (extra.isZero()) {
            attempt();
        } else {
            await(extra);
        }
    }

    @Override
    public void cancel() {
        swaps.cancel();
        Cancellable last;
        synchronized (this) {
            cancelled = true;
            last = underWay;
            underWay = NOTHING;
            exchange = NOTHING;
        }
        last.cancel();
        transport.close();
    }

    private void attempt() {
        if (isCancelled() || attempt != null) { // a scheduler may throw and have taken the wait all the same
            return;
        }
        try {
            sink.attempting();
            begin(new Attempt());
        } catch (RuntimeException | Error e) { // no thread to be had, say
            held = null; // in case that is what cannot be sent
            if (!isCancelled()) {
                failed(unforeseen(e), scheduler.nanoTime());
            }
            log().debug("An attempt could not begin", e);
        }
    }

    private void begin(Attempt next) {
        attempt = next;
        Cancellable begun = transport.attempt(held, next); // without the lock: it asks the application for a thread
        Cancellable end = () -> {
            begun.cancel();
            next.letGo();
        };
        boolean late;
        synchronized (this) {
            late = cancelled;
            underWay = late ? NOTHING : end;
            exchange = late ? NOTHING : begun;
        }
        if (late) { // and the transport was closed meanwhile
            end.cancel();
        }
    }

    private void swapped() {
        try {
            scheduler.execute(this::restart);
        } catch (RuntimeException | Error e) { // no thread to be had: the attempt has one, and ends as a failed one
            Cancellable last;
            synchronized (this) {
                last = exchange;
            }
            last.cancel();
            throw e;
        }
    }

    /** What was done with the key before is of no account, but for the data. */
    private void restart() {
        if (isCancelled()) {
            return;
        }
        held = null; // another key may be for other data
        retry.reset();
        outages.restarted();
        Duration wait = spread.next();
        sink.rescheduled(wait);
        await(wait);
        log().info("{} goes on with another key", name); // last: a logger that throws harms nothing here
    }

    private void expecting(Attempt from, Duration longest) {
        synchronized (this) {
            if (isLate(from)) {
                return;
            }
            Cancellable receiving = underWay;
            Cancellable deadline =
                    scheduler.schedule(longest, () -> failed(from, silent(longest), scheduler.nanoTime()));
            from.deadline = deadline;
            underWay = () -> {
                deadline.cancel();
                receiving.cancel();
            };
        }
    }

    private static Failure silent(Duration longest) {
        return Failure.network("connected but silent: no event began within " + longest);
    }

    private void handled(Attempt from, Attempt.Decoded event) {
        if (isLate(from)) {
            return;
        }
        if (event.changes != null) {
            sink.received(event.bytes, event.decoding);
            try {
                sink.apply(event.changes);
            } catch (RuntimeException | Error e) {
                held = null; // nobody knows what was applied: ask for everything
                failed(from, unforeseen(e), event.nanoTime);
                log().debug("The sink failed", e);
                return;
            }
            held = event.held;
            from.inSync = true;
        }
        succeeded(from, event.nanoTime);
    }

    private void unchanged(Attempt from, long nanoTime) {
        if (isLate(from)) {
            return;
        }
        from.inSync = true;
        sink.confirm();
        succeeded(from, nanoTime);
    }

    private void heartbeat(Attempt from) {
        // before its first data a connection vouches for nothing
        if (!isLate(from) && from.inSync) {
            sink.confirm();
        }
    }

    private void succeeded(Attempt from, long nanoTime) {
        from.cadence = retry.recordSuccess(nanoTime);
        if (from.inSync) { // an event that is none of our business is a success (R5), but ends no outage
            outages.succeeded(nanoTime);
        }
    }

    private void ended(Attempt from, long nanoTime) {
        if (isLate(from)) {
            return;
        }
        if (from.cadence == null) {
            failed(from, Failure.invalidData("the answer held nothing"), nanoTime);
            return;
        }
        from.deadline.cancel();
        synchronized (this) {
            underWay = NOTHING; // what ended well is not cancelled, or its connection could not be used again
        }
        try {
            await(from.cadence);
        } catch (RuntimeException | Error e) { // a scheduler of the application's
            failed(unforeseen(e), nanoTime);
        }
    }

    private void failed(Attempt from, Failure failure, long nanoTime) {
        if (!isLate(from)) {
            failed(failure, nanoTime);
        }
    }

    private void failed(Failure failure, long nanoTime) {
        if (failure.httpStatus() == 400 || failure.httpStatus() == 412 || failure.httpStatus() == 431) {
            held = null; // in case that is what the service, or something on the way, cannot bear
        }
        Duration wait = retry.recordFailure(failure, nanoTime);
        if (attempt != null && attempt.inSync) { // others may have lost it at the same moment
            wait = wait.plus(spread.next());
        }
        try {
            sink.interrupted(ErrorInfo.of(failure, scheduler.now()), wait);
        } catch (RuntimeException | Error e) { // a clock of the application's
            log().error("Nobody could be told of a failed attempt", e);
        } finally {
            await(wait); // whatever happens here, another attempt follows (R15, R41)
        }
        outages.failed(failure, wait, retry, nanoTime); // last: a logger that throws harms nothing here
    }

    /** Ends what is left of the attempt and waits for the next one, from now on (R37). */
    private void await(Duration wait) {
        attempt = null;
        Cancellable last = NOTHING;
        try {
            synchronized (this) {
                last = underWay;
                underWay = NOTHING;
                exchange = NOTHING;
                underWay = cancelled ? NOTHING : scheduled(wait);
            }
        } finally {
            last.cancel();
        }
    }

    /** A scheduler of the application's may throw, and another call may do better. */
    private Cancellable scheduled(Duration wait) {
        try {
            return scheduler.schedule(wait, this::attempt);
        } catch (RuntimeException | Error e) {
            return scheduler.schedule(wait, this::attempt);
        }
    }

    private synchronized boolean isLate(Attempt from) {
        return cancelled || from != attempt;
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Only the type: a message that nobody has foreseen may hold anything, the SDK key too. */
    private static Failure unforeseen(Throwable e) {
        return Failure.unknown(e.getClass().getName());
    }

    /** Hears of one attempt, decodes, and hands on to the scheduler's thread. */
    private final class Attempt implements Receiver {
        private final EventDecoder decoder = decoders.get();
        private final Semaphore room = new Semaphore(MOST_UNITS_WAITING); // for news that wait for the scheduler

        private final AtomicBoolean over = new AtomicBoolean(); // whether it was told how it ended

        // confined to the attempt's thread
        private boolean namesEnvironment; // and nobody was told yet
        private @Nullable String environmentId;

        // confined to the scheduler's thread
        private Cancellable deadline = NOTHING; // for data to begin to arrive
        private boolean inSync; // whether what is held came, or was confirmed, in this attempt
        private @Nullable Duration cadence; // null until something succeeded

        @Override
        public void connected() {
            handOn(() -> {
                if (!isLate(this)) {
                    sink.connected();
                }
            });
        }

        @Override
        public void environment(@Nullable String id) {
            namesEnvironment = true;
            environmentId = id;
        }

        /** Only once the response turns out to be good. */
        private void tellEnvironment() {
            if (namesEnvironment) {
                namesEnvironment = false;
                String id = environmentId;
                handOn(() -> {
                    if (!isLate(this)) {
                        sink.environment(id);
                    }
                });
            }
        }

        @Override
        public void expecting(Duration longest) {
            handOn(() -> SourceLoop.this.expecting(this, longest));
        }

        @Override
        public void arriving() {
            handOn(() -> deadline.cancel());
        }

        /**
         * Hands news on. Where there is no thread for the scheduler, tries again until there is one, or until nobody
         * waits for the news any more: there is nobody else who would notice.
         */
        private void handOn(Runnable news) {
            boolean interrupted = false;
            boolean tries = true;
            while (tries) {
                try {
                    scheduler.execute(news);
                    tries = false;
                } catch (RuntimeException | Error e) { // no thread to be had
                    if (scheduler.isClosed()) {
                        throw e;
                    }
                    sayLater(e);
                    try {
                        tries = !room.tryAcquire(MORE_THAN_ALL, LOOKS_EVERY.toNanos(), TimeUnit.NANOSECONDS);
                    } catch (InterruptedException alsoLater) {
                        interrupted = true;
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        /** Nothing that a logger throws may come between the news and the next try. */
        private static void sayLater(Throwable e) {
            try {
                log().debug("News that cannot be handed on yet", e);
            } catch (RuntimeException | Error broken) {
                // so nobody hears of it
            }
        }

        /** Hands news on that may come at any rate, once there is room for them. */
        private void hop(Runnable news) {
            awaitRoom(1);
            handOn(() -> {
                try {
                    news.run();
                } finally {
                    room.release();
                }
            });
        }

        /**
         * Waits for room: while the scheduler is behind, the attempt's thread reads no more, and the service has to
         * wait in turn. An interrupt ends no wait, but a closed scheduler does: it may have dropped what took the room.
         *
         * @throws RejectedExecutionException if the scheduler is closed, so that the attempt's thread comes to its end
         */
        private void awaitRoom(int weight) {
            boolean interrupted = false;
            try {
                while (true) {
                    if (scheduler.isClosed()) {
                        throw new RejectedExecutionException("the scheduler is closed");
                    }
                    try {
                        if (room.tryAcquire(weight, LOOKS_EVERY.toNanos(), TimeUnit.NANOSECONDS)) {
                            return;
                        }
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        /** Nobody waits for the news of an attempt that is over. */
        void letGo() {
            room.release(Integer.MAX_VALUE / 2);
        }

        @Override
        public boolean event(String name, InputStream data, LongSupplier bytes, @Nullable String heldAfter) {
            long began = scheduler.nanoTime();
            ChangeSet changes;
            try {
                changes = decoder.decode(name, data);
            } catch (InvalidDataException e) {
                failed(Failure.invalidData(String.valueOf(e.getMessage())));
                return false;
            }
            long nanoTime = scheduler.nanoTime();
            Duration decoding = Duration.ofNanos(nanoTime - began);
            Decoded event = new Decoded(changes, heldAfter, bytes.getAsLong(), decoding, nanoTime);
            if (changes != null) {
                tellEnvironment();
            }
            awaitRoom(event.weight());
            handOn(event);
            return true;
        }

        @Override
        public void unchanged() {
            tellEnvironment();
            long nanoTime = scheduler.nanoTime();
            handOn(() -> SourceLoop.this.unchanged(this, nanoTime));
        }

        @Override
        public void heartbeat() {
            hop(() -> SourceLoop.this.heartbeat(this));
        }

        @Override
        public void reconnectionTime(long millis) {
            hop(() -> {
                if (!isLate(this)) {
                    retry.recordReconnectionTime(millis);
                }
            });
        }

        @Override
        public void ended() {
            if (over.getAndSet(true)) {
                return; // the end that we brought about ourselves is no second one (R4)
            }
            long nanoTime = scheduler.nanoTime();
            handOn(() -> SourceLoop.this.ended(this, nanoTime));
        }

        @Override
        public void expired(Failure failure) {
            long nanoTime = scheduler.nanoTime();
            scheduler.execute(() -> {
                if (!over.getAndSet(true)) { // not before: the attempt's thread tells it where this cannot be handed on
                    SourceLoop.this.failed(this, failure, nanoTime);
                }
            });
        }

        @Override
        public void failed(Failure failure) {
            if (over.getAndSet(true)) {
                return;
            }
            long nanoTime = scheduler.nanoTime(); // when it was detected, not when it was dealt with (R13)
            handOn(() -> SourceLoop.this.failed(this, failure, nanoTime));
        }

        /** An event, or the answer to a poll, on its way to the scheduler's thread. */
        private final class Decoded implements Runnable {
            private final @Nullable ChangeSet changes; // null if it is none of our business
            private final @Nullable String held; // what the service calls the data once they are applied
            private final long bytes; // of the event
            private final Duration decoding; // how long it took, reading included
            private final long nanoTime; // when it was there

            Decoded(@Nullable ChangeSet changes, @Nullable String held, long bytes, Duration decoding, long nanoTime) {
                this.changes = changes;
                this.held = held;
                this.bytes = bytes;
                this.decoding = decoding;
                this.nanoTime = nanoTime;
            }

            int weight() {
                return (int) Math.min(1 + bytes / BYTES_PER_UNIT, MOST_UNITS_WAITING);
            }

            @Override
            public void run() {
                try {
                    handled(Attempt.this, this);
                } finally {
                    room.release(weight());
                }
            }
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(SourceLoop.class);
    }
}
