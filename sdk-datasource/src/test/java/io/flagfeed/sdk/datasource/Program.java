package io.flagfeed.sdk.datasource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A server from the operating system's packages, for as long as a test takes, with a folder of its own. */
final class Program implements AutoCloseable {
    private static final List<String> FOLDERS = List.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin");

    private final Path folder;
    private final Process process;
    private final int port;

    private Program(Path folder, Process process, int port) {
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /** Says what is in the file of settings. */
    interface Settings {
        String text(Path folder, int port) throws IOException;
    }

    /** Starts it in the foreground with a file of settings; skips the test if it is not installed. */
    static Program start(Path folder, String name, Settings settings, String... options) {
        Path program = find(name).orElse(null);
        Assumptions.assumeTrue(program != null, name + " is not installed");
        try {
            for (int attempt = 1; ; attempt++) {
                int port = freePort();
                Path file = Files.writeString(folder.resolve(name + ".conf"), settings.text(folder, port));
                List<String> command = Stream.concat(
                                Stream.of(String.valueOf(program)),
                                Stream.of(options).map(option -> option.equals("FILE") ? file.toString() : option))
                        .toList();
                Process process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(name + ".out").toFile())
                        .start();
                Program started = new Program(folder, process, port);
                Sockets.await().until(() -> started.listens() || !process.isAlive());
                if (process.isAlive()) {
                    return started;
                } else if (attempt == 3) { // three times the port was taken meanwhile? rather something else
                    throw new AssertionError(name + ": " + Files.readString(folder.resolve(name + ".out")));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Optional<Path> find(String name) {
        return FOLDERS.stream()
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new AssertionError("it does not end: " + folder);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
