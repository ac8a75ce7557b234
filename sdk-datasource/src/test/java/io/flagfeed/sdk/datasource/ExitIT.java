package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import java.io.BufferedReader;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No thread of ours, nor one of OkHttp's, keeps a JVM alive. */
final class ExitIT { // LIFE-09
    private static final Duration LONGEST = Duration.ofSeconds(60); // to start a JVM on a machine that is busy
    private static final Duration SOON = Duration.ofSeconds(10); // takes a moment; what keeps it would take a minute

    @ParameterizedTest
    @ValueSource(strings = {"forgets to close", "closes", "closes in a shutdown hook", "never gets data"})
    void programEndsWithItsMain(String ending) throws Exception {
        try (FakeFlagServer server =
                FakeFlagServer.builder().heartbeatEvery(Duration.ofMillis(50)).start()) {
            server.set(TestFlags.flag("a").build());
            if (ending.equals("never gets data")) {
                server.stream().hang().forever();
                server.poll().hang().forever();
            }
            Process program = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Program.class.getName(),
                            server.uri().toString(),
                            ending)
                    .redirectErrorStream(true)
                    .start();
            try {
                assertEquals("main ends", lastLine(program.inputReader()));
                assertTrue(program.waitFor(SOON.toSeconds(), TimeUnit.SECONDS), "the JVM lives on");
                assertEquals(0, program.exitValue());
                Sockets.await().until(() -> server.openConnections() == 0);
            } finally {
                program.destroyForcibly();
            }
        }
    }

    /** Reads to the line that says so, or to the end. */
    private static String lastLine(BufferedReader out) throws Exception {
        List<String> lines = new ArrayList<>();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            lines.add(line);
            if (line.equals("main ends")) {
                return line;
            }
        }
        return lines.toString();
    }

    /** What runs in the other JVM. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws InterruptedException {
            URI uri = URI.create(args[0]);
            List<DataSystem> systems = new ArrayList<>();
            for (Mode mode : Mode.values()) {
                systems.add(DataSystem.builder(mode.source(uri, mode.base, HttpSettings.DEFAULT))
                        .build());
            }
            boolean data = !args[1].equals("never gets data");
            for (DataSystem system : systems) {
                system.onStatus(status -> {});
                system.start();
                if (system.awaitReady(data ? LONGEST : Duration.ofMillis(200)) != data) {
                    System.exit(1);
                }
            }
            if (args[1].equals("closes")) {
                systems.forEach(DataSystem::close);
            } else if (args[1].equals("closes in a shutdown hook")) {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> systems.forEach(DataSystem::close)));
            }
            System.out.println("main ends");
        }
    }
}
