package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import okhttp3.CertificatePinner;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real handshakes: whom a source trusts, whom it does not, and who it says to be. */
@Timeout(30)
final class TlsIT {
    private static final TlsSettings DEFAULT = TlsSettings.DEFAULT;

    private static TestCertificates authority;

    @TempDir
    static Path folder;

    private static Path trusted;
    private static TestCertificates.Identity good;
    private static FakeFlagServer server;

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();

    @BeforeAll
    static void start() throws Exception {
        authority = new TestCertificates();
        trusted = authority.authorityFile(folder);
        good = authority.issue("127.0.0.1");
        server = serving(good);
    }

    @AfterAll
    static void close() {
        server.close();
    }

    private static FakeFlagServer serving(TestCertificates.Identity identity) throws Exception {
        FakeFlagServer started =
                FakeFlagServer.builder().tls(identity.serverContext()).start();
        started.set(TestFlags.flag("a").build());
        return started;
    }

    private Cancellable run(Mode mode, URI uri, HttpSettings.Builder http) {
        Cancellable run = mode.source(uri, mode.base, http.build()).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        return run;
    }

    private void assertTrusts(Mode mode, FakeFlagServer server, HttpSettings.Builder http) {
        Cancellable run = run(mode, server.uri(), http);
        assertEquals(1, sink.takeApplied().items().size());
        run.cancel();
    }

    /** A failed attempt as of any network, and not a byte of a request. */
    private String messageOfRefusal(Mode mode, FakeFlagServer server, HttpSettings.Builder http) {
        int before = server.requests().size();
        Cancellable run = run(mode, server.uri(), http);
        RecordingSink.News.Interrupted news = sink.takeInterrupted();
        ErrorInfo error = news.error();
        assertEquals(Failure.Kind.NETWORK, error.kind());
        assertEquals(mode.base, news.nextAttemptIn());
        assertEquals(before, server.requests().size());
        run.cancel();
        return error.message();
    }

    private static HttpSettings.Builder with(TlsSettings.Builder tls) {
        return HttpSettings.builder().tls(tls.build());
    }

    @ParameterizedTest
    @EnumSource
    void trustsWhatAFileNamesAndTalksAsUsual(Mode mode) {
        assertTrusts(mode, server, with(TlsSettings.builder().trustedCertificates(trusted)));
    }

    @ParameterizedTest
    @EnumSource
    void trustsWhomAManagerTrusts(Mode mode) {
        X509TrustManager manager =
                TlsSettings.builder().trustedCertificates(trusted).build().trustManager();
        assertTrusts(mode, server, with(TlsSettings.builder().trustManager(manager)));
    }

    @ParameterizedTest
    @EnumSource
    void byDefaultTrustsNobodyWhomThePlatformDoesNot(Mode mode) {
        String message = messageOfRefusal(mode, server, HttpSettings.builder());
        assertTrue(message.startsWith("SSLHandshakeException: "), message);
        assertTrue(message.contains("unable to find valid certification path"), message);
    }

    @ParameterizedTest
    @EnumSource
    void doesNotTrustAnotherAuthority(Mode mode) throws Exception {
        Path another = new TestCertificates().authorityFile(folder);
        String message =
                messageOfRefusal(mode, server, with(TlsSettings.builder().trustedCertificates(another)));
        assertTrue(message.startsWith("SSLHandshakeException: "), message);
    }

    @ParameterizedTest
    @EnumSource
    void doesNotTrustACertificateOfAnotherHost(Mode mode) throws Exception {
        try (FakeFlagServer other = serving(authority.issue("other.example"))) {
            String message =
                    messageOfRefusal(mode, other, with(TlsSettings.builder().trustedCertificates(trusted)));
            assertTrue(message.startsWith("SSLPeerUnverifiedException: Hostname 127.0.0.1 not verified"), message);
        }
    }

    @ParameterizedTest
    @EnumSource
    void doesNotTrustACertificateOfThePast(Mode mode) throws Exception {
        Instant yesterday = Instant.now().minus(Duration.ofDays(1));
        try (FakeFlagServer expired = serving(authority.issue("127.0.0.1", yesterday))) {
            String message =
                    messageOfRefusal(mode, expired, with(TlsSettings.builder().trustedCertificates(trusted)));
            assertTrue(message.matches("SSLHandshakeException: .*(expired|validity).*"), message);
        }
    }

    /** A certificate that is renewed in time mends it without anybody doing anything. */
    @ParameterizedTest
    @EnumSource
    void goesOnTryingAndRecovers(Mode mode) throws Exception {
        FakeFlagServer wrong = serving(authority.issue("other.example"));
        int port = wrong.uri().getPort();
        Cancellable run = run(mode, wrong.uri(), with(TlsSettings.builder().trustedCertificates(trusted)));
        sink.takeInterrupted();
        wrong.close();
        try (FakeFlagServer right =
                FakeFlagServer.builder().port(port).tls(good.serverContext()).start()) {
            right.set(TestFlags.flag("a").build());
            Sockets.runUntilWaiting(scheduler);
            scheduler.advanceToNext();
            Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
            sink.takeApplied();
            run.cancel();
        }
    }

    @ParameterizedTest
    @EnumSource
    void showsItsCertificateToAServiceThatAsksForOne(Mode mode) throws Exception {
        TestCertificates.Identity client = authority.issue("client.example");
        TestCertificates.Identity stranger = new TestCertificates().issue("client.example");
        try (FakeFlagServer strict = FakeFlagServer.builder()
                .tls(good.serverContext())
                .requireClientCertificate()
                .start()) {
            strict.set(TestFlags.flag("a").build());
            TlsSettings.Builder trusting = TlsSettings.builder().trustedCertificates(trusted);
            TlsSettings shown = trusting.build().toBuilder()
                    .clientCertificate(client.certificateFile(folder), client.keyFile(folder))
                    .build();
            assertTrusts(mode, strict, HttpSettings.builder().tls(shown));
            X509KeyManager manager = shown.keyManager();
            assertTrusts(mode, strict, with(trusting.build().toBuilder().keyManager(manager)));
            messageOfRefusal(mode, strict, with(trusting));
            messageOfRefusal(
                    mode,
                    strict,
                    with(trusting.build().toBuilder()
                            .clientCertificate(stranger.certificateFile(folder), stranger.keyFile(folder))));
        }
    }

    /** Its own authority is trusted, and no public one beside it. */
    @ParameterizedTest
    @EnumSource
    void clientCertificateLeavesAnOwnClientItsTrust(Mode mode) throws Exception {
        TestCertificates.Identity shown = authority.issue("client.example");
        TlsSettings ofClient =
                TlsSettings.builder().trustedCertificates(trusted).build();
        X509TrustManager trust = ofClient.decidingTrustManager(null);
        OkHttpClient client = new OkHttpClient.Builder()
                .sslSocketFactory(ofClient.socketFactory(trust), trust)
                .build();
        TlsSettings.Builder tls =
                TlsSettings.builder().clientCertificate(shown.certificateFile(folder), shown.keyFile(folder));
        try (FakeFlagServer strict = FakeFlagServer.builder()
                .tls(good.serverContext())
                .requireClientCertificate()
                .start()) {
            strict.set(TestFlags.flag("a").build());
            assertTrusts(mode, strict, with(tls).client(client));
        }
    }

    @ParameterizedTest
    @EnumSource
    void insecureModeTrustsAnybodyAndSaysSoOnceForEachStart(Mode mode) throws Exception {
        Instant yesterday = Instant.now().minus(Duration.ofDays(1));
        try (FakeFlagServer worst = serving(new TestCertificates().issue("other.example", yesterday));
                RecordedLog log = new RecordedLog()) {
            assertTrusts(mode, worst, with(TlsSettings.builder().insecureForDevelopment()));
            assertEquals(
                    List.of("WARN " + worst.uri()
                            + " is not checked for who it is: anybody on the way can read the SDK key"),
                    log.lines(Level.WARN));
        }
    }

    @ParameterizedTest
    @EnumSource
    void pinsAreOkHttps(Mode mode) {
        OkHttpClient right = new OkHttpClient.Builder()
                .certificatePinner(new CertificatePinner.Builder()
                        .add("127.0.0.1", CertificatePinner.pin(good.certificate()))
                        .build())
                .build();
        OkHttpClient wrong = new OkHttpClient.Builder()
                .certificatePinner(new CertificatePinner.Builder()
                        .add("127.0.0.1", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
                        .build())
                .build();
        TlsSettings.Builder tls = TlsSettings.builder().trustedCertificates(trusted);
        assertTrusts(mode, server, with(tls).client(right));
        String message = messageOfRefusal(mode, server, with(tls).client(wrong));
        assertTrue(message.startsWith("SSLPeerUnverifiedException: Certificate pinning failure"), message);
    }

    @Test
    void refusesFilesThatHoldNoCertificate() throws Exception {
        Path missing = folder.resolve("missing.pem");
        Path empty = Files.createFile(folder.resolve("empty.pem"));
        Path text = Files.writeString(folder.resolve("text.pem"), "-----BEGIN CERTIFICATE-----\nsorry\n");
        TlsSettings.Builder tls = TlsSettings.builder();
        assertRefused("trustedCertificates cannot be read: " + missing, () -> tls.trustedCertificates(missing));
        assertRefused("trustedCertificates holds no certificate: " + empty, () -> tls.trustedCertificates(empty));
        assertRefused("trustedCertificates is no PEM of certificates: " + text, () -> tls.trustedCertificates(text));
        assertRefused("certificatePem holds no certificate: " + empty, () -> tls.clientCertificate(empty, trusted));
        assertEquals(DEFAULT.toString(), tls.build().toString());
    }

    @Test
    void refusesKeysThatAreNotTheCertificates() throws Exception {
        Path certificate = good.certificateFile(folder);
        Path missing = folder.resolve("missing.pem");
        Path other = authority.issue("127.0.0.1").keyFile(folder);
        Path rsa = TestCertificates.write(
                folder,
                "PRIVATE KEY",
                KeyPairGenerator.getInstance("RSA")
                        .generateKeyPair()
                        .getPrivate()
                        .getEncoded());
        Path old = TestCertificates.write(folder, "RSA PRIVATE KEY", new byte[] {1});
        TlsSettings.Builder tls = TlsSettings.builder();
        assertRefused("privateKeyPem cannot be read: " + missing, () -> tls.clientCertificate(certificate, missing));
        String noKey = "privateKeyPem holds no PKCS#8 key without a password (-----BEGIN PRIVATE KEY-----): ";
        assertRefused(noKey + certificate, () -> tls.clientCertificate(certificate, certificate));
        assertRefused(noKey + old, () -> tls.clientCertificate(certificate, old));
        assertRefused(
                "privateKeyPem is no EC key, as the certificate has: " + rsa,
                () -> tls.clientCertificate(certificate, rsa));
        assertRefused(
                "privateKeyPem is not the key of the certificate: " + other,
                () -> tls.clientCertificate(certificate, other));
        assertEquals(DEFAULT.toString(), tls.build().toString());
    }

    @Test
    void showsNothingOfKeysAndKnowsItsDefaults() throws Exception {
        assertEquals(
                "TlsSettings[trustManager=default, keyManager=none, insecureForDevelopment=false]", DEFAULT.toString());
        TlsSettings all = TlsSettings.builder()
                .trustedCertificates(trusted)
                .clientCertificate(good.certificateFile(folder), good.keyFile(folder))
                .insecureForDevelopment()
                .build();
        assertEquals("TlsSettings[trustManager=given, keyManager=given, insecureForDevelopment=true]", all.toString());
        X509Certificate[] issuers = all.trustManager().getAcceptedIssuers();
        assertEquals(1, issuers.length); // and none of the platform's
    }

    private static void assertRefused(String message, Runnable setter) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, setter::run).getMessage());
    }

    @Test
    void silenceIsNoticed() {
        server.stream().put();
        HttpSettings.Builder http = with(TlsSettings.builder().trustedCertificates(trusted))
                .protocols(List.of(Protocol.HTTP_1_1))
                .readTimeout(Duration.ofSeconds(1));
        Cancellable run = run(Mode.STREAMING, server.uri(), http);
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 2);
        sink.takeApplied();
        String message = sink.takeInterrupted().error().message();
        assertTrue(message.startsWith("SocketTimeoutException"), message);
        run.cancel();
    }
}
