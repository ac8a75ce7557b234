package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A stream of server-sent events (the HTML standard, section 9.2), whose data are read as they arrive: the largest
 * event is never in memory as a whole.
 *
 * <p>So the name of an event is the one that stands before its data; one that comes later has no meaning, unless there
 * was none before. Event ids have none either, since no stream is ever resumed.
 */
final class EventReader {
    /** Hears what comes, in order. */
    interface Listener {
        /** A comment came. */
        void comment();

        /**
         * The time between connections that the service wishes, in milliseconds; the most there is if it fits no long.
         */
        void reconnectionTime(long millis);

        /**
         * An event is coming.
         *
         * @param name of the event; {@code message} if it has none
         * @param data text in UTF-8, to be read now, as far as anybody cares
         * @return whether to go on
         */
        boolean event(String name, InputStream data) throws IOException;
    }

    /** The stream ended, in the middle of an event or not. */
    @SuppressWarnings("serial") // never serialized
    static final class EndedException extends IOException {}

    private static final int BUFFER_BYTES = 16 * 1024;
    private static final String UNNAMED = "message";

    // By byte: one look for each instead of one comparison for each kind, which counts before the loop is compiled
    // well.
    private static final boolean[] ENDS_LINE = new boolean[256];

    static {
        ENDS_LINE['\n'] = true;
        ENDS_LINE['\r'] = true;
    }

    private final InputStream in;
    private final int limit;
    private @Nullable Runnable onFirstEvent; // null once it was run

    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at; // the next byte
    private int end; // of what was read
    private boolean afterReturn; // the line before ended in CR: a LF now belongs to it
    private long eventBytes; // since the last blank line; ends of lines and comments do not count
    private long count; // of bytes since it was taken

    private final Data data = new Data();

    /**
     * Reads a stream.
     *
     * @param limit the most bytes of one event, or of one comment
     * @param onFirstEvent run once, when the first byte of the first event was read: of a line that begins like {@code
     *     event} or {@code data}, which comments and other fields do not
     */
    EventReader(InputStream in, int limit, Runnable onFirstEvent) {
        this.in = in;
        this.limit = limit;
        this.onFirstEvent = onFirstEvent;
    }

    /**
     * Reads until the listener wants no more.
     *
     * @throws EndedException if the stream ends
     * @throws PayloadTooLargeException if an event or a comment is over the limit; what was complete before it was told
     */
    void read(Listener listener) throws IOException {
        while (event(listener)) {}
    }

    /** How many bytes were read since this was asked last. */
    long takeCount() {
        long taken = count;
        count = 0;
        return taken;
    }

    private boolean event(Listener listener) throws IOException {
        String name = "";
        eventBytes = 0;
        ByteArrayOutputStream early = null; // data that came before a name
        while (true) {
            await();
            int first = firstOfLine();
            if (isEnd(first)) {
                endLine();
                if (early != null) {
                    byte[] text = early.toByteArray();
                    String known = name.isEmpty() ? UNNAMED : name;
                    return listener.event(known, new ByteArrayInputStream(text));
                }
                name = "";
                eventBytes = 0;
            } else if (first == ':') {
                skipComment();
                listener.comment();
            } else {
                switch (field()) {
                    case DATA -> {
                        if (early == null && !name.isEmpty()) {
                            return event(name, listener);
                        }
                        early = with(early);
                    }
                    case EVENT -> name = value();
                    case RETRY -> retry(value(), listener);
                    case OTHER -> copyLine(OutputStream.nullOutputStream());
                }
            }
        }
    }

    private boolean event(String name, Listener listener) throws IOException {
        data.begin();
        boolean goOn = listener.event(name, data);
        if (goOn) {
            data.skipRest();
        }
        return goOn;
    }

    /** With a line more. */
    private ByteArrayOutputStream with(@Nullable ByteArrayOutputStream before) throws IOException {
        ByteArrayOutputStream lines = before == null ? new ByteArrayOutputStream() : before;
        if (before != null) {
            lines.write('\n');
        }
        copyLine(lines);
        return lines;
    }

    /** The first byte of a line, which is not read. */
    private int firstOfLine() throws IOException {
        int first = peek();
        if (afterReturn && first == '\n') {
            at++;
            count++;
            first = -1;
        }
        afterReturn = false;
        first = first < 0 ? peek() : first;
        if (onFirstEvent != null && (first == 'e' || first == 'd')) {
            onFirstEvent.run();
            onFirstEvent = null;
        }
        return first;
    }

    private static boolean isEnd(int b) {
        return b == '\n' || b == '\r';
    }

    /** Reads past the end of a line, but does not wait for what may follow a CR. */
    private void endLine() throws IOException {
        afterReturn = peek() == '\r';
        at++;
        count++;
    }

    /**
     * Waits for the next byte, in the two places where there mostly is none yet: before an event and in the midst of
     * data. Everywhere else it hardly ever has to be waited for, and what reads there is not compiled together with all
     * that reading from a connection takes.
     */
    private void await() throws IOException {
        if (at == end) {
            fill();
        }
    }

    private int peek() throws IOException {
        if (at == end) { // seldom
            fill();
        }
        return buffer[at];
    }

    private void fill() throws IOException {
        int read = in.read(buffer, 0, buffer.length);
        if (read < 0) {
            throw new EndedException();
        }
        at = 0;
        end = read;
        if (read == 0) { // of a stream that does not keep to the rules
            fill();
        }
    }

    /** Reads one byte of an event. */
    private void consume() throws IOException {
        at++;
        consumed(1);
    }

    private void consumed(int bytes) throws PayloadTooLargeException {
        count += bytes;
        eventBytes += bytes;
        if (eventBytes > limit) {
            throw tooLarge("an event");
        }
    }

    private PayloadTooLargeException tooLarge(String what) {
        return new PayloadTooLargeException(what, "maxEventBytes", limit);
    }

    private void skipComment() throws IOException {
        long length = 0;
        while (!isEnd(peek())) {
            int from = at;
            skipToEnd(end);
            count += at - from;
            length += at - from;
            if (length > limit) {
                throw tooLarge("a comment");
            }
        }
        endLine();
    }

    /** To the end of the line, as far as it is before the given place. */
    private void skipToEnd(int limit) {
        byte[] bytes = buffer;
        boolean[] ends = ENDS_LINE;
        int p = at;
        while (p < limit && !ends[bytes[p] & 0xFF]) {
            p++;
        }
        at = p;
    }

    private enum Field {
        DATA,
        EVENT,
        RETRY,
        OTHER
    }

    /** The name of a line's field, with the colon and the space behind it; what is left of the line is its value. */
    private Field field() throws IOException {
        int length = 0;
        while (!isEnd(peek()) && peek() != ':') {
            if (length < fieldName.length) { // none that is longer has a meaning
                fieldName[length] = (byte) peek();
            }
            length++;
            consume();
        }
        if (peek() == ':') {
            consume();
            if (peek() == ' ') {
                consume();
            }
        }
        return switch (length) {
            case 4 -> isNamed("data", length) ? Field.DATA : Field.OTHER;
            case 5 -> isNamed("event", length) ? Field.EVENT : isNamed("retry", length) ? Field.RETRY : Field.OTHER;
            default -> Field.OTHER;
        };
    }

    private final byte[] fieldName = new byte[5];

    private boolean isNamed(String name, int length) {
        for (int i = 0; i < length; i++) {
            if (fieldName[i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private String value() throws IOException {
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        copyLine(value);
        return value.toString(UTF_8);
    }

    private static void retry(String value, Listener listener) {
        if (value.matches("[0-9]+")) {
            try {
                listener.reconnectionTime(Long.parseLong(value));
            } catch (NumberFormatException e) { // digits that fit no long
                listener.reconnectionTime(Long.MAX_VALUE);
            }
        }
    }

    private void copyLine(OutputStream into) throws IOException {
        while (!isEnd(peek())) {
            int from = at;
            skipToEnd(end);
            into.write(buffer, from, at - from);
            consumed(at - from);
        }
        endLine();
    }

    /** The data of one event, from the rest of its first line of data to the blank line that ends it. */
    private final class Data extends InputStream {
        private boolean over = true;
        private @Nullable IOException broken;

        void begin() {
            over = false;
            broken = null;
        }

        void skipRest() throws IOException {
            byte[] unread = new byte[over ? 0 : 1024];
            while (!over) {
                int unused = read(unread, 0, unread.length);
            }
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            } else if (over) {
                return -1;
            } else if (broken != null) {
                throw broken;
            }
            try {
                return readLine(into, offset, length);
            } catch (IOException e) {
                broken = e;
                throw e;
            }
        }

        /** Some of a line, or the line end between two. */
        private int readLine(byte[] into, int offset, int length) throws IOException {
            await();
            if (isEnd(peek())) {
                endLine();
                over = !hasAnotherLine();
                into[offset] = '\n';
                return over ? -1 : 1;
            }
            int from = at;
            skipToEnd(Math.min(end, at + length));
            System.arraycopy(buffer, from, into, offset, at - from);
            consumed(at - from);
            return at - from;
        }

        /** Reads up to the next line of data, if the event has one. */
        private boolean hasAnotherLine() throws IOException {
            while (true) {
                int first = firstOfLine();
                if (isEnd(first)) {
                    endLine();
                    return false;
                } else if (first == ':') {
                    skipComment();
                } else if (field() == Field.DATA) {
                    return true;
                } else {
                    copyLine(OutputStream.nullOutputStream()); // of no meaning once the data have begun
                }
            }
        }
    }
}
