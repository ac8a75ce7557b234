package io.flagfeed.sidebyside;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A JVM of its own that runs a main class of this program. Its standard error goes to a file, to be shown if it fails. */
final class Jvm implements AutoCloseable {
    private final String description;
    private final Path errors;
    private final Process process;

    /** Begins it; the name is that of its file of errors. */
    Jvm(String name, List<String> jvmFlags, Class<?> main, List<String> args) throws IOException {
        description = main.getSimpleName() + " " + String.join(" ", args);
        errors = SideBySide.DIRECTORY.resolve(name + ".err");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmFlags);
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(args);
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    }

    /** Without a log: nobody writes one while it is measured, and setting one up is no part of a cold start. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("logback-"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The next line it prints. Throws if it ends instead. */
    String line() throws IOException {
        String line = process.inputReader().readLine();
        if (line == null) {
            throw new IllegalStateException(state());
        }
        return line;
    }

    /** Waits for its end: whether that came in time, and was a good one. */
    boolean succeeds(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toSeconds(), TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    /** What it is, how it is, and what it wrote to its standard error. */
    String state() throws IOException {
        return description + (process.isAlive() ? " is running" : " has ended with status " + process.exitValue())
                + ". It said: " + Files.readString(errors);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
