package io.flagfeed.sdk.datasource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** {@link ProbeMain} as a process of its own. Ends with the test, whatever happens. */
final class Probe implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 90; // the machine may be busy

    private final Process process;
    private final PrintWriter in;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new CopyOnWriteArrayList<>();

    /**
     * What it held when it held what was asked for.
     *
     * @param cpuMillis time on the processor since it began
     * @param heap bytes in use after a collection
     * @param jsonHash of the item's content
     * @param flags how many there are
     */
    record Held(long cpuMillis, long heap, int jsonHash, int flags) {}

    Probe(String heap, Mode mode, String uri) {
        this(System.getProperty("java.class.path"), heap, mode, uri);
    }

    /** The same with other libraries. */
    Probe(String classPath, String heap, Mode mode, String uri) {
        this(classPath, heap, mode, uri, Duration.ofMinutes(5));
    }

    /** The same with another read timeout. */
    Probe(String classPath, String heap, Mode mode, String uri, Duration readTimeout) {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx" + heap,
                            "-XX:+UseSerialGC",
                            "-Dfile.encoding=ISO-8859-1", // which must make no difference
                            "-cp",
                            classPath,
                            ProbeMain.class.getName(),
                            mode.name(),
                            uri,
                            readTimeout.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        in = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        TcpRelay.start("test-relay", this::read);
    }

    private void read() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                seen.add(line);
                lines.add(line);
            }
        } catch (IOException e) {
            // closed with the test
        }
        lines.add("ended");
    }

    /** Waits for a line that no call has passed over before. */
    String awaitLine(Predicate<String> such) throws InterruptedException {
        while (true) {
            String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (line == null || line.equals("ended")) {
                throw new AssertionError("no such line, but:\n" + seen());
            } else if (such.test(line)) {
                return line;
            }
        }
    }

    /** Waits until it holds at least this version. */
    Held await(String key, long version) throws InterruptedException {
        in.println("await " + key + " " + version);
        String[] words = awaitLine(line -> line.startsWith("holds ")).split(" ", 6);
        return new Held(
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]));
    }

    /** Everything that it has printed. */
    String seen() {
        return String.join("\n", seen);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
