package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** That the contracts refuse what breaks them: which of their tests a wrong source or sink fails. */
@Tag("real-time")
final class ContractTest {
    private static Set<String> failed(Class<?> contract) {
        return failures(contract)
                .map(event -> event.getTestDescriptor().getDisplayName().replace("()", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Which tests failed and, up to the values, why. */
    private static List<String> messages(Class<?> contract) {
        return failures(contract)
                .map(event -> event.getTestDescriptor().getDisplayName() + ": "
                        + event.getRequiredPayload(TestExecutionResult.class)
                                .getThrowable()
                                .orElseThrow()
                                .getMessage()
                                .replaceFirst(" ==> .*", ""))
                .toList();
    }

    private static Stream<Event> failures(Class<?> contract) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(contract))
                .execute()
                .testEvents()
                .failed()
                .stream();
    }

    /** The fake with one thing wrong. */
    abstract static class Wrong extends DataSourceContract {
        final FakeDataSource fake = new FakeDataSource();
        private ChangeSet served = ChangeSet.full(List.of());

        @Override
        protected DataSource source() {
            return this::start;
        }

        abstract Cancellable start(UpdateSink sink, Scheduler scheduler);

        @Override
        protected void serve(List<Item> items) {
            served = ChangeSet.full(items);
            fake.apply(served);
        }

        @Override
        protected boolean confirm() {
            fake.confirm();
            return true;
        }

        @Override
        protected void tryAgain() {
            fake.apply(served);
        }

        @Override
        Duration longestWait() {
            return Duration.ofMillis(200); // there are no threads to wait for
        }

        @Override
        protected void interrupt() {
            fake.fail(Failure.network("cut"), Duration.ofSeconds(1));
        }
    }

    static final class IgnoresCancel extends Wrong {
        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            Cancellable unused = fake.start(sink, scheduler);
            return () -> {};
        }
    }

    @Test
    void aSourceThatIgnoresCancelIsRefused() {
        assertEquals(
                Set.of(
                        "cancellingFromTheSinkEndsTheRun",
                        "nothingIsToldAfterCancellingDuringAWait",
                        "nothingIsToldAfterCancellingWithData",
                        "nothingIsToldToASinkThatCancelsAndThrows",
                        "nothingIsToldToASinkThatCancelsAndThrowsWhenItHearsOfAFailure",
                        "runsOfOneSourceAreIndependent"),
                failed(IgnoresCancel.class));
    }

    static final class TellsInline extends Wrong {
        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            sink.apply(ChangeSet.full(List.of()));
            return fake.start(sink, scheduler);
        }
    }

    @Test
    void aSourceThatTellsInsideStartIsRefused() {
        assertEquals(true, failed(TellsInline.class).contains("startReturnsBeforeAnythingIsTold"));
    }

    static final class HidesFailures extends Wrong {
        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            return fake.start(
                    new Passing(sink) {
                        @Override
                        public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                            super.interrupted(error, Duration.ofDays(30)); // as good as never
                        }
                    },
                    scheduler);
        }
    }

    @Test
    void aSourceThatGivesUpIsRefused() {
        assertEquals(Set.of("aFailureIsReportedAndDoesNotEndTheRun"), failed(HidesFailures.class));
    }

    /** Never says that anything is gone. */
    static final class OnlyAdds extends Wrong {
        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            return fake.start(
                    new Passing(sink) {
                        private boolean began;

                        @Override
                        public void apply(ChangeSet changes) {
                            super.apply(began ? ChangeSet.partial(changes.items()) : changes);
                            began = true;
                        }
                    },
                    scheduler);
        }
    }

    /** The same, and says of each item once what it is. */
    static final class OnlyAddsWhatIsNew extends Wrong {
        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            return fake.start(
                    new Passing(sink) {
                        private final Set<Item> told = new HashSet<>();

                        @Override
                        public void apply(ChangeSet changes) {
                            List<Item> news = changes.items().stream()
                                    .filter(item -> !told.contains(item))
                                    .toList();
                            super.apply(told.isEmpty() ? changes : ChangeSet.partial(news));
                            told.addAll(news);
                        }
                    },
                    scheduler);
        }
    }

    @Test
    void aSourceThatSaysOfNothingThatItIsGoneIsRefused() {
        assertEquals(Set.of("whatIsServedNoMoreIsGone"), failed(OnlyAdds.class));
        assertEquals(Set.of("whatIsServedNoMoreIsGone"), failed(OnlyAddsWhatIsNew.class));
    }

    /** After an outage goes on with what comes then, and asks for nothing that came in it. */
    static final class GoesOnWhereItIs extends Wrong {
        private long outageEnds;
        private List<Item> missed = List.of();

        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            return fake.start(sink, scheduler);
        }

        @Override
        protected void interrupt() {
            super.interrupt();
            outageEnds = time.nanoTime() + Duration.ofSeconds(1).toNanos();
        }

        @Override
        protected void serve(List<Item> items) {
            if (time.nanoTime() < outageEnds) {
                missed = items;
            } else {
                super.serve(items);
            }
        }

        @Override
        protected void tryAgain() {
            if (missed.isEmpty()) {
                super.tryAgain();
            }
        }
    }

    @Test
    void aSourceThatMissesWhatChangedDuringAnOutageIsRefused() {
        assertEquals(Set.of("whatChangedDuringAnOutageArrivesAfterIt"), failed(GoesOnWhereItIs.class));
    }

    static final class EndsWithASinkThatThrows extends Wrong {
        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            Cancellable[] run = new Cancellable[1];
            run[0] = fake.start(
                    new Passing(sink) {
                        private void orEnd(Runnable call) {
                            try {
                                call.run();
                            } catch (RuntimeException | Error e) {
                                run[0].cancel();
                            }
                        }

                        @Override
                        public void confirm() {
                            orEnd(super::confirm);
                        }

                        @Override
                        public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                            orEnd(() -> super.interrupted(error, nextAttemptIn));
                        }
                    },
                    scheduler);
            return run[0];
        }
    }

    @Test
    void aSourceThatASinkCanEndByThrowingIsRefused() {
        assertEquals(
                Set.of(
                        "aSinkThatThrowsWhenDataAreConfirmedIsToldFurther",
                        "aSinkThatThrowsWhenItHearsOfAFailureIsToldFurther"),
                failed(EndsWithASinkThatThrows.class));
    }

    /** As a poll would that sends the ETag of what the sink did not take. */
    static final class ForgetsWhatWasRefused extends Wrong {
        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            return fake.start(
                    new Passing(sink) {
                        private final Set<List<Item>> refused = new HashSet<>();

                        @Override
                        public void apply(ChangeSet changes) {
                            if (refused.contains(changes.items())) {
                                return;
                            }
                            try {
                                super.apply(changes);
                            } catch (IllegalStateException e) {
                                refused.add(changes.items());
                                throw e;
                            }
                        }
                    },
                    scheduler);
        }
    }

    @Test
    void aSourceThatLosesWhatASinkRefusedIsRefused() {
        assertEquals(Set.of("aSinkThatThrowsLosesNothingForGood"), failed(ForgetsWhatWasRefused.class));
    }

    static final class ExplainsItselfAfterCancel extends Wrong {
        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            return fake.start(
                    new Passing(sink) {
                        private void orExplain(Runnable call) {
                            try {
                                call.run();
                            } catch (IllegalStateException e) {
                                super.interrupted(
                                        ErrorInfo.of(Failure.network("no more"), scheduler.now()), Duration.ZERO);
                            }
                        }

                        @Override
                        public void apply(ChangeSet changes) {
                            orExplain(() -> super.apply(changes));
                        }

                        @Override
                        public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                            orExplain(() -> super.interrupted(error, nextAttemptIn));
                        }
                    },
                    scheduler);
        }
    }

    @Test
    void aSourceThatAnswersASinkThatHasCancelledIsRefused() {
        assertEquals(
                Set.of(
                        "nothingIsToldToASinkThatCancelsAndThrows",
                        "nothingIsToldToASinkThatCancelsAndThrowsWhenItHearsOfAFailure"),
                failed(ExplainsItselfAfterCancel.class));
    }

    static final class FailsToCancel extends Wrong {
        static final AtomicInteger RELEASED = new AtomicInteger();

        @Override
        Cancellable start(UpdateSink sink, Scheduler scheduler) {
            Cancellable run = fake.start(sink, scheduler);
            return () -> {
                run.cancel();
                throw new IllegalStateException("thrown on purpose");
            };
        }

        @Override
        protected void release() {
            assertEquals(0, fake.running(), "runs that nobody has cancelled");
            RELEASED.incrementAndGet();
        }
    }

    @Test
    void whateverACancelThrowsAllIsReleased() {
        FailsToCancel.RELEASED.set(0);
        int failed = failed(FailsToCancel.class).size();
        assertEquals(failed + 1, FailsToCancel.RELEASED.get()); // nullIsRefusedAtOnce has nothing to cancel
    }

    /** Hands everything on. */
    private static class Passing implements UpdateSink {
        private final UpdateSink sink;

        Passing(UpdateSink sink) {
            this.sink = requireNonNull(sink, "sink");
        }

        @Override
        public void apply(ChangeSet changes) {
            sink.apply(changes);
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

    static final class Complains extends UpdateSinkContract {
        static final AtomicInteger ENDED = new AtomicInteger();
        private final RecordingSink sink = new RecordingSink();

        @Override
        protected UpdateSink sink() {
            return new UpdateSink() {
                @Override
                public void apply(ChangeSet changes) {
                    if (changes.items().size() > 1) {
                        throw new IllegalStateException("too much");
                    }
                    sink.apply(changes);
                }

                @Override
                public void confirm() {}

                @Override
                public void interrupted(ErrorInfo error, Duration nextAttemptIn) {}
            };
        }

        @Override
        protected boolean hasEnd() {
            return false;
        }

        @Override
        protected void close() {
            ENDED.incrementAndGet();
        }

        @Override
        protected boolean knows(Item item) {
            return sink.waiting().toString().contains(item.toString());
        }
    }

    @Test
    void aSinkThatThrowsOrTakesNullIsRefusedAndItsOwnerClosed() {
        Complains.ENDED.set(0);
        assertEquals(Set.of("itRefusesNullAndGoesOn", "itTakesAnyNewsInAnyOrder"), failed(Complains.class));
        assertEquals(5 + 2, Complains.ENDED.get()); // after each test, and in the two of late news
    }

    /** A sink that remembers all its life what it is told, said to have an end. */
    static class HearsLateNews extends UpdateSinkContract {
        final RecordingSink sink = new RecordingSink();

        @Override
        protected UpdateSink sink() {
            return sink;
        }

        @Override
        protected void close() {}

        @Override
        protected boolean knows(Item item) {
            return sink.waiting().toString().contains(item.toString());
        }
    }

    static final class ShowsLateNews extends HearsLateNews {
        @Override
        protected List<?> shown() {
            return sink.waiting();
        }
    }

    @Test
    void aSinkThatHearsWhatComesAfterItsEndIsRefused() {
        assertEquals(
                List.of("lateNewsChangesNothing(): knows of a change that came after the end"),
                messages(HearsLateNews.class));
        assertEquals(
                List.of("lateNewsChangesNothing(): shown after a confirmation that came after the end"),
                messages(ShowsLateNews.class));
    }
}
