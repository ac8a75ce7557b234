package io.flagfeed.cli;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The command as a process of its own, from the jar that the build has made. Ends with the test, whatever happens. */
final class FlagfeedProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60); // the machine may be busy

    private final String command;
    private final Process process;
    private final Lines out;
    private final Lines err;

    private FlagfeedProcess(Map<String, String> environment, List<String> arguments) {
        Path jar = Path.of("target", "flagfeed.jar");
        assertTrue(Files.exists(jar), "no " + jar.toAbsolutePath());
        List<String> line = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", jar.toString()));
        line.addAll(arguments);
        command = String.join(" ", arguments);
        ProcessBuilder builder = new ProcessBuilder(line);
        for (String name : List.of(
                "FLAGFEED_SDK_KEY",
                "NO_COLOR",
                "CLICOLOR",
                "CLICOLOR_FORCE",
                "JAVA_TOOL_OPTIONS",
                "JDK_JAVA_OPTIONS")) {
            builder.environment().remove(name);
        }
        builder.environment().putAll(environment);
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out = new Lines(process.getInputStream());
        err = new Lines(process.getErrorStream());
    }

    static FlagfeedProcess start(String... arguments) {
        return new FlagfeedProcess(Map.of(), List.of(arguments));
    }

    static FlagfeedProcess start(Map<String, String> environment, String... arguments) {
        return new FlagfeedProcess(environment, List.of(arguments));
    }

    /** Waits for a line on stdout. */
    String awaitOut(Predicate<String> such) {
        return awaitLine(out, such);
    }

    /** Waits for a line on stderr. */
    String awaitErr(Predicate<String> such) {
        return awaitLine(err, such);
    }

    /** Waits for a JSON line on stdout. */
    JsonObject awaitJson(Predicate<JsonObject> such) {
        return json(awaitOut(line -> such.test(json(line))));
    }

    /** Waits for the first status of this kind. */
    JsonObject awaitState(String state) {
        return awaitJson(line -> line.get("type").getAsString().equals("status")
                && line.get("state").getAsString().equals(state));
    }

    /** Waits for a change of this key to this version. */
    JsonObject awaitChange(String key, long version) {
        return awaitJson(line -> line.get("type").getAsString().equals("change")
                && line.get("key").getAsString().equals(key)
                && !line.get("versionAfter").isJsonNull()
                && line.get("versionAfter").getAsLong() == version);
    }

    /** Waits for the end and returns the exit code. */
    int awaitExit() throws InterruptedException {
        return awaitExit(PATIENCE);
    }

    int awaitExit(Duration timeout) throws InterruptedException {
        assertTrue(process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS), () -> "still running: " + this);
        out.awaitEnd();
        err.awaitEnd();
        return process.exitValue();
    }

    /** Ctrl-C. */
    void interrupt() throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start();
        assertTrue(kill.waitFor(10, TimeUnit.SECONDS) && kill.exitValue() == 0, "kill -INT");
    }

    /** Asks it to end, as a service manager would. */
    void terminate() {
        process.toHandle().destroy(); // not destroy() of the process, which also stops reading what it says
    }

    /** Reads no more of stdout, as {@code head} does. */
    void closeOut() throws IOException {
        process.getInputStream().close();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether this process does not hear Ctrl-C, for its parents were started in the background of a script. */
    boolean ignoresInterrupt() throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.exists(status)) {
            return false;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).trim(), 16) & 2) != 0);
    }

    List<String> out() {
        return List.copyOf(out.lines);
    }

    List<String> err() {
        return List.copyOf(err.lines);
    }

    /** All of stdout, each line of which has to be a JSON object. */
    List<JsonObject> jsonOut() {
        return out().stream().map(FlagfeedProcess::json).toList();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    @Override
    public String toString() {
        return command + "\nstdout:\n" + String.join("\n", out.lines) + "\nstderr:\n" + String.join("\n", err.lines);
    }

    private static JsonObject json(String line) {
        return JsonParser.parseString(line).getAsJsonObject();
    }

    private String awaitLine(Lines lines, Predicate<String> such) {
        try {
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> lines.lines.stream().anyMatch(such) || !process.isAlive());
            if (!process.isAlive()) {
                lines.awaitEnd();
            }
        } catch (Exception e) {
            throw new AssertionError("no such line: " + this, e);
        }
        return lines.lines.stream()
                .filter(such)
                .findFirst()
                .orElseThrow(() -> new AssertionError("ended without such a line: " + this));
    }

    /** What a process prints, read as it comes. */
    private static final class Lines {
        final List<String> lines = new CopyOnWriteArrayList<>();
        private final Thread reader;

        Lines(InputStream in) {
            reader = new Thread(() -> read(in), "reader of a process");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(InputStream in) {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    lines.add(line);
                }
            } catch (IOException e) {
                // closed, by the process or by the test
            }
        }

        void awaitEnd() throws InterruptedException {
            reader.join(Duration.ofSeconds(10).toMillis());
        }
    }
}
