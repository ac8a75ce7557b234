package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** The extension as JUnit sees it: each class below is run as a downstream test would be. */
final class FlagfeedExtensionTest {
    private static String outcome(Class<?> testClass) {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute()
                .testEvents();
        assertEquals(1, tests.finished().count());
        List<Event> failed = tests.failed().list();
        return failed.isEmpty()
                ? "passed"
                : failed.get(0)
                        .getRequiredPayload(org.junit.platform.engine.TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow()
                        .getMessage();
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class Tidy {
        private FakeDataSource prepared;

        @BeforeEach
        void prepare(FakeDataSource source) {
            prepared = source;
        }

        @Test
        void test(
                VirtualScheduler time,
                FakeDataSource source,
                DataSystem system,
                RecordingSink sink,
                FakeFlagServer server) {
            assertSame(prepared, source);
            system.start();
            source.apply(TestFlags.full(TestFlags.flag("a").build()));
            time.runDue();
            assertEquals(State.VALID, system.status().state());
            sink.confirm();
            sink.takeConfirmed();
            assertEquals(0, server.requests().size());
        }
    }

    @Test
    void aTidyTestPassesAndItsSystemIsClosed() {
        assertEquals("passed", outcome(Tidy.class));
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class LeavesATask {
        @Test
        void test(VirtualScheduler time) {
            time.schedule(Duration.ofHours(1), () -> {});
        }
    }

    @Test
    void aTaskThatStillWaitsFailsTheTest() {
        assertEquals("after the test: tasks that wait in virtual time, due in: [PT1H]", outcome(LeavesATask.class));
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class ScriptsTooMuch {
        @Test
        void test(FakeFlagServer server) {
            server.stream().respond(503).times(2);
            server.poll().respond(401);
        }
    }

    @Test
    void anAnswerThatNoRequestGotFailsTheTest() {
        assertEquals(
                "after the test: answers that no request got: [respond(503) times(2)]; "
                        + "answers that no request got: [respond(401)]",
                outcome(ScriptsTooMuch.class));
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class ExpectsTooLittle {
        @Test
        void test(RecordingSink sink) {
            sink.confirm();
        }
    }

    @Test
    void newsThatNobodyTookFailsTheTest() {
        assertEquals(
                "after the test: news that nobody took from the sink: [Confirmed[]]", outcome(ExpectsTooLittle.class));
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class LeavesARun {
        @Test
        void test(FakeDataSource source, RecordingSink sink, VirtualScheduler time) {
            source.start(sink, time);
        }
    }

    @Test
    void aRunThatWasNotCancelledFailsTheTest() {
        assertEquals("after the test: runs of the fake source that were not cancelled: 1", outcome(LeavesARun.class));
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class LeavesAThread {
        static final CountDownLatch END = new CountDownLatch(1);

        @Test
        void test() {
            Thread thread = new Thread(
                    () -> {
                        try {
                            END.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    "flagfeed-forgotten");
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Test
    void aThreadThatIsStillAliveFailsTheTest() {
        try {
            assertEquals(
                    "after the test: threads that are still alive: [flagfeed-forgotten]", outcome(LeavesAThread.class));
        } finally {
            LeavesAThread.END.countDown();
        }
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class Fails {
        @Test
        void test(FakeFlagServer server, VirtualScheduler time) throws Exception {
            time.schedule(Duration.ofHours(1), () -> {}); // not worth a word beside the failure
            HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(server.uri() + "/sdk/latest-all"))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding());
            throw new AssertionError("the test's own");
        }
    }

    @Test
    void aTestThatFailedShowsWhatItsServerWasAskedAndNothingElse() {
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            assertEquals("the test's own", outcome(Fails.class));
        } finally {
            System.setErr(before);
        }
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains("GET /sdk/latest-all"), printed::toString);
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class AsksInTheConstructor {
        AsksInTheConstructor(DataSystem system) {
            system.start();
        }

        @Test
        void test() {}
    }

    /** It would be shared by all tests of the class, and closed after the first. */
    @Test
    void aConstructorGetsNoFakes() {
        assertTrue(outcome(AsksInTheConstructor.class).contains("No ParameterResolver"), "outcome");
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class AsksForNothing {
        @Test
        void test() {}
    }

    @Test
    void aTestThatAsksForNothingGetsNothing() {
        assertEquals("passed", outcome(AsksForNothing.class));
    }
}
