package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One answer of a {@link Script}: what is sent, how, and what happens then. Each word says one thing more.
 *
 * <p>Numbers of bytes count those of the content, as sent: after compression, without headers and without the framing
 * of HTTP. An answer cannot be changed any more once a request got it: the words then throw
 * {@link IllegalStateException}. May be used from any thread.
 */
public final class Answer {
    static final int FOREVER = -1;

    /** How the client knows where the content ends. */
    enum Framing {
        LENGTH,
        CHUNKED,
        UNTIL_CLOSE
    }

    private final Script script; // its monitor guards the fields; once an answer is taken they do not change
    private final String words;
    private boolean taken;
    private int timesLeft = 1;

    /** Zero means that no head is sent: only the content, and for most of these there is none. */
    final int status;

    private final List<FakeFlagServer.Header> headers = new ArrayList<>();
    private final Set<String> withheld = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private String contentType = "";
    private String etag = ""; // of the content; empty for none
    private long announced; // a length that may be wrong; 0 for the right one
    private boolean servesState;
    private boolean events;
    private Body content = Body.EMPTY;
    private boolean byteOrderMark;
    private boolean gzip;
    private long truncate = Long.MAX_VALUE;
    private long cut = Long.MAX_VALUE;
    private boolean cutHalfway;
    private long[] splits = {};
    private int dripBytes = Integer.MAX_VALUE;
    private Duration dripEvery = Duration.ZERO;
    private Duration delay = Duration.ZERO;
    private @Nullable Framing framing; // null: as the mode has it
    private @Nullable Hold hold; // null: does not wait
    private @Nullable Ending ending; // null: as the mode has it
    private @Nullable Duration outage; // null for none

    Answer(Script script, int status, String words) {
        this.script = script;
        this.status = status;
        this.words = words;
    }

    // ---- headers

    /**
     * Adds a header line; the server then writes none of that name by itself. Several lines may have one name.
     *
     * @param value may hold dates that are worked out when the answer is sent, from the server's clock:
     *     <code>{{httpdate+5s}}</code> (Sun, 06 Nov 1994 08:49:37 GMT), <code>{{httpdate850+5s}}</code> (Sunday,
     *     06-Nov-94 08:49:37 GMT) or <code>{{httpdateasctime+5s}}</code> (Sun Nov  6 08:49:37 1994), also
     *     <code>-5s</code>: the whole second that lies 5 s after now, rounded up
     * @throws IllegalArgumentException if the value holds a line break or an unknown token
     */
    public Answer header(String name, String value) {
        String text = requireNonNull(name, "name") + requireNonNull(value, "value");
        if (text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0) {
            throw new IllegalArgumentException("line break in header " + name);
        }
        HttpDateTokens.check(value);
        return change(() -> headers.add(new FakeFlagServer.Header(name, value)));
    }

    /** Leaves out a header line that the server would write by itself. */
    public Answer noHeader(String name) {
        return change(() -> withheld.add(requireNonNull(name, "name")));
    }

    /** Says how long to wait before the next request. */
    public Answer retryAfter(long seconds) {
        return retryAfter(Long.toString(seconds));
    }

    /** Says the same in any words, right or wrong: a date token too. */
    public Answer retryAfter(String value) {
        return header("Retry-After", value);
    }

    /** Names the content as it is said here, quotes included. {@link Script#serve} answers 304 to the same name. */
    public Answer etag(String value) {
        return header("ETag", value);
    }

    /** Says that the content is of this type, whatever it is. */
    public Answer contentType(String value) {
        return header("Content-Type", value);
    }

    // ---- content

    /** Content of any kind, in UTF-8. It replaces what was said before. */
    public Answer body(String contentType, String text) {
        requireNonNull(contentType, "contentType");
        byte[] bytes = text.getBytes(UTF_8);
        return change(() -> {
            this.contentType = contentType;
            content = Body.EMPTY.plus(bytes);
        });
    }

    /** Adds a {@code put} to a stream. For a poll it is the content. Tombstones are left out. */
    public Answer put(Collection<Item> items) {
        String document = Wire.document(items);
        if (script.mode == Mode.POLL) {
            return body(Mode.POLL.contentType, document).change(() -> etag = Document.etag(document.getBytes(UTF_8)));
        }
        return events(Wire.put(document));
    }

    /** The same with single items. */
    public Answer put(Item... items) {
        return put(List.of(items));
    }

    /** Adds a patch to a stream, or for a tombstone a delete. */
    public Answer patch(Item item) {
        return events(Wire.change(item));
    }

    /** Adds a delete to a stream. */
    public Answer delete(ItemKind kind, String key, long version) {
        return patch(Item.tombstone(kind, key, version));
    }

    /** Adds any event to a stream. */
    public Answer event(String name, String data) {
        return events(Wire.event(name, data));
    }

    /** Adds a comment line to a stream. */
    public Answer comment(String text) {
        return events(Wire.comment(text));
    }

    /** Adds text to a stream, in UTF-8, as it is: blank lines included. */
    public Answer events(String text) {
        return events(text.getBytes(UTF_8));
    }

    /**
     * Adds bytes to a stream.
     *
     * @throws IllegalStateException if this is an answer to a poll
     */
    public Answer events(byte[] bytes) {
        if (script.mode != Mode.STREAM) {
            throw new IllegalStateException("events belong to a stream, this answers " + script.mode.path);
        }
        byte[] copy = bytes.clone();
        return change(() -> {
            events = true;
            contentType = Mode.STREAM.contentType;
            content = content.plus(copy);
        });
    }

    /** Waits before what is added next, or before the end. */
    public Answer pause(Duration duration) {
        requireNonNegative("pause", duration);
        return change(() -> content = content.plusPause(duration));
    }

    /**
     * Adds what was added last once more, for so many times, each after waiting.
     *
     * <pre>{@code
     * server.stream().put(flag).comment("").repeat(60, Duration.ofSeconds(1)).stall(); // heartbeats that end
     * }</pre>
     *
     * @param times how many times more
     * @param every how long to wait before each; zero means not to wait
     * @throws IllegalStateException if nothing was added
     */
    public Answer repeat(int times, Duration every) {
        if (times <= 0) {
            throw new IllegalArgumentException("times <= 0: " + times);
        }
        requireNonNegative("every", every);
        return change(() -> {
            if (content.parts().isEmpty()) {
                throw new IllegalStateException("nothing to repeat: " + words);
            }
            content = content.plusLastAgain(times, every);
        });
    }

    /** Puts a byte-order mark of UTF-8 in front. */
    public Answer bom() {
        return change(() -> byteOrderMark = true);
    }

    /** Compresses the content, and says so. A compressed stream stays open, but gets nothing that comes later. */
    public Answer gzip() {
        return change(() -> gzip = true);
    }

    /** Keeps only the first bytes of the content, as if there were no more: what HTTP says of the length is right. */
    public Answer truncate(int bytes) {
        requireNonNegative("truncate", bytes);
        return change(() -> truncate = bytes);
    }

    // ---- delivery

    /** Waits before the first byte of the answer. */
    public Answer after(Duration delay) {
        requireNonNegative("delay", delay);
        return change(() -> this.delay = delay);
    }

    /** Waits before the first byte until the handle is released. */
    public Hold hold() {
        Hold handle = new Hold(this);
        change(() -> hold = handle);
        return handle;
    }

    /**
     * Sends a few bytes at a time, each in a write of its own.
     *
     * @param bytes how many at a time
     * @param every how long to wait after each; zero means not to wait
     */
    public Answer drip(int bytes, Duration every) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes <= 0: " + bytes);
        }
        requireNonNegative("every", every);
        return change(() -> {
            dripBytes = bytes;
            dripEvery = every;
        });
    }

    /**
     * Makes a break in the content after this many bytes, at each of these places: a new write, and in a stream a new
     * chunk, a few milliseconds later, so that the client reads it apart.
     */
    public Answer splitAt(int... bytes) {
        long[] places = Arrays.stream(bytes).asLongStream().sorted().toArray();
        return change(() -> splits = places);
    }

    /** Sends only the first bytes of the content and then closes the connection, unless another end is said. */
    public Answer cutAfter(int bytes) {
        requireNonNegative("cut", bytes);
        return change(() -> cut = bytes);
    }

    /** Sends only half of the content and then closes the connection, unless another end is said. */
    public Answer cutHalfway() {
        return change(() -> cutHalfway = true);
    }

    /**
     * Announces a length of the content that may be wrong. If it is more than there is, the connection is closed after
     * the content, unless another end is said.
     */
    public Answer contentLength(long bytes) {
        requireNonNegative("contentLength", bytes);
        return framed(Framing.LENGTH)
                .header("Content-Length", Long.toString(bytes))
                .change(() -> announced = bytes);
    }

    /** Sends the content in chunks, as a stream does anyway. */
    public Answer chunked() {
        return framed(Framing.CHUNKED);
    }

    /** Announces no length: the content ends where the connection does. */
    public Answer untilClose() {
        return framed(Framing.UNTIL_CLOSE);
    }

    // ---- what happens then

    /** Ends the response as HTTP says; the connection stays. A poll does so anyway. */
    public Answer end() {
        return ending(Ending.END);
    }

    /** Closes the connection after what was sent; for a stream that is no orderly end. */
    public Answer drop() {
        return ending(Ending.DROP);
    }

    /** Resets the connection (RST) after what was sent. */
    public Answer reset() {
        return ending(Ending.RESET);
    }

    /** Goes silent after what was sent, and closes nothing. A stream gets nothing that comes later. */
    public Answer stall() {
        return ending(Ending.STALL);
    }

    /**
     * After the end of this answer the port and all connections are closed for so long, as when the process dies and is
     * started again: see {@link FakeFlagServer#outage}. This connection is closed too, or reset if {@link #reset} was
     * said. What was said of the port since the answer began counts more: there is no outage then.
     */
    public Answer outage(Duration duration) {
        requireNonNegative("outage", duration);
        return change(() -> outage = duration);
    }

    // ---- how often

    /** Gives this answer to so many requests. Default: one. */
    public Answer times(int requests) {
        if (requests <= 0) {
            throw new IllegalArgumentException("times <= 0: " + requests);
        }
        return change(() -> timesLeft = requests);
    }

    /** Gives this answer to every request from here on, until {@link Script#clear}. */
    public Answer forever() {
        return change(() -> timesLeft = FOREVER);
    }

    /** Goes on to the answer for the next request. */
    public Script then() {
        return script;
    }

    /** The word that began it, and how often it is still to be given. */
    @Override
    public String toString() {
        synchronized (script) {
            return timesLeft == 1 ? words : words + (timesLeft == FOREVER ? " forever" : " times(" + timesLeft + ")");
        }
    }

    // ---- what the server asks once the answer is taken

    /** Gives it once more; true if that was the last time. Called under the script's monitor. */
    boolean take() {
        taken = true;
        if (timesLeft == FOREVER) {
            return false;
        }
        timesLeft--;
        return timesLeft == 0;
    }

    int timesLeft() {
        return timesLeft;
    }

    boolean servesState() {
        return servesState;
    }

    /** Whether this opens a stream. */
    boolean opensStream() {
        return events;
    }

    Duration delay() {
        return delay;
    }

    @Nullable
    Hold holding() {
        return hold;
    }

    List<FakeFlagServer.Header> headers() {
        return headers;
    }

    /** Whether the server writes this header line by itself. */
    boolean automatic(String name) {
        return !withheld.contains(name)
                && headers.stream().noneMatch(header -> header.name().equalsIgnoreCase(name));
    }

    String contentType() {
        return contentType;
    }

    /** What the server says by itself; empty for nothing. */
    String etag() {
        return etag;
    }

    boolean compressed() {
        return gzip;
    }

    /** The content as it is sent, after the server's own. */
    Body content(Body own) {
        Body body = own.plus(content);
        body = byteOrderMark ? body.withByteOrderMark() : body;
        body = gzip ? body.gzip() : body;
        return truncate < Long.MAX_VALUE ? body.first(truncate) : body;
    }

    /** How many bytes of it are sent. */
    long limit(Body body) {
        return cutHalfway ? body.length() / 2 : cut;
    }

    /** How many bytes to send in one write when so many were sent. */
    int nextWrite(long sent) {
        for (long split : splits) {
            if (split > sent) {
                return (int) Math.min(dripBytes, split - sent);
            }
        }
        return dripBytes;
    }

    boolean breaksAt(long sent) {
        return Arrays.binarySearch(splits, sent) >= 0;
    }

    Duration dripEvery() {
        return dripEvery;
    }

    Framing framing() {
        if (framing != null) {
            return framing;
        }
        return events ? Framing.CHUNKED : Framing.LENGTH;
    }

    /** Whether less is sent than there is, or nothing comes of what was announced: 304 would hide that. */
    boolean isCut() {
        return cutHalfway
                || cut < Long.MAX_VALUE
                || truncate < Long.MAX_VALUE
                || framing == Framing.LENGTH
                || ending == Ending.STALL;
    }

    Ending ending(Body body) {
        if (ending != null) {
            return ending;
        }
        if (outage != null || limit(body) < Long.MAX_VALUE || announced > body.length()) {
            return Ending.DROP;
        }
        if (events && framing() != Framing.LENGTH) { // which is complete with its last byte
            return gzip ? Ending.STALL : Ending.STAY;
        }
        return Ending.END;
    }

    /** How long nobody can connect after the end. */
    @Nullable
    Duration outage() {
        return outage;
    }

    // ---- what the script says

    Answer servingState() {
        servesState = true;
        events = script.mode == Mode.STREAM;
        contentType = script.mode.contentType;
        return this;
    }

    Answer bytes(byte[] response) {
        byte[] copy = response.clone();
        return change(() -> {
            framing = Framing.UNTIL_CLOSE;
            content = Body.EMPTY.plus(copy);
        });
    }

    private Answer framed(Framing framing) {
        return change(() -> this.framing = framing);
    }

    private Answer ending(Ending ending) {
        return change(() -> this.ending = ending);
    }

    private Answer change(Runnable change) {
        synchronized (script) {
            if (taken) {
                throw new IllegalStateException(
                        "a request got this answer before it was said to the end, see Script.atOnce: " + words);
            }
            change.run();
        }
        return this;
    }

    private static void requireNonNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " < 0: " + value);
        }
    }

    private static void requireNonNegative(String name, Duration value) {
        if (requireNonNull(value, name).isNegative()) {
            throw new IllegalArgumentException(name + " < 0: " + value);
        }
    }
}
