package io.flagfeed.sdk.datasource;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a stream on their way to the parser: says when the first event begins to arrive, long before it may be
 * complete, and stops one that grows over the limit before the parser has it all in memory.
 *
 * <p>Comments are no events. Nor are fields that carry none, such as {@code retry}; only a line that begins like {@code
 * event} or {@code data} is taken for one.
 */
final class EventBytes extends FilterInputStream {
    private final int limit;
    private Runnable onFirstEvent;

    private long count; // since it was taken
    private boolean atLineStart = true;
    private boolean afterReturn; // the line end before was a CR, which a LF belongs to
    private boolean comment; // the line is one
    private long commentBytes; // of that line
    private long eventBytes; // since the last blank line
    private @Nullable PayloadTooLargeException tooLarge; // found, but not thrown until what came before it was read

    /**
     * Watches a stream.
     *
     * @param limit the most bytes of one event, or of one comment line
     * @param onFirstEvent run once, when the first byte of the first event was read
     */
    EventBytes(InputStream in, int limit, Runnable onFirstEvent) {
        super(in);
        this.limit = limit;
        this.onFirstEvent = onFirstEvent;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    /** Events that are complete reach the parser, also if one behind them in the same read is over the limit. */
    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (tooLarge != null) {
            throw tooLarge;
        }
        int read = super.read(buffer, offset, length);
        int end = offset + Math.max(read, 0);
        count += end - offset;
        int at = offset;
        try {
            while (at < end) {
                at = atLineStart ? startLine(buffer, at) : line(buffer, at, end);
            }
        } catch (PayloadTooLargeException e) {
            if (at == offset) {
                throw e;
            }
            tooLarge = e;
            return at - offset;
        }
        return read;
    }

    /** How many bytes were read since this was asked last. The parser may have read ahead. */
    long takeCount() {
        long taken = count;
        count = 0;
        return taken;
    }

    /** Looks at the first byte of a line; returns where to go on. */
    private int startLine(byte[] buffer, int at) {
        byte first = buffer[at];
        boolean secondHalf = first == '\n' && afterReturn;
        afterReturn = first == '\r';
        if (secondHalf) {
            return at + 1;
        } else if (first == '\n' || first == '\r') { // a blank line ends the event
            eventBytes = 0;
            return at + 1;
        }
        atLineStart = false;
        comment = first == ':';
        commentBytes = 0;
        if (first == 'e' || first == 'd') {
            onFirstEvent.run();
            onFirstEvent = () -> {};
        }
        return at;
    }

    /** Runs to the end of the line, or of what was read; returns where to go on. */
    private int line(byte[] buffer, int start, int end) throws PayloadTooLargeException {
        int at = start;
        while (at < end && buffer[at] != '\n' && buffer[at] != '\r') {
            at++;
        }
        if (comment) {
            commentBytes += at - start;
        } else {
            eventBytes += at - start;
        }
        if (Math.max(commentBytes, eventBytes) > limit) {
            throw new PayloadTooLargeException(comment ? "a comment" : "an event", "maxEventBytes", limit);
        }
        if (at < end) {
            atLineStart = true;
            afterReturn = buffer[at] == '\r';
            at++;
        }
        return at;
    }
}
