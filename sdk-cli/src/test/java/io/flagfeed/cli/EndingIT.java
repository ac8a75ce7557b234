package io.flagfeed.cli;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How the commands end when they are not asked nicely. */
@Execution(ExecutionMode.CONCURRENT)
final class EndingIT {
    private static final Duration GOODBYE = Duration.ofSeconds(20); // of a whole JVM, on a busy machine

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void ctrlCEndsAWatchWithItsSummary() throws Exception {
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.set(TestFlags.flag("a").build());
            try (FlagfeedProcess watch = FlagfeedProcess.start("watch", "--stream=" + server.uri())) {
                watch.awaitOut(line -> line.contains("● VALID"));
                assumeFalse(watch.ignoresInterrupt(), "run in the background of a script");
                watch.interrupt();
                assertEquals(0, watch.awaitExit(GOODBYE), watch.toString());
                assertFalse(watch.isAlive());
                List<String> lines = watch.out();
                String last = lines.get(lines.size() - 1);
                assertTrue(last.matches("Connected [0-9.]+ m?s of [0-9.]+ m?s, 1 changes, 0 failures"), last);
                assertTrue(lines.get(lines.size() - 2).contains("● OFF"), watch.toString());
                assertEquals(List.of(), watch.err());
            }
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void ctrlCEndsAWatchThatIsNotReadyYet() throws Exception {
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.stream().hang();
            try (FlagfeedProcess watch = FlagfeedProcess.start("watch", "--stream=" + server.uri())) {
                server.awaitRequest(Duration.ofSeconds(60));
                assumeFalse(watch.ignoresInterrupt(), "run in the background of a script");
                watch.interrupt();
                assertEquals(0, watch.awaitExit(GOODBYE), watch.toString());
                List<String> lines = watch.out();
                assertTrue(lines.get(lines.size() - 1).endsWith("; never became ready"), watch.toString());
                assertEquals(List.of(), watch.err());
            }
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void ctrlCEndsAServiceWithItsSummary() throws Exception {
        try (FlagfeedProcess serve = FlagfeedProcess.start("serve", "--port", "0")) {
            serve.awaitOut(line -> line.startsWith("Serving "));
            assumeFalse(serve.ignoresInterrupt(), "run in the background of a script");
            serve.interrupt();
            assertEquals(0, serve.awaitExit(GOODBYE), serve.toString());
            assertFalse(serve.isAlive());
            assertEquals("Answered 0 requests", serve.out().get(1));
            assertEquals(List.of(), serve.err());
        }
    }

    /** As with {@code | head -1}: a watch that nobody reads ends with the next line it has to say. */
    @Test
    void watchThatNobodyReadsEnds() throws Exception {
        AtomicLong version = new AtomicLong(1);
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.set(TestFlags.flag("a").build());
            try (FlagfeedProcess watch = FlagfeedProcess.start("watch", "--stream=" + server.uri())) {
                watch.awaitOut(line -> line.contains("● VALID"));
                watch.closeOut();
                await().atMost(Duration.ofSeconds(20)).until(() -> {
                    server.set(TestFlags.flag("a")
                            .version(version.incrementAndGet())
                            .build());
                    return !watch.isAlive();
                });
                assertEquals(0, watch.awaitExit(), watch.toString());
                assertEquals(List.of(), watch.err());
            }
        }
    }

    @Test
    void badUsageEndsIn2() throws Exception {
        try (FlagfeedProcess watch = FlagfeedProcess.start("watch", "--strem", "http://localhost:1")) {
            assertEquals(2, watch.awaitExit(), watch.toString());
            assertTrue(watch.err().get(0).startsWith("Unknown option"), watch.toString());
            assertEquals(List.of(), watch.out());
        }
    }
}
