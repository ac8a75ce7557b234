package io.flagfeed.sdk.datasource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Assumptions;

/** nginx in front of the service, as many services have it: TLS and HTTP/2 towards clients. */
final class Nginx {
    private static final String ALIAS = "nginx";
    private static final String PASSWORD = "changeit";

    private final Path folder;
    private final KeyStore keys;

    private Nginx(Path folder, KeyStore keys) {
        this.folder = folder;
        this.keys = keys;
    }

    /** Makes a certificate for 127.0.0.1, which takes a second; skips the test if there is no nginx. */
    static Nginx prepare(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        Assumptions.assumeTrue(Program.find("nginx").isPresent(), "nginx is not installed");
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.out").toFile())
                .start();
        if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new IOException("keytool: " + Files.readString(folder.resolve("keytool.out")));
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        write(
                folder.resolve("key.pem"),
                "PRIVATE KEY",
                keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
        write(
                folder.resolve("cert.pem"),
                "CERTIFICATE",
                keys.getCertificate(ALIAS).getEncoded());
        return new Nginx(folder, keys);
    }

    private static void write(Path file, String what, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder().encodeToString(bytes);
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    /**
     * Starts it in front of a port.
     *
     * @param options more lines for it, such as how it buffers
     */
    Program start(int service, String... options) {
        return Program.start(
                folder,
                "nginx",
                (where, port) -> settings(port, service, String.join("\n", options)),
                "-c",
                "FILE",
                "-p",
                folder.toString(),
                "-e",
                folder.resolve("error.log").toString());
    }

    private static String settings(int port, int service, String options) {
        return """
                daemon off;
                master_process off;
                pid nginx.pid;
                events { worker_connections 256; }
                http {
                    access_log off;
                    client_body_temp_path body;
                    proxy_temp_path proxy;
                    fastcgi_temp_path fastcgi;
                    uwsgi_temp_path uwsgi;
                    scgi_temp_path scgi;
                    server {
                        listen 127.0.0.1:%d ssl http2;
                        ssl_certificate cert.pem;
                        ssl_certificate_key key.pem;
                        proxy_http_version 1.1;
                        proxy_read_timeout 1h;
                        %s
                        location / { proxy_pass http://127.0.0.1:%d; }
                    }
                }
                """.formatted(port, options, service);
    }

    /** A client that trusts its certificate. */
    OkHttpClient.Builder client() throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        X509TrustManager trust = (X509TrustManager) managers.getTrustManagers()[0];
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {trust}, null);
        return new OkHttpClient.Builder().sslSocketFactory(context.getSocketFactory(), trust);
    }
}
