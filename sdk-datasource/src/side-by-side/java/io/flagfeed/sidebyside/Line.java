package io.flagfeed.sidebyside;

import java.io.IOException;
import java.io.Reader;
import okio.Buffer;
import okio.BufferedSource;

/**
 * The characters of one line after the other, each with an end of its own, straight out of what the socket gave: a
 * {@link java.io.InputStreamReader} would read beyond the line, and take a buffer for each. Knows ASCII only, which the
 * service keeps to.
 */
final class Line extends Reader {
    private final BufferedSource source;
    private final byte[] bytes = new byte[8192];
    private boolean ended;

    Line(BufferedSource source) {
        this.source = source;
    }

    /** The same, at the beginning of the next line. */
    Line next() {
        ended = false;
        return this;
    }

    /** Goes to the line's end, which who knows where the data end need not have read. */
    void skipRest() throws IOException {
        if (!ended) {
            source.skip(source.indexOf((byte) '\n') + 1);
            ended = true;
        }
    }

    @Override
    public int read(char[] chars, int from, int length) throws IOException {
        if (ended || !source.request(1)) {
            return -1;
        }
        Buffer received = source.getBuffer();
        long end = received.indexOf((byte) '\n');
        if (end == 0) {
            received.skip(1);
            ended = true;
            return -1;
        }
        long available = end < 0 ? received.size() : end;
        int read = received.read(bytes, 0, (int) Math.min(available, Math.min(length, bytes.length)));
        for (int i = 0; i < read; i++) {
            chars[from + i] = (char) bytes[i];
        }
        return read;
    }

    /** Leaves the source open, for the next line. */
    @Override
    public void close() {}
}
