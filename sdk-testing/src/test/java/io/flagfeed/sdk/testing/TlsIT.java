package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The same server over TLS. */
@Timeout(30)
class TlsIT {
    private static final Duration SOON = Duration.ofSeconds(10);

    private static FakeFlagServer server;

    @BeforeAll
    static void start() {
        server = FakeFlagServer.builder().tls().start();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    private static HttpRequest poll(String host) {
        return HttpRequest.newBuilder(
                        URI.create("https://" + host + ":" + server.uri().getPort() + "/sdk/latest-all"))
                .build();
    }

    private static RawClient client() throws IOException {
        return new RawClient(server.sslContext()
                .getSocketFactory()
                .createSocket("127.0.0.1", server.uri().getPort()));
    }

    @Test
    void whoWasGivenTheCertificateTrustsItUnderBothNames() throws Exception {
        HttpClient client =
                HttpClient.newBuilder().sslContext(server.sslContext()).build();
        assertEquals("https", server.uri().getScheme());
        assertEquals(
                200, client.send(poll("127.0.0.1"), BodyHandlers.ofString()).statusCode());
        assertEquals(
                200, client.send(poll("localhost"), BodyHandlers.ofString()).statusCode());
        assertEquals(1, server.trustManager().getAcceptedIssuers().length);
    }

    @Test
    void nobodyElseDoesAndNoRequestComes() {
        int before = server.requests().size();
        assertThrows(
                SSLHandshakeException.class,
                () -> HttpClient.newHttpClient().send(poll("127.0.0.1"), BodyHandlers.ofString()));
        assertEquals(before, server.requests().size());
    }

    @Test
    void streamsAndFaultsAreTheSame() throws Exception {
        try (RawClient client = client()) {
            client.get("/all").head();
            client.chunk();
            server.heartbeat();
            assertEquals(":\n", client.chunk());
            server.dropStreams();
            assertEquals("", client.chunk());
            server.stream().put().drop();
            client.get("/all").head();
            client.chunk();
            assertEquals(0, client.rest().length); // Java does not ask for the farewell of TLS
        }
        server.stream().put().reset();
        try (RawClient client = client()) {
            client.get("/all").head();
            client.chunk();
            assertThrows(SocketException.class, client::rest);
        }
    }

    @Test
    void anOrderlyEndOfTheConnectionIsOneForTlsToo() throws Exception {
        try (RawClient client = client()) {
            client.get("/sdk/latest-all", "Connection: close").head();
            assertArrayEquals(server.snapshotJson().getBytes(UTF_8), client.rest());
        }
    }

    @Test
    void inABlackHoleNotEvenTheHandshakeHappens() throws Exception {
        server.blackHole();
        try (Socket plain =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            plain.setSoTimeout(50);
            Socket secure = server.sslContext().getSocketFactory().createSocket(plain, "127.0.0.1", 1, true);
            assertThrows(
                    java.net.SocketTimeoutException.class, () -> ((javax.net.ssl.SSLSocket) secure).startHandshake());
        } finally {
            server.accept();
        }
        server.awaitStreams(0, SOON);
    }

    @Test
    void withoutAKeytoolItSaysSo(@TempDir Path empty) {
        IllegalStateException error = assertThrows(IllegalStateException.class, () -> ThrowawayCertificate.make(empty));
        assertEquals(
                "TLS needs the JDK's keytool, and there is no " + empty + File.separator + "bin" + File.separator
                        + "keytool",
                error.getMessage());
        try (FakeFlagServer plain = FakeFlagServer.start()) {
            assertTrue(assertThrows(IllegalStateException.class, plain::sslContext)
                    .getMessage()
                    .contains("without tls()"));
            assertThrows(IllegalStateException.class, plain::trustManager);
        }
    }
}
