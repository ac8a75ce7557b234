package io.flagfeed.sdk.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** The bytes of a response, with pauses between them. Immutable; arrays are shared, not copied. */
final class Body {
    static final Body EMPTY = new Body(List.of());

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final List<Part> parts;

    private Body(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /** Some bytes, and how long to wait after them. */
    static final class Part {
        final byte[] bytes;
        final int length;
        final Duration pause;

        Part(byte[] bytes, int length, Duration pause) {
            this.bytes = bytes;
            this.length = length;
            this.pause = pause;
        }
    }

    List<Part> parts() {
        return parts;
    }

    long length() {
        return parts.stream().mapToLong(part -> part.length).sum();
    }

    Body plus(byte[] bytes) {
        return plus(new Part(bytes, bytes.length, Duration.ZERO));
    }

    Body plusPause(Duration pause) {
        return plus(new Part(new byte[0], 0, pause));
    }

    /** Its last part once more for so many times, each after a pause. */
    Body plusLastAgain(int times, Duration pause) {
        List<Part> all = new ArrayList<>(parts);
        Part last = all.get(all.size() - 1);
        for (int i = 0; i < times; i++) {
            if (!pause.isZero()) {
                all.add(new Part(new byte[0], 0, pause));
            }
            all.add(last);
        }
        return new Body(all);
    }

    Body plus(Body other) {
        List<Part> all = new ArrayList<>(parts);
        all.addAll(other.parts);
        return new Body(all);
    }

    Body withByteOrderMark() {
        return EMPTY.plus(BYTE_ORDER_MARK).plus(this);
    }

    /** The same compressed, so that what is before a pause can be read before the pause. */
    Body gzip() {
        List<Part> compressed = new ArrayList<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes, 512, true)) {
            for (Part part : parts) {
                gzip.write(part.bytes, 0, part.length);
                if (!part.pause.isZero()) {
                    gzip.flush();
                }
                compressed.add(new Part(bytes.toByteArray(), bytes.size(), part.pause));
                bytes.reset();
            }
            gzip.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing here writes to anything but memory
        }
        compressed.add(new Part(bytes.toByteArray(), bytes.size(), Duration.ZERO));
        return new Body(compressed);
    }

    /** Its first bytes only, without the pauses after them. */
    Body first(long length) {
        List<Part> kept = new ArrayList<>();
        long left = length;
        for (Part part : parts) {
            if (left <= part.length) {
                kept.add(new Part(part.bytes, (int) left, Duration.ZERO));
                break;
            }
            kept.add(part);
            left -= part.length;
        }
        return new Body(kept);
    }

    private Body plus(Part part) {
        List<Part> all = new ArrayList<>(parts);
        all.add(part);
        return new Body(all);
    }
}
