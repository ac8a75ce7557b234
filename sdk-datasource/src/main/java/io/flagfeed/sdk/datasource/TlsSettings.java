package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Whom to trust, and who to be, over https. Immutable.
 *
 * <p>Pinned certificates are a matter of OkHttp: give {@link HttpSettings.Builder#client} one with a
 * {@code CertificatePinner}.
 */
public final class TlsSettings {
    /** Whom the platform trusts, and nobody in particular to be. */
    public static final TlsSettings DEFAULT = builder().build();

    private final @Nullable X509TrustManager trustManager;
    private final @Nullable X509KeyManager keyManager;
    private final boolean insecure;

    private TlsSettings(Builder builder) {
        trustManager = builder.trustManager;
        keyManager = builder.keyManager;
        insecure = builder.insecure;
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these settings. */
    public Builder toBuilder() {
        Builder copy = new Builder();
        copy.trustManager = trustManager;
        copy.keyManager = keyManager;
        copy.insecure = insecure;
        return copy;
    }

    /** Whom to trust, or null for whom the platform trusts. */
    public @Nullable X509TrustManager trustManager() {
        return trustManager;
    }

    /** Who to be, or null for nobody in particular. */
    public @Nullable X509KeyManager keyManager() {
        return keyManager;
    }

    /** Whether nothing is checked. */
    public boolean insecureForDevelopment() {
        return insecure;
    }

    /** What is given, without its content. */
    @Override
    public String toString() {
        return "TlsSettings[trustManager=" + (trustManager == null ? "default" : "given") + ", keyManager="
                + (keyManager == null ? "none" : "given") + ", insecureForDevelopment=" + insecure + "]";
    }

    /** What decides on a server's certificate; what the application's own client has, or null, where nothing is set. */
    X509TrustManager decidingTrustManager(@Nullable X509TrustManager ofClient) {
        if (insecure) {
            return new TrustsAnybody();
        } else if (trustManager != null) {
            return trustManager;
        }
        return ofClient == null ? trustManagerOf(null) : ofClient;
    }

    SSLSocketFactory socketFactory(X509TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManager == null ? null : new KeyManager[] {keyManager}, new TrustManager[] {trust}, null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no TLS on this platform", e);
        }
    }

    /** Of the given certificates, or of the platform's. */
    private static X509TrustManager trustManagerOf(@Nullable KeyStore certificates) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(certificates);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager found) {
                    return found;
                }
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no trust manager on this platform", e);
        }
        throw new IllegalStateException("no trust manager on this platform");
    }

    private static final class TrustsAnybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Collects the settings; every setter may be left out. Not safe for use by several threads. */
    public static final class Builder {
        private static final Pattern PEM =
                Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");
        private static final char[] NO_PASSWORD = new char[0];

        private @Nullable X509TrustManager trustManager;
        private @Nullable X509KeyManager keyManager;
        private boolean insecure;

        private Builder() {}

        /**
         * Trusts the certificates in a file, and what they have signed, and nobody else. Takes the place of
         * {@link #trustManager}. Default: whom the platform trusts.
         *
         * @param pem one certificate or more, as PEM; it is read now
         * @throws IllegalArgumentException if it cannot be read or holds none
         */
        public Builder trustedCertificates(Path pem) {
            Collection<X509Certificate> certificates = certificates("trustedCertificates", pem);
            try {
                KeyStore store = emptyStore();
                for (X509Certificate certificate : certificates) {
                    store.setCertificateEntry("trusted-" + store.size(), certificate);
                }
                trustManager = trustManagerOf(store);
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException("no key store on this platform", e);
            }
            return this;
        }

        /**
         * Decides on certificates by itself. Takes the place of {@link #trustedCertificates}. Default: the platform's.
         */
        public Builder trustManager(X509TrustManager trustManager) {
            this.trustManager = requireNonNull(trustManager, "trustManager");
            return this;
        }

        /**
         * Shows a certificate to a service that asks for one. Takes the place of {@link #keyManager}. Default: none.
         *
         * @param certificatePem the certificate and after it those that lead to a known one, as PEM; it is read now
         * @param privateKeyPem its private key, as PEM of PKCS#8 without a password; it is read now
         * @throws IllegalArgumentException if they cannot be read, or do not belong together
         */
        public Builder clientCertificate(Path certificatePem, Path privateKeyPem) {
            X509Certificate[] chain =
                    certificates("certificatePem", certificatePem).toArray(X509Certificate[]::new);
            PrivateKey key = privateKey(privateKeyPem, chain[0].getPublicKey());
            try {
                KeyStore store = emptyStore();
                store.setKeyEntry("client", key, NO_PASSWORD, chain);
                KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                factory.init(store, NO_PASSWORD);
                keyManager = (X509KeyManager) factory.getKeyManagers()[0];
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException("no key store on this platform", e);
            }
            return this;
        }

        /** Chooses the certificate to show by itself. Takes the place of {@link #clientCertificate}. Default: none. */
        public Builder keyManager(X509KeyManager keyManager) {
            this.keyManager = requireNonNull(keyManager, "keyManager");
            return this;
        }

        /**
         * Checks no certificate and no name, whatever is to be trusted: anybody on the way can be the service and read
         * the SDK key. For development only; each start of a source says so in a WARN. Default: everything is checked.
         */
        public Builder insecureForDevelopment() {
            insecure = true;
            return this;
        }

        /** The settings. */
        public TlsSettings build() {
            return new TlsSettings(this);
        }

        private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            return store;
        }

        private static Collection<X509Certificate> certificates(String option, Path pem) {
            byte[] bytes = read(option, pem);
            try {
                Collection<? extends Certificate> found =
                        CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes));
                if (!found.isEmpty()) {
                    return found.stream().map(X509Certificate.class::cast).toList();
                }
            } catch (GeneralSecurityException e) {
                throw new IllegalArgumentException(option + " is no PEM of certificates: " + pem, e);
            }
            throw new IllegalArgumentException(option + " holds no certificate: " + pem);
        }

        /** Causes may quote a key: none is kept. */
        private static PrivateKey privateKey(Path pem, PublicKey of) {
            Matcher block = PEM.matcher(new String(read("privateKeyPem", pem), StandardCharsets.ISO_8859_1));
            boolean found = block.find();
            while (found && !block.group(1).equals("PRIVATE KEY")) {
                found = block.find();
            }
            if (!found) {
                throw new IllegalArgumentException(
                        "privateKeyPem holds no PKCS#8 key without a password (-----BEGIN PRIVATE KEY-----): " + pem);
            }
            PrivateKey key;
            try {
                byte[] encoded = Base64.getMimeDecoder().decode(block.group(2));
                key = KeyFactory.getInstance(of.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (GeneralSecurityException | IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "privateKeyPem is no " + of.getAlgorithm() + " key, as the certificate has: " + pem);
            }
            if (!belongTogether(key, of)) {
                throw new IllegalArgumentException("privateKeyPem is not the key of the certificate: " + pem);
            }
            return key;
        }

        private static boolean belongTogether(PrivateKey privateKey, PublicKey publicKey) {
            String algorithm = switch (privateKey.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                case "RSASSA-PSS" -> ""; // which needs more than the key
                default -> privateKey.getAlgorithm(); // Ed25519 and its like
            };
            if (algorithm.isEmpty()) {
                return true;
            }
            try {
                Signature signature = Signature.getInstance(algorithm);
                signature.initSign(privateKey);
                byte[] signed = signature.sign();
                signature.initVerify(publicKey);
                return signature.verify(signed);
            } catch (GeneralSecurityException e) {
                return false;
            }
        }

        private static byte[] read(String option, Path file) {
            try {
                return Files.readAllBytes(requireNonNull(file, option));
            } catch (IOException e) {
                throw new IllegalArgumentException(option + " cannot be read: " + file, e);
            }
        }
    }
}
