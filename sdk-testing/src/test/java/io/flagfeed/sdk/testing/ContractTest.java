package io.flagfeed.sdk.testing;

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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

/** That the contracts refuse what breaks them: which of their tests a wrong source or sink fails. */
final class ContractTest {
    private static Set<String> failed(Class<?> contract) {
        Set<String> failed = new TreeSet<>();
        EngineTestKit.engine("junit-jupiter").selectors(selectClass(contract)).execute().testEvents().failed().stream()
                .forEach(event ->
                        failed.add(event.getTestDescriptor().getDisplayName().replace("()", "")));
        return failed;
    }

    /** The fake with one thing wrong. */
    abstract static class Wrong extends DataSourceContract {
        final FakeDataSource fake = new FakeDataSource();

        @Override
        protected DataSource source() {
            return this::start;
        }

        abstract Cancellable start(UpdateSink sink, Scheduler scheduler);

        @Override
        protected void serve(List<Item> items) {
            fake.apply(ChangeSet.full(items));
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
                        "nothingIsToldAfterCancellingDuringAWait",
                        "nothingIsToldAfterCancellingWithData",
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
                    new UpdateSink() {
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
                            sink.interrupted(error, Duration.ofDays(30)); // as good as never
                        }
                    },
                    scheduler);
        }
    }

    @Test
    void aSourceThatGivesUpIsRefused() {
        assertEquals(
                Set.of("aFailureIsReportedAndDoesNotEndTheRun", "nullIsRefusedAtOnce"), failed(HidesFailures.class));
    }

    static final class Complains extends UpdateSinkContract {
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
        protected void close() {}

        @Override
        protected boolean knows(Item item) {
            return sink.waiting().toString().contains(item.toString());
        }
    }

    @Test
    void aSinkThatThrowsOrTakesNullIsRefused() {
        assertEquals(Set.of("itRefusesNullAndGoesOn", "itTakesAnyNewsInAnyOrder"), failed(Complains.class));
    }
}
