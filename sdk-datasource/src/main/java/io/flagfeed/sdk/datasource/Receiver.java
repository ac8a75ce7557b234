package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flagfeed.sdk.retry.Failure;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a transport puts what one attempt learns. Called from the attempt's thread, but for {@link #expired}; returns
 * as soon as there is room for the news, and a thread to deal with them.
 */
interface Receiver {
    /** The service answered with what the attempt was made for. */
    void connected();

    /**
     * The response says what the environment is called, which counts once the response turns out to be good.
     *
     * @param id the name, or null if it had none
     */
    void environment(@Nullable String id);

    /**
     * The data of the answer have to begin to arrive.
     *
     * @param longest how long that may take before the attempt counts as failed
     */
    void expecting(Duration longest);

    /** Data begin to arrive after {@link #expecting}; how long it takes until they are complete is another matter. */
    void arriving();

    /**
     * Something is being received: an event of a stream, the body of a poll. It is read here, and is told on only if it
     * could be read to its end.
     *
     * @param name the event's name
     * @param data the text in UTF-8, as it arrives
     * @param bytes how many were read for it, decompressed, asked once it was read
     * @param held what the service calls the data once this has been applied, to be told with the next attempt, such as
     *     an entity tag; null if it has no name for them
     * @return whether the attempt may go on; false after data that cannot be used, which ended it
     * @throws UncheckedIOException what reading the data threw
     */
    boolean event(String name, InputStream data, LongSupplier bytes, @Nullable String held);

    /** The same of data that are there as a whole. */
    default boolean event(String name, String data, @Nullable String held) {
        byte[] bytes = data.getBytes(UTF_8);
        return event(name, new ByteArrayInputStream(bytes), () -> bytes.length, held);
    }

    /** The service said that what is held has not changed: as good as an event. */
    void unchanged();

    /** The service showed that it is there, and nothing more. */
    void heartbeat();

    /** A stream's wish for the time between attempts, in milliseconds (R42). */
    void reconnectionTime(long millis);

    /** The attempt came to its proper end, and nothing more follows. Streams never do. */
    void ended();

    /** The attempt failed, and nothing more follows. */
    void failed(Failure failure);

    /**
     * As {@link #failed}, from a thread that has more to do than this: returns at once, or throws where there is no
     * thread to deal with it. Then the attempt's thread is the one to tell, once it comes to its end.
     */
    void expired(Failure failure);
}
