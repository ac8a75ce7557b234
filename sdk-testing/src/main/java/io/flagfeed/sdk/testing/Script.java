package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What {@link FakeFlagServer} answers to the next requests of one mode, one answer for each request, in order. After
 * the last one the server's flags are served as usual.
 *
 * <pre>{@code
 * server.stream().respond(503).retryAfter(2).times(2).then().put(flag).then().stall();
 * server.poll().serve().gzip().truncate(100).then().html().then().redirect(301, "/elsewhere");
 * }</pre>
 *
 * <p>A word here begins an answer, which counts from then on; the words of {@link Answer} say more about it. While
 * requests are coming, {@link #atOnce} keeps them from getting an answer that is half said. May be used from any
 * thread.
 */
public final class Script {
    private static final int DEFAULT_STATUS = 200;
    private static final String LOGIN_PAGE =
            "<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Sign in to the network</h1></body></html>";

    final Mode mode;
    private final Deque<Answer> answers = new ArrayDeque<>(); // this and the answers in it: guarded by this

    Script(Mode mode) {
        this.mode = mode;
    }

    /** Answers with a status and no content. With 401, 503 and the like a service says no more than that. */
    public Answer respond(int status) {
        if (status < 100 || status > 999) {
            throw new IllegalArgumentException("status not of three digits: " + status);
        }
        return begin(status, "respond(" + status + ")");
    }

    /**
     * Serves the server's flags as they are when the answer begins: what happens without a script, too. A poll that
     * sends the ETag of these gets 304, unless the answer is cut, truncated, stalled or of a length that was said.
     */
    public Answer serve() {
        return begin(DEFAULT_STATUS, "serve()").servingState();
    }

    /**
     * Serves these items instead of the server's: a stream gets them as a {@code put} and stays open, a poll as a
     * document with an ETag of its own, even if it sent this ETag. Tombstones are left out. What the server holds does
     * not change.
     */
    public Answer put(Item... items) {
        return put(List.of(items));
    }

    /** The same with a collection. */
    public Answer put(Collection<Item> items) {
        return begin(DEFAULT_STATUS, "put(" + items.size() + " items)").put(items);
    }

    /** Opens a stream with an event instead of the {@code put}. */
    public Answer event(String name, String data) {
        return begin(DEFAULT_STATUS, "event(" + name + ")").event(name, data);
    }

    /** Opens a stream with this text, in UTF-8, as it is: blank lines included. */
    public Answer events(String text) {
        return begin(DEFAULT_STATUS, "events(..)").events(text);
    }

    /** Opens a stream with these bytes. */
    public Answer events(byte[] bytes) {
        return begin(DEFAULT_STATUS, "events(..)").events(bytes);
    }

    /** Opens a stream with a comment line, which carries nothing. */
    public Answer comment(String text) {
        return begin(DEFAULT_STATUS, "comment(..)").comment(text);
    }

    /** Opens a stream with a patch, or for a tombstone a delete, before any {@code put}. */
    public Answer patch(Item item) {
        return begin(DEFAULT_STATUS, "patch(" + item + ")").patch(item);
    }

    /** Opens a stream with a delete before any {@code put}. */
    public Answer delete(ItemKind kind, String key, long version) {
        return patch(Item.tombstone(kind, key, version));
    }

    /** Answers 200 with this content. */
    public Answer body(String contentType, String text) {
        return begin(DEFAULT_STATUS, "body(" + contentType + ")").body(contentType, text);
    }

    /** Answers 200 with the login page of a network that wants a password first. */
    public Answer html() {
        return begin(DEFAULT_STATUS, "html()").body("text/html; charset=utf-8", LOGIN_PAGE);
    }

    /** Sends the client elsewhere: the location goes out as it is, absolute or relative. */
    public Answer redirect(int status, String location) {
        return respond(status).header("Location", location);
    }

    /** Serves one flag, off, with a variation of this many bytes. */
    public Answer oversized(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes < 0: " + bytes);
        }
        String json = "{\"key\":\"oversized\",\"version\":1,\"on\":false,\"offVariation\":0,"
                + "\"fallthrough\":{\"variation\":0},\"salt\":\"\",\"variations\":[\"" + "x".repeat(bytes) + "\"]}";
        return begin(DEFAULT_STATUS, "oversized(" + bytes + ")")
                .put(List.of(Item.of(ItemKind.FLAG, "oversized", 1, json)));
    }

    /** Sends the headers of a good answer, then nothing more, and closes nothing. */
    public Answer stall() {
        return begin(DEFAULT_STATUS, "stall()").servingState().cutAfter(0).stall();
    }

    /** Takes the request and sends nothing, ever. */
    public Answer hang() {
        return begin(0, "hang()").stall();
    }

    /** Closes the connection before any byte of an answer. */
    public Answer drop() {
        return begin(0, "drop()").drop();
    }

    /** Resets the connection (RST) before any byte of an answer. */
    public Answer reset() {
        return begin(0, "reset()").reset();
    }

    /** Sends these bytes as the whole response, status line included: for answers that are not HTTP. Then closes. */
    public Answer bytes(byte[] response) {
        return begin(0, "bytes(..)").bytes(response).drop();
    }

    /**
     * Says several things while no request is given an answer.
     *
     * <pre>{@code
     * server.poll().atOnce(script -> script.respond(503).retryAfter(2));
     * }</pre>
     */
    public void atOnce(Consumer<Script> words) {
        synchronized (this) {
            words.accept(this);
        }
    }

    /** Forgets the answers that were not given yet, also one that is given {@linkplain Answer#forever for ever}. */
    public synchronized void clear() {
        answers.clear();
    }

    /**
     * The answers that were not given yet, the next first, in words: for a test to see that all of them were. What is
     * given {@linkplain Answer#forever for ever} is not among them.
     */
    public synchronized List<String> pending() {
        return answers.stream()
                .filter(answer -> answer.timesLeft() != Answer.FOREVER)
                .map(Answer::toString)
                .toList();
    }

    /** What is pending. */
    @Override
    public String toString() {
        return mode.path + " " + pending();
    }

    /** The answer to one more request. */
    synchronized Answer next() {
        @Nullable Answer next = answers.peek();
        if (next == null) {
            return new Answer(this, DEFAULT_STATUS, "serve()").servingState();
        }
        if (next.take()) {
            answers.remove();
        }
        return next;
    }

    private synchronized Answer begin(int status, String words) {
        @Nullable Answer last = answers.peekLast();
        if (last != null && last.timesLeft() == Answer.FOREVER) {
            throw new IllegalStateException("nothing follows what is given for ever: " + last);
        }
        Answer answer = new Answer(this, status, requireNonNull(words, "words"));
        answers.add(answer);
        return answer;
    }
}
