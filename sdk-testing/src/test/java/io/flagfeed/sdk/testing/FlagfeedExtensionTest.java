package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** The extension as JUnit sees it: each class below is run as a downstream test would be. */
final class FlagfeedExtensionTest {
    private static String outcome(Class<?> testClass) {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute()
                .testEvents();
        assertEquals(1, tests.finished().count());
        TestExecutionResult result = tests.finished().list().get(0).getRequiredPayload(TestExecutionResult.class);
        return switch (result.getStatus()) {
            case SUCCESSFUL -> "passed";
            case ABORTED -> "aborted";
            case FAILED -> result.getThrowable().orElseThrow().getMessage();
        };
    }

    /** What a test class has printed to the standard error stream when it is done. */
    private static String printedBy(Executable run) throws Throwable {
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            run.execute();
        } finally {
            System.setErr(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    private static void poll(FakeFlagServer server) throws Exception {
        HttpRequest poll = HttpRequest.newBuilder(URI.create(server.uri() + "/sdk/latest-all"))
                .build();
        HttpClient.newHttpClient().send(poll, HttpResponse.BodyHandlers.discarding());
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
        assertEquals(
                "after the test: tasks that wait in virtual time: [FlagfeedExtensionTest.LeavesATask in PT1H]",
                outcome(LeavesATask.class));
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
        static CountDownLatch end;

        @Test
        void test() {
            Thread thread = new Thread(
                    () -> {
                        try {
                            end.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    "somebody's");
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Tag("real-time")
    @Test
    void aThreadThatIsStillAliveFailsTheTest() {
        LeavesAThread.end = new CountDownLatch(1);
        try {
            assertEquals("after the test: threads that are still alive: [somebody's]", outcome(LeavesAThread.class));
        } finally {
            LeavesAThread.end.countDown();
        }
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class Fails {
        @Test
        void test(FakeFlagServer server, VirtualScheduler time) throws Exception {
            time.schedule(Duration.ofHours(1), () -> {}); // not worth a word beside the failure
            poll(server);
            throw new AssertionError("the test's own");
        }
    }

    @Test
    void aTestThatFailedShowsWhatItsServerWasAskedAndNothingElse() throws Throwable {
        String printed = printedBy(() -> assertEquals("the test's own", outcome(Fails.class)));
        assertTrue(printed.contains("GET /sdk/latest-all"), printed);
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class LeavesTheJdksThreads {
        @Test
        void test(FakeFlagServer server) throws Exception {
            poll(server); // by a client that Java 17 cannot close
            CountDownLatch called = new CountDownLatch(2);
            CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS).execute(called::countDown);
            ForkJoinPool.commonPool().execute(called::countDown);
            called.await();
        }
    }

    @Test
    void threadsThatAreNobodysToEndAreLeftAlone() {
        assertEquals("passed", outcome(LeavesTheJdksThreads.class));
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class IsAborted {
        @Test
        void test(FakeFlagServer server, FakeDataSource source, RecordingSink sink, VirtualScheduler time)
                throws Exception {
            source.start(sink, time);
            poll(server);
            Assumptions.abort("not here");
        }
    }

    @Test
    void anAbortedTestIsNeitherCheckedNorPrinted() throws Throwable {
        assertEquals("", printedBy(() -> assertEquals("aborted", outcome(IsAborted.class))));
    }

    @ExtendWith(FlagfeedExtension.class)
    static final class ClosesWithTrouble {
        static FakeFlagServer theServer;

        @Test
        void test(FakeFlagServer server, DataSystem system) {
            theServer = server;
            system.onStatus(status -> {
                throw new IllegalStateException("which somebody's logger cannot stand");
            });
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what Kotlin or Lombok do behind one's back
    private static <T extends Throwable> T sneaky(Throwable throwable) throws T {
        throw (T) throwable;
    }

    /** Nothing of ours throws when it closes; but somebody's logger may, even what nobody can foresee. */
    @Test
    void whatFollowsACloseThatThrowsIsClosedToo() throws Throwable {
        LoggerContext loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
        loggers.addTurboFilter(new TurboFilter() {
            @Override
            public FilterReply decide(
                    Marker marker, Logger logger, Level level, String format, Object[] arguments, Throwable e) {
                if (logger.getName().endsWith(".Listeners")) {
                    throw FlagfeedExtensionTest.<RuntimeException>sneaky(new IOException("thrown on purpose"));
                }
                return FilterReply.NEUTRAL;
            }
        });
        String[] outcome = new String[1];
        String printed;
        try {
            printed = printedBy(() -> outcome[0] = outcome(ClosesWithTrouble.class));
        } finally {
            loggers.resetTurboFilterList();
        }
        assertEquals("closing after the test (1 failure)\n\tjava.io.IOException: thrown on purpose", outcome[0]);
        assertThrows(IllegalStateException.class, ClosesWithTrouble.theServer::accept); // it is closed
        assertTrue(printed.contains("FakeFlagServer http://127.0.0.1:"), printed);
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
