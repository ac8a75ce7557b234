package io.flagfeed.sdk.testing;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A stream under way: what is still to be sent on it. Whoever has news leaves them here and goes on, so that a client
 * that does not read holds up nobody.
 */
final class OpenStream {
    private static final byte[] NO_MORE = new byte[0]; // known by identity

    private final BlockingQueue<byte[]> news = new LinkedBlockingQueue<>();
    private final Connection connection;
    private final ServedFlags flags;

    OpenStream(Connection connection, ServedFlags flags) {
        this.connection = connection;
        this.flags = flags;
    }

    Connection connection() {
        return connection;
    }

    void send(byte[] bytes) {
        if (bytes.length > 0) { // as a chunk it would end the stream
            news.add(bytes);
        }
    }

    /** The stream ends in an orderly way when what was left here before is sent. */
    void end() {
        news.add(NO_MORE);
    }

    /** The connection is gone. */
    void abandon() {
        flags.close(this);
        end();
    }

    /** Waits for what is to be sent next; null at the end. */
    byte @Nullable [] next() throws InterruptedException {
        byte[] next = news.take();
        return next == NO_MORE ? null : next;
    }

    /** Whether nothing is to be sent for now. */
    boolean idle() {
        return news.isEmpty();
    }
}
