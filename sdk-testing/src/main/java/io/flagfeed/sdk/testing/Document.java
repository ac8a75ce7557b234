package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The flags at one moment as both modes send them, made once however many ask. The arrays are not to be changed. */
final class Document {
    final byte[] json;
    final byte[] put;
    final String etag;

    Document(String json) {
        this.json = json.getBytes(UTF_8);
        this.put = Wire.put(json).getBytes(UTF_8);
        this.etag = etag(this.json);
    }

    /** A name for the content: the same for the same bytes only, on another server too. */
    static String etag(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            return '"' + HexFormat.of().formatHex(digest, 0, 8) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
