package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server costs next to nothing and leaves nothing behind, so that each test can have its own. */
final class FakeFlagServerClosingIT {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int CYCLES = 100;

    private final NewThreads threads = new NewThreads();

    /** Whatever it is at: a stream, a beat, an answer that is late or never comes, a connection that it ignores. */
    @Test
    @Timeout(60)
    void noThreadNoSocketAndNoPortIsLeft() throws Exception {
        FakeFlagServer server =
                FakeFlagServer.builder().heartbeatEvery(Duration.ofMillis(5)).start();
        server.poll().serve().then().hang().then().serve().after(Duration.ofHours(1));
        try (RawClient stream = new RawClient(server);
                RawClient poll = new RawClient(server);
                RawClient held = new RawClient(server);
                RawClient late = new RawClient(server)) {
            stream.get("/all").head();
            poll.get("/sdk/latest-all").head();
            held.get("/sdk/latest-all");
            server.awaitRequests(3, SOON);
            late.get("/sdk/latest-all");
            server.awaitRequests(4, SOON);
            server.blackHole();
            try (RawClient ignored = new RawClient(server)) {
                server.close();
                for (RawClient client : List.of(stream, poll, held, late, ignored)) {
                    awaitEnd(client);
                }
            }
        }
        assertEquals(0, server.openStreams());
        assertEquals(0, server.openConnections());
        assertEquals(List.of(), threads.stillAlive(SOON));
        try (ServerSocket next = new ServerSocket()) {
            next.setReuseAddress(true); // connections that were closed just now do not count as using it
            next.bind(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), server.uri().getPort()));
        }
    }

    private static void awaitEnd(RawClient client) throws IOException {
        try {
            client.rest();
        } catch (SocketException reset) {
            // the end as well: the server had not read everything
        }
    }

    /** Some milliseconds each: the limit is only for what hangs, on a machine that is busy besides. */
    @Test
    @Timeout(60)
    void aHundredComeAndGo() throws Exception {
        pollOnce();
        long before = openFiles();
        for (int i = 0; i < CYCLES; i++) {
            pollOnce();
            assertEquals(List.of(), threads.stillAlive(Duration.ZERO)); // closing has waited for them
        }
        long more = openFiles() - before;
        assertTrue(more < CYCLES / 2, () -> "files opened and not closed by " + CYCLES + " servers: " + more);
    }

    private static void pollOnce() throws IOException {
        try (FakeFlagServer server = FakeFlagServer.start();
                RawClient client = new RawClient(server)) {
            client.get("/sdk/latest-all").head();
        }
    }

    /** Sockets are files where this can be told at all. */
    private static long openFiles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }
}
