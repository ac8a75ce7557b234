package io.flagfeed.sdk.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * A certificate for localhost and 127.0.0.1 that signs itself and that nobody trusts who was not given it.
 *
 * <p>The JDK makes certificates with its keytool only, so this is a process; its files are gone when it ends.
 */
final class ThrowawayCertificate {
    private static final String ALIAS = "flagfeed";

    private final KeyStore keys;
    private final char[] password;

    private ThrowawayCertificate(KeyStore keys, char[] password) {
        this.keys = keys;
        this.password = password;
    }

    /**
     * Makes one, in about a second.
     *
     * @throws IllegalStateException if this Java has no keytool, or it fails
     */
    static ThrowawayCertificate make() {
        return make(Path.of(System.getProperty("java.home", "")));
    }

    static ThrowawayCertificate make(Path javaHome) {
        char[] password = UUID.randomUUID().toString().toCharArray();
        try {
            Path folder = Files.createTempDirectory("flagfeed-tls");
            Path file = folder.resolve("keys.p12");
            try {
                runKeytool(javaHome, file, password);
                KeyStore keys = KeyStore.getInstance("PKCS12");
                try (InputStream in = Files.newInputStream(file)) {
                    keys.load(in, password);
                }
                return new ThrowawayCertificate(keys, password);
            } finally {
                Files.deleteIfExists(file);
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the certificate could not be kept in a temporary folder", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the certificate that keytool made cannot be read", e);
        }
    }

    /** What a server needs to show the certificate. */
    SSLContext serverContext() {
        try {
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, password);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }

    /** What a client needs to trust it and nothing else. */
    SSLContext clientContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {trustManager()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }

    /** Trusts it and nothing else. */
    X509TrustManager trustManager() {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            Certificate certificate = keys.getCertificate(ALIAS);
            trusted.setCertificateEntry(ALIAS, certificate);
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            return Arrays.stream(managers.getTrustManagers())
                    .filter(X509TrustManager.class::isInstance)
                    .map(X509TrustManager.class::cast)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }

    private static void runKeytool(Path javaHome, Path file, char[] password) throws IOException {
        Path keytool = javaHome.resolve("bin").resolve("keytool");
        if (!Files.exists(keytool) && !Files.exists(keytool.resolveSibling("keytool.exe"))) {
            throw new IllegalStateException("TLS needs the JDK's keytool, and there is no " + keytool);
        }
        List<String> command = List.of(
                keytool.toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-startdate",
                "-1d", // for clocks that were set back
                "-validity",
                "365",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(password));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("keytool did not end in a minute");
            }
            if (process.exitValue() != 0) {
                throw new IllegalStateException("keytool failed with exit code " + process.exitValue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while keytool made a certificate", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
