package io.flagfeed.sdk.datasource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * An authority that signs certificates of any name and age: X.509 written by hand, because the JDK has nothing for it
 * but a process that takes a second each.
 */
final class TestCertificates {
    private static final AtomicLong SERIAL = new AtomicLong(1);
    private static final byte[] ECDSA_WITH_SHA256 =
            sequence(new byte[] {6, 8, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2});
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    /**
     * A certificate, its key, and who signed it.
     *
     * @param certificate shown to others
     * @param keys its own
     * @param authority what signed it
     */
    record Identity(X509Certificate certificate, KeyPair keys, X509Certificate authority) {
        /** A server that shows this certificate, and trusts clients whose certificates the authority signed. */
        SSLContext serverContext() throws GeneralSecurityException, IOException {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setKeyEntry("own", keys.getPrivate(), new char[0], new X509Certificate[] {certificate});
            KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keyManagers.init(store, new char[0]);
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry("authority", authority);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        }

        Path certificateFile(Path folder) throws IOException, GeneralSecurityException {
            return write(folder, "CERTIFICATE", certificate.getEncoded());
        }

        Path keyFile(Path folder) throws IOException {
            return write(folder, "PRIVATE KEY", keys.getPrivate().getEncoded());
        }
    }

    private final KeyPair keys;
    private final X509Certificate certificate;

    TestCertificates() throws GeneralSecurityException, IOException {
        keys = newKeys();
        Instant now = Instant.now();
        byte[] isAuthority = extension(new byte[] {6, 3, 0x55, 0x1d, 0x13}, sequence(new byte[] {1, 1, (byte) 0xff}));
        certificate = sign("Test CA", keys, now.minus(Duration.ofDays(2)), now.plus(Duration.ofDays(2)), isAuthority);
    }

    Path authorityFile(Path folder) throws IOException, GeneralSecurityException {
        return write(folder, "CERTIFICATE", certificate.getEncoded());
    }

    /** Valid for two days, for a DNS name or an address. */
    Identity issue(String name) throws GeneralSecurityException, IOException {
        return issue(name, Instant.now().plus(Duration.ofDays(1)));
    }

    Identity issue(String name, Instant end) throws GeneralSecurityException, IOException {
        KeyPair own = newKeys();
        byte[] alternative = name.matches("[0-9.]+")
                ? tagged(0x87, InetAddress.getByName(name).getAddress())
                : tagged(0x82, name.getBytes(StandardCharsets.US_ASCII));
        byte[] names = extension(new byte[] {6, 3, 0x55, 0x1d, 0x11}, sequence(alternative));
        return new Identity(sign(name, own, end.minus(Duration.ofDays(2)), end, names), own, certificate);
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    private X509Certificate sign(String subject, KeyPair of, Instant from, Instant to, byte[] extension)
            throws GeneralSecurityException, IOException {
        byte[] content = sequence(
                tagged(0xa0, tagged(2, new byte[] {2})), // version 3
                tagged(2, BigInteger.valueOf(SERIAL.getAndIncrement()).toByteArray()),
                ECDSA_WITH_SHA256,
                name("Test CA"),
                sequence(time(from), time(to)),
                name(subject),
                of.getPublic().getEncoded(),
                tagged(0xa3, sequence(extension)));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(content);
        byte[] signed = signature.sign();
        byte[] bits = new byte[signed.length + 1]; // begins with the number of bits that are not used
        System.arraycopy(signed, 0, bits, 1, signed.length);
        byte[] encoded = sequence(content, ECDSA_WITH_SHA256, tagged(3, bits));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new java.io.ByteArrayInputStream(encoded));
    }

    private static byte[] name(String commonName) {
        byte[] type = {6, 3, 0x55, 4, 3};
        byte[] value = tagged(12, commonName.getBytes(StandardCharsets.UTF_8));
        return sequence(tagged(0x31, sequence(type, value)));
    }

    private static byte[] time(Instant time) {
        return tagged(24, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] extension(byte[] type, byte[] value) {
        return sequence(type, tagged(4, value));
    }

    private static byte[] sequence(byte[]... parts) {
        return tagged(0x30, parts);
    }

    private static byte[] tagged(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(tag);
        int length = content.size();
        if (length >= 256) {
            all.writeBytes(new byte[] {(byte) 0x82, (byte) (length >> 8)});
        } else if (length >= 128) {
            all.write(0x81);
        }
        all.write(length);
        all.writeBytes(content.toByteArray());
        return all.toByteArray();
    }

    static Path write(Path folder, String type, byte[] content) throws IOException {
        String text = "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + type
                + "-----\n";
        return Files.writeString(Files.createTempFile(folder, "test", ".pem"), text);
    }
}
