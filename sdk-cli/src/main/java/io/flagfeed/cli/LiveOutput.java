package io.flagfeed.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard output in UTF-8 that says when nobody reads it any more, as after {@code | head -1}: a {@link PrintStream}
 * keeps that to itself, and what shows changes for ever would never end.
 */
final class LiveOutput extends OutputStream {
    private final PrintStream out;
    private final Runnable unread;

    private LiveOutput(PrintStream out, Runnable unread) {
        this.out = out;
        this.unread = unread;
    }

    /** Prints to the given stream, line by line, and calls the other for each line that could not be written. */
    static PrintStream on(PrintStream out, Runnable unread) {
        return new PrintStream(new LiveOutput(out, unread), true, StandardCharsets.UTF_8);
    }

    @Override
    public void write(int b) {
        out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        out.write(bytes, offset, length);
    }

    @Override
    public void flush() {
        if (out.checkError()) { // it flushes
            unread.run();
        }
    }
}
