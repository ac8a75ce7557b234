package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.RetryPolicy;
import io.flagfeed.sdk.retry.RetryState;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every cell of the table on {@link SourceLoop}, in both modes, in virtual time. */
final class SourceLoopTest {
    private static final Duration NEARLY = Duration.ofNanos(1);
    private static final String FLAG = "\"a\":{\"version\":1,\"on\":true}";

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final HandTransport transport = new HandTransport();
    private final RecordingSink sink = new RecordingSink();

    private Cancellable start(Mode mode) {
        return mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, scheduler);
    }

    private HandTransport.Attempt startAttempt(Mode mode) {
        start(mode);
        scheduler.runDue();
        return transport.attempt(1);
    }

    /** That the next attempt comes after exactly this wait and not before. */
    private HandTransport.Attempt assertNextAttemptAfter(Duration wait) {
        int before = transport.attempts.size();
        scheduler.advance(wait.minus(NEARLY));
        assertEquals(before, transport.attempts.size(), "attempts before the wait is over");
        scheduler.advance(NEARLY);
        return transport.attempt(before + 1);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has no thread for so many tasks. */
    private final class Hindered implements Scheduler {
        private final AtomicInteger refusals;
        private boolean clockBroken;
        private int waitsRefused;
        private boolean takesWhatItRefuses;

        Hindered(AtomicInteger refusals) {
            this.refusals = refusals;
        }

        @Override
        public void execute(Runnable task) {
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OutOfMemoryError("unable to create native thread, on purpose");
            }
            scheduler.execute(task);
        }

        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            if (waitsRefused > 0) {
                waitsRefused--;
                if (takesWhatItRefuses) {
                    Cancellable unused = scheduler.schedule(delay, task);
                }
                throw new IllegalStateException("no wait, on purpose");
            }
            return scheduler.schedule(delay, task);
        }

        @Override
        public long nanoTime() {
            return scheduler.nanoTime();
        }

        @Override
        public Instant now() {
            if (clockBroken) {
                throw new IllegalStateException("no clock, on purpose");
            }
            return scheduler.now();
        }
    }

    private Receiver startHindered(Mode mode, AtomicInteger refusals) {
        mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, new Hindered(refusals));
        scheduler.runDue();
        return transport.attempt(1).receiver;
    }

    private void deliver(Mode mode, HandTransport.Attempt attempt, String flags) {
        assertTrue(attempt.receiver.event(mode.event(), mode.data(flags), null));
        scheduler.runDue();
    }

    @Nested
    class Idle {
        @ParameterizedTest
        @EnumSource
        void startAttemptsOnTheSchedulerAndNotBefore(Mode mode) {
            start(mode);
            assertEquals(0, transport.attempts.size());
            scheduler.runDue();
            transport.attempt(1);
            assertEquals(List.of(), scheduler.pending());
            sink.assertExhausted();
        }

        @ParameterizedTest
        @EnumSource
        void cancelBeforeTheFirstAttemptMakesNone(Mode mode) {
            start(mode).cancel();
            scheduler.advance(Duration.ofDays(1));
            assertEquals(0, transport.attempts.size());
            assertEquals(List.of(), scheduler.pending());
            sink.assertExhausted();
        }
    }

    @Nested
    class Attempting {
        @ParameterizedTest
        @EnumSource
        void eventIsAppliedOnTheSchedulersThread(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            assertTrue(attempt.receiver.event(mode.event(), mode.data(FLAG), null));
            sink.assertExhausted(); // not before the hop
            scheduler.runDue();
            ChangeSet changes = sink.takeApplied();
            assertEquals(ChangeSet.Type.FULL, changes.type());
            assertEquals("{\"version\":1,\"on\":true}", changes.items().get(0).json());
            assertEquals(0, attempt.cancelled);
        }

        @ParameterizedTest
        @EnumSource
        void badDataAbandonsTheAttemptAndCountsOnce(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            assertFalse(attempt.receiver.event(mode.event(), "{sorry", null));
            attempt.receiver.failed(Failure.network("Socket closed")); // what abandoning provokes (R4)
            scheduler.runDue();
            RecordingSink.News.Interrupted news = sink.takeInterrupted();
            assertEquals(Failure.Kind.INVALID_DATA, news.error().kind());
            assertEquals(mode.base, news.nextAttemptIn());
            assertEquals(1, attempt.cancelled);
            sink.assertExhausted();
            assertNextAttemptAfter(mode.base);
        }

        @ParameterizedTest
        @EnumSource
        void failureIsReportedAndFollowedByTheNextAttempt(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            attempt.receiver.failed(Failure.httpStatus(503, OptionalLong.of(45)));
            scheduler.runDue();
            RecordingSink.News.Interrupted news = sink.takeInterrupted();
            assertEquals(ErrorInfo.of(Failure.httpStatus(503, OptionalLong.of(45)), scheduler.now()), news.error());
            assertEquals(Duration.ofSeconds(45), news.nextAttemptIn());
            assertNextAttemptAfter(Duration.ofSeconds(45));
        }

        @ParameterizedTest
        @EnumSource
        void openAnswerThatBringsNothingInTimeIsAFailure(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            attempt.receiver.expecting(Duration.ofSeconds(20));
            attempt.receiver.heartbeat(); // which is no data
            scheduler.advance(Duration.ofSeconds(20).minus(NEARLY));
            sink.assertExhausted();
            assertEquals(0, attempt.cancelled);
            scheduler.advance(NEARLY);
            RecordingSink.News.Interrupted news = sink.takeInterrupted();
            assertEquals(Failure.Kind.NETWORK, news.error().kind());
            assertEquals(
                    "connected but silent: no event began within PT20S",
                    news.error().message());
            assertEquals(mode.base, news.nextAttemptIn());
            assertEquals(1, attempt.cancelled);
            attempt.receiver.failed(Failure.network("Socket closed")); // what cancelling provokes (R4)
            scheduler.runDue();
            sink.assertExhausted();
            assertNextAttemptAfter(mode.base);
        }

        @ParameterizedTest
        @EnumSource
        void dataThatBeginToArriveInTimeMayTakeTheirTime(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            attempt.receiver.expecting(Duration.ofSeconds(20));
            scheduler.advance(Duration.ofSeconds(20).minus(NEARLY));
            attempt.receiver.arriving();
            scheduler.runDue();
            assertEquals(List.of(), scheduler.pending());
            scheduler.advance(Duration.ofHours(1));
            deliver(mode, attempt, FLAG);
            sink.takeApplied();
            sink.assertExhausted();
        }

        @ParameterizedTest
        @EnumSource
        void deadlineEndsWithTheAttempt(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            attempt.receiver.expecting(Duration.ofSeconds(20));
            attempt.receiver.failed(Failure.network("reset"));
            attempt.receiver.expecting(Duration.ofSeconds(20)); // late
            scheduler.runDue();
            assertEquals(List.of(mode.base), scheduler.pending());
            scheduler.advance(mode.base);
            HandTransport.Attempt second = transport.attempt(2);
            second.receiver.expecting(Duration.ofSeconds(20));
            scheduler.runDue();
            assertEquals(List.of(Duration.ofSeconds(20)), scheduler.pending());
            assertTrue(second.receiver.event(mode.event(), mode.data(FLAG), null));
            second.receiver.ended();
            scheduler.runDue();
            assertFalse(scheduler.pending().contains(Duration.ofSeconds(20)));
            assertEquals(0, second.cancelled, "what ended well is not cancelled");
        }

        @ParameterizedTest
        @EnumSource
        void cancellingLeavesNoDeadline(Mode mode) {
            Cancellable run = start(mode);
            scheduler.runDue();
            transport.attempt(1).receiver.expecting(Duration.ofSeconds(20));
            scheduler.runDue();
            run.cancel();
            assertEquals(List.of(), scheduler.pending());
            assertEquals(1, transport.attempt(1).cancelled);
            transport.attempt(1).receiver.expecting(Duration.ofSeconds(20)); // late
            scheduler.runDue();
            assertEquals(List.of(), scheduler.pending());
        }

        @Test
        void pollThatEndedWellIsFollowedAfterTheInterval() {
            HandTransport.Attempt attempt = startAttempt(Mode.POLLING);
            deliver(Mode.POLLING, attempt, FLAG);
            sink.takeApplied();
            scheduler.advance(Duration.ofSeconds(20)); // however long the rest of it takes
            attempt.receiver.ended();
            scheduler.runDue();
            assertNextAttemptAfter(Duration.ofSeconds(30));
            sink.assertExhausted();
        }

        @ParameterizedTest
        @EnumSource
        void endWithoutAnythingReceivedIsAFailure(Mode mode) {
            startAttempt(mode).receiver.ended();
            scheduler.runDue();
            assertEquals(
                    Failure.Kind.INVALID_DATA, sink.takeInterrupted().error().kind());
            assertNextAttemptAfter(mode.base);
        }

        @ParameterizedTest
        @EnumSource
        void cancelEndsTheAttemptAndNothingIsHeardOfItAfterwards(Mode mode) {
            Cancellable loop = start(mode);
            scheduler.runDue();
            HandTransport.Attempt attempt = transport.attempt(1);
            attempt.receiver.event(mode.event(), mode.data(FLAG), null); // on its way when it is cancelled
            loop.cancel();
            attempt.receiver.event(mode.event(), mode.data(FLAG), null);
            attempt.receiver.unchanged();
            attempt.receiver.heartbeat();
            attempt.receiver.reconnectionTime(5000);
            attempt.receiver.ended();
            attempt.receiver.failed(Failure.network("Canceled"));
            scheduler.advance(Duration.ofDays(1));
            assertEquals(1, attempt.cancelled);
            assertEquals(1, transport.closed);
            assertEquals(1, transport.attempts.size());
            assertEquals(List.of(), scheduler.pending());
            sink.assertExhausted();
        }

        @ParameterizedTest
        @EnumSource
        void unchangedConfirmsAndCountsAsSuccess(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            attempt.receiver.unchanged();
            attempt.receiver.ended();
            scheduler.runDue();
            sink.takeConfirmed();
            sink.assertExhausted();
        }

        @ParameterizedTest
        @EnumSource
        void heartbeatConfirmsOnlyOnceThisAttemptHasBroughtData(Mode mode) {
            HandTransport.Attempt first = startAttempt(mode);
            deliver(mode, first, FLAG);
            sink.takeApplied();
            first.receiver.heartbeat();
            scheduler.runDue();
            sink.takeConfirmed();

            first.receiver.failed(Failure.network("reset"));
            scheduler.runDue();
            sink.takeInterrupted();
            HandTransport.Attempt second = assertNextAttemptAfter(mode.base);
            second.receiver.heartbeat(); // the service is there, but nobody knows whether the data are current
            scheduler.runDue();
            sink.assertExhausted();
        }

        @ParameterizedTest
        @EnumSource
        void whatTheServiceCallsTheDataIsToldWithTheNextAttempt(Mode mode) {
            HandTransport.Attempt first = startAttempt(mode);
            assertEquals(null, first.held);
            first.receiver.event(mode.event(), mode.data(FLAG), "tag-1");
            first.receiver.failed(Failure.network("reset"));
            scheduler.runDue();
            HandTransport.Attempt second = assertNextAttemptAfter(mode.base);
            assertEquals("tag-1", second.held);
            second.receiver.event(mode.event(), "{sorry", "tag-2"); // not applied, so not held
            scheduler.runDue();
            scheduler.advance(mode.base.multipliedBy(2));
            HandTransport.Attempt third = transport.attempt(3);
            assertEquals("tag-1", third.held);
            third.receiver.event(mode.event(), mode.data(FLAG), null);
            third.receiver.failed(Failure.network("reset"));
            scheduler.runDue();
            scheduler.advance(Duration.ofSeconds(30));
            assertEquals(null, transport.attempt(4).held);
        }

        /** In case it is the name that cannot be borne: of the service, or of something on the way. */
        @ParameterizedTest
        @ValueSource(ints = {400, 412, 431, 401, 429, 503})
        void requestThatCouldNotBeBorneIsMadeAgainWithoutTheNameOfTheData(int status) {
            HandTransport.Attempt attempt = startAttempt(Mode.POLLING);
            assertTrue(attempt.receiver.event("poll", Mode.POLLING.data(FLAG), "name"));
            attempt.receiver.ended();
            scheduler.runDue();
            scheduler.advanceToNext();
            HandTransport.Attempt second = transport.attempt(2);
            assertEquals("name", second.held);
            second.receiver.failed(Failure.httpStatus(status, OptionalLong.empty()));
            scheduler.runDue();
            scheduler.advanceToNext();
            boolean forgotten = status == 400 || status == 412 || status == 431;
            assertEquals(forgotten ? null : "name", transport.attempt(3).held);
        }

        /** While the scheduler is behind, the attempt's thread waits and reads no more. */
        @Test
        void newsThatNobodyTakesAreNotPiledUp() throws Exception {
            HandTransport.Attempt attempt = startAttempt(Mode.STREAMING);
            AtomicInteger told = new AtomicInteger();
            Thread reader = new Thread(() -> {
                attempt.receiver.event("put", Mode.STREAMING.data(FLAG), null);
                for (int i = 0; i < 5000; i++) {
                    attempt.receiver.heartbeat();
                    told.incrementAndGet();
                }
            });
            reader.start();
            Sockets.await().until(() -> reader.getState() == Thread.State.TIMED_WAITING);
            assertEquals(1023, told.get());
            assertEquals(1024, scheduler.pending().size());
            scheduler.runDue();
            Sockets.runUntil(scheduler, () -> told.get() == 5000);
            reader.join(10_000);
            assertFalse(reader.isAlive());
        }

        @Tag("real-time")
        @Test
        void nobodyWaitsForRoomAfterTheEnd() throws Exception {
            Cancellable run = start(Mode.STREAMING);
            scheduler.runDue();
            Receiver receiver = transport.attempt(1).receiver;
            String large = Mode.STREAMING.data("\"a\":{\"version\":1,\"x\":\"" + "x".repeat(70_000_000) + "\"}");
            Thread reader = new Thread(() -> {
                receiver.event("put", large, null); // takes all the room there is
                receiver.event("put", large, null);
                receiver.heartbeat();
            });
            reader.start();
            Sockets.await().until(() -> reader.getState() == Thread.State.TIMED_WAITING);
            run.cancel();
            reader.join(10_000);
            assertFalse(reader.isAlive());
            scheduler.runDue();
            sink.assertExhausted();
        }

        /** It may have dropped the news that took the room, and takes no more. */
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void nobodyWaitsForASchedulerThatIsClosed(boolean beforehand) throws Exception {
            SystemScheduler real = Scheduler.system("flagfeed-test");
            CountDownLatch goOn = new CountDownLatch(1);
            CountDownLatch begun = new CountDownLatch(1);
            Mode.STREAMING.loop(transport, Mode.STREAMING.base, RetryPolicy.DEFAULT, 0, sink, real);
            real.execute(() -> {
                begun.countDown();
                awaitUninterruptibly(goOn);
            });
            assertTrue(begun.await(10, TimeUnit.SECONDS));
            Receiver receiver = transport.attempt(1).receiver;
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            AtomicInteger told = new AtomicInteger();
            Thread reader = new Thread(() -> {
                for (int i = 0; i < 5000; i++) {
                    receiver.heartbeat();
                    told.incrementAndGet();
                }
            });
            reader.setUncaughtExceptionHandler((thread, e) -> thrown.set(e));
            if (beforehand) {
                real.close();
            }
            reader.start();
            Sockets.await().until(() -> beforehand || reader.getState() == Thread.State.TIMED_WAITING);
            real.close();
            goOn.countDown();
            reader.join(10_000);
            assertFalse(reader.isAlive());
            assertEquals(RejectedExecutionException.class, thrown.get().getClass());
            // what was due already is run all the same, and makes room for one
            assertTrue(told.get() <= (beforehand ? 0 : 1025), told::toString);
        }

        /** The scheduler's may have ended while there was nothing to do, and nobody else would notice. */
        @Tag("real-time")
        @ParameterizedTest
        @EnumSource
        void newsWaitForAThread(Mode mode) throws Exception {
            AtomicInteger refusals = new AtomicInteger();
            Receiver receiver = startHindered(mode, refusals);
            refusals.set(2);
            Thread reader = new Thread(() -> {
                receiver.event(mode.event(), mode.data(FLAG), null);
                refusals.set(2);
                receiver.failed(Failure.network("gone"));
            });
            reader.start();
            reader.interrupt(); // which is no reason to give up
            reader.join(20_000);
            assertFalse(reader.isAlive());
            scheduler.runDue();
            sink.takeApplied();
            assertEquals("gone", sink.takeInterrupted().error().message());
            sink.assertExhausted();
        }

        /** Or the thread of the attempt would come to its end, and the source with it. */
        @Tag("real-time")
        @ParameterizedTest
        @EnumSource
        void newsWaitForAThreadWhateverTheLogDoes(Mode mode) {
            AtomicInteger refusals = new AtomicInteger();
            Receiver receiver = startHindered(mode, refusals);
            refusals.set(1);
            try (RecordedLog log = RecordedLog.thatThrows()) {
                receiver.event(mode.event(), mode.data(FLAG), null);
                assertEquals(Set.of("News that cannot be handed on yet"), log.texts(Level.DEBUG));
            }
            scheduler.runDue();
            sink.takeApplied();
            sink.assertExhausted();
        }

        @Test
        void nobodyWaitsForAThreadAfterTheEnd() throws Exception {
            AtomicInteger refusals = new AtomicInteger();
            Mode mode = Mode.STREAMING;
            Cancellable run = mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, new Hindered(refusals));
            scheduler.runDue();
            Receiver receiver = transport.attempt(1).receiver;
            refusals.set(Integer.MAX_VALUE);
            Thread reader = new Thread(() -> receiver.failed(Failure.network("gone")));
            reader.start();
            Sockets.await().until(() -> reader.getState() == Thread.State.TIMED_WAITING);
            run.cancel();
            reader.join(10_000);
            assertFalse(reader.isAlive());
            scheduler.runDue();
            sink.assertExhausted();
        }

        /** It has another try, and where that fails, too, nobody says that all is well. */
        @ParameterizedTest
        @EnumSource
        void waitThatCannotBeginIsAFailure(Mode mode) {
            Hindered hindered = new Hindered(new AtomicInteger());
            mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, hindered);
            scheduler.runDue();
            HandTransport.Attempt first = transport.attempt(1);
            deliver(mode, first, FLAG);
            sink.takeApplied();
            hindered.waitsRefused = 2;
            first.receiver.ended();
            scheduler.runDue();
            assertEquals(
                    IllegalStateException.class.getName(),
                    sink.takeInterrupted().error().message());
            assertNextAttemptAfter(mode.base);
        }

        @ParameterizedTest
        @CsvSource({"STREAMING, false", "STREAMING, true", "POLLING, false", "POLLING, true"})
        void waitAfterAFailureHasAnotherTry(Mode mode, boolean takesWhatItRefuses) {
            Hindered hindered = new Hindered(new AtomicInteger());
            hindered.takesWhatItRefuses = takesWhatItRefuses;
            mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, hindered);
            scheduler.runDue();
            hindered.waitsRefused = 1;
            transport.attempt(1).receiver.failed(Failure.network("gone"));
            scheduler.runDue();
            assertEquals("gone", sink.takeInterrupted().error().message());
            assertNextAttemptAfter(mode.base);
            scheduler.runDue();
            assertEquals(2, transport.attempts.size()); // and no third beside the second
        }

        @Test
        void keyIsSwappedWhateverTheLogDoes() {
            Credential credential = Credential.of("old-key");
            RetryState retry = RetryState.forStreaming(RetryPolicy.DEFAULT, Mode.STREAMING.base, () -> 0);
            Cancellable unused = new SourceLoop(
                            "loop", transport, Mode.STREAMING::decoder, retry, Mode.NO_SPREAD, sink, scheduler)
                    .start(credential);
            scheduler.runDue();
            try (RecordedLog log = RecordedLog.thatThrows()) {
                credential.swap("new-key");
                assertThrows(NoClassDefFoundError.class, scheduler::runDue);
                assertEquals(Set.of("{} goes on with another key"), log.texts(Level.INFO));
            }
            scheduler.runDue();
            transport.attempt(2);
        }

        /** The attempt has a thread: it ends, and tells so once the scheduler has one. */
        @Test
        void swapWithoutAThreadEndsTheExchange() {
            AtomicInteger refusals = new AtomicInteger();
            Credential credential = Credential.of("old-key");
            RetryState retry = RetryState.forStreaming(RetryPolicy.DEFAULT, Mode.STREAMING.base, () -> 0);
            Cancellable unused = new SourceLoop(
                            "loop",
                            transport,
                            Mode.STREAMING::decoder,
                            retry,
                            Mode.NO_SPREAD,
                            sink,
                            new Hindered(refusals))
                    .start(credential);
            scheduler.runDue();
            HandTransport.Attempt first = transport.attempt(1);
            deliver(Mode.STREAMING, first, FLAG);
            sink.takeApplied();
            refusals.set(1);
            credential.swap("new-key");
            assertEquals(1, first.cancelled);
            first.receiver.failed(Failure.network("cancelled"));
            scheduler.runDue();
            assertEquals("cancelled", sink.takeInterrupted().error().message());
            assertNextAttemptAfter(Mode.STREAMING.base);
        }

        /** Whoever has other things to do leaves it to the attempt's thread. */
        @ParameterizedTest
        @EnumSource
        void whatTookTooLongIsToldOfOnceThereIsAThread(Mode mode) {
            AtomicInteger refusals = new AtomicInteger();
            Receiver receiver = startHindered(mode, refusals);
            refusals.set(1);
            assertThrows(OutOfMemoryError.class, () -> receiver.expired(Failure.network("too late")));
            scheduler.runDue();
            sink.assertExhausted();
            receiver.failed(Failure.network("too late, and told of"));
            receiver.expired(Failure.network("said already"));
            scheduler.runDue();
            assertEquals("too late, and told of", sink.takeInterrupted().error().message());
            sink.assertExhausted();
        }

        /** More than may wait at a time: whatever was dealt with has made room for others. */
        @ParameterizedTest
        @EnumSource
        @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void whatWasDealtWithTakesUpNoRoom(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            for (int i = 0; i < 3000; i++) {
                deliver(mode, attempt, FLAG);
                sink.takeApplied();
            }
            sink.assertExhausted();
        }

        /** Nobody can be told then, but the log is, and another attempt follows. */
        @ParameterizedTest
        @EnumSource
        void clockThatThrowsWhenAnAttemptFailsEndsNothing(Mode mode) {
            Hindered hindered = new Hindered(new AtomicInteger());
            mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, hindered);
            scheduler.runDue();
            hindered.clockBroken = true;
            try (RecordedLog log = new RecordedLog()) {
                transport.attempt(1).receiver.failed(Failure.network("gone"));
                scheduler.runDue();
                assertEquals(1, log.texts(Level.ERROR).size());
                assertEquals(2, log.texts(Level.WARN).size(), "and that the attempt failed");
            }
            hindered.clockBroken = false;
            sink.assertExhausted();
            deliver(mode, assertNextAttemptAfter(mode.base), FLAG);
            sink.takeApplied();
        }

        @ParameterizedTest
        @EnumSource
        void transportThatCannotBeginIsAFailure(Mode mode) {
            transport.refusal = new IllegalStateException("no thread");
            start(mode);
            scheduler.runDue();
            assertEquals(Failure.Kind.UNKNOWN, sink.takeInterrupted().error().kind());
            transport.refusal = null;
            HandTransport.Attempt next = assertNextAttemptAfter(mode.base);
            next.receiver.event(mode.event(), mode.data(FLAG), "tag that cannot be sent");
            next.receiver.failed(Failure.network("reset"));
            scheduler.runDue();
            transport.refusal = new IllegalArgumentException("tag");
            scheduler.advance(Duration.ofSeconds(30));
            transport.refusal = null;
            scheduler.advance(Duration.ofSeconds(30));
            assertEquals(null, transport.attempts.get(transport.attempts.size() - 1).held);
        }
    }

    /** Every kind of trouble before an attempt has begun is a failed attempt. */
    @ParameterizedTest
    @EnumSource
    void decoderThatCannotBeMadeIsAFailure(Mode mode) {
        AtomicInteger asked = new AtomicInteger();
        Supplier<EventDecoder> decoders = () -> {
            if (asked.incrementAndGet() == 2) {
                throw new NoClassDefFoundError("on purpose");
            }
            return mode.decoder();
        };
        RetryState retry = mode.retry(RetryPolicy.DEFAULT, mode.base, 0);
        new SourceLoop("Test", transport, decoders, retry, Mode.NO_SPREAD, sink, scheduler)
                .start(Credential.of("sdk-key"));
        scheduler.runDue();
        transport.attempt(1).receiver.event(mode.event(), mode.data(FLAG), "name");
        transport.attempt(1).receiver.failed(Failure.network("reset"));
        scheduler.runDue();
        sink.takeApplied();
        sink.takeInterrupted();
        scheduler.advance(mode.base);
        transport.attempt(1); // and no other
        ErrorInfo error = sink.takeInterrupted().error();
        assertEquals(Failure.Kind.UNKNOWN, error.kind());
        assertEquals("java.lang.NoClassDefFoundError", error.message());
        sink.assertExhausted();
        HandTransport.Attempt next =
                assertNextAttemptAfter(mode == Mode.STREAMING ? mode.base.multipliedBy(2) : mode.base);
        deliver(mode, next, FLAG);
        sink.takeApplied();
    }

    @Nested
    class Waiting {
        @ParameterizedTest
        @EnumSource
        void lateNewsIsIgnored(Mode mode) {
            HandTransport.Attempt attempt = startAttempt(mode);
            attempt.receiver.failed(Failure.network("reset"));
            scheduler.runDue();
            sink.takeInterrupted();
            attempt.receiver.event(mode.event(), mode.data(FLAG), null);
            attempt.receiver.unchanged();
            attempt.receiver.heartbeat();
            attempt.receiver.reconnectionTime(20_000);
            attempt.receiver.ended();
            attempt.receiver.failed(Failure.network("again"));
            scheduler.runDue();
            sink.assertExhausted();
            assertNextAttemptAfter(mode.base);
        }

        @ParameterizedTest
        @EnumSource
        void newsOfTheOldAttemptIsIgnoredWhileTheNextIsUnderWay(Mode mode) {
            HandTransport.Attempt old = startAttempt(mode);
            old.receiver.failed(Failure.network("reset"));
            scheduler.runDue();
            sink.takeInterrupted();
            assertNextAttemptAfter(mode.base);
            old.receiver.event(mode.event(), mode.data(FLAG), null);
            old.receiver.failed(Failure.network("again"));
            scheduler.runDue();
            sink.assertExhausted();
            assertEquals(List.of(), scheduler.pending());
        }

        @ParameterizedTest
        @EnumSource
        void cancelEndsTheWait(Mode mode) {
            Cancellable loop = start(mode);
            scheduler.runDue();
            transport.attempt(1).receiver.failed(Failure.httpStatus(401, OptionalLong.empty()));
            scheduler.runDue();
            assertEquals(List.of(Duration.ofMinutes(5)), scheduler.pending());
            loop.cancel();
            loop.cancel();
            assertEquals(List.of(), scheduler.pending());
            scheduler.advance(Duration.ofDays(1));
            assertEquals(1, transport.attempts.size());
        }
    }

    @Nested
    class SinkThatThrows {
        private final List<String> calls = new ArrayList<>();

        private Cancellable start(Mode mode, UpdateSink sink) {
            return mode.loop(transport, mode.base, RetryPolicy.DEFAULT, 0, sink, scheduler);
        }

        @ParameterizedTest
        @EnumSource
        void failedApplyAsksForEverythingAgain(Mode mode) {
            start(mode, new UpdateSink() {
                @Override
                public void apply(ChangeSet changes) {
                    calls.add("apply");
                    if (calls.size() > 1) {
                        throw new StackOverflowError();
                    }
                }

                @Override
                public void confirm() {}

                @Override
                public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                    calls.add(error.kind() + " " + error.message());
                    throw new IllegalStateException("and again");
                }
            });
            scheduler.runDue();
            transport.attempt(1).receiver.event(mode.event(), mode.data(FLAG), "tag-1");
            transport.attempt(1).receiver.event(mode.event(), mode.data(FLAG), "tag-2");
            scheduler.runDue();
            assertEquals(List.of("apply", "apply", "UNKNOWN java.lang.StackOverflowError"), calls);
            assertEquals(1, transport.attempt(1).cancelled);
            assertEquals(null, assertNextAttemptAfter(mode.base).held);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatEndedWellIsNotCancelled(Mode mode) {
        HandTransport.Attempt attempt = startAttempt(mode);
        deliver(mode, attempt, FLAG);
        attempt.receiver.ended();
        scheduler.runDue();
        assertEquals(0, attempt.cancelled);
    }

    /** A server that accepts, sends everything and hangs up: ten thousand times, in virtual time. */
    @Test
    void flappingForTenThousandCyclesStaysOnTheLadder() {
        DataSystem system = DataSystem.builder((sink, time) ->
                        Mode.STREAMING.loop(transport, Duration.ofSeconds(1), RetryPolicy.DEFAULT, 0, sink, time))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        List<State> states = new ArrayList<>();
        system.onStatus(status -> states.add(status.state()));
        system.start();
        scheduler.runDue();
        long[] ladder = {1, 2, 4, 8, 16, 30};
        int cycles = 10_000;
        for (int i = 0; i < cycles; i++) {
            HandTransport.Attempt attempt = transport.attempt(i + 1);
            attempt.receiver.event("put", Mode.STREAMING.data("\"a\":{\"version\":" + i + "}"), null);
            scheduler.advance(Duration.ofSeconds(5));
            attempt.receiver.failed(Failure.network("the service ended the stream"));
            scheduler.runDue();
            assertEquals(State.INTERRUPTED, system.status().state());
            assertEquals(i, system.get(ItemKind.FLAG, "a").orElseThrow().version());
            assertEquals(List.of(Duration.ofSeconds(ladder[Math.min(i, 5)])), scheduler.pending());
            scheduler.advance(Duration.ofSeconds(ladder[Math.min(i, 5)]));
        }
        assertEquals(2 * cycles, states.size()); // VALID and INTERRUPTED in turn, nothing lost or doubled
        system.close();
        assertEquals(List.of(), scheduler.pending());
    }
}
