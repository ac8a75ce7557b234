package io.flagfeed.sdk.datasource;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;
import okhttp3.MediaType;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.Okio;
import okio.Source;
import okio.Timeout;

/** The body of an answer that comes from no socket: some bytes in reads of any size, and one of three ends. */
final class ScriptedBody extends ResponseBody {
    enum End {
        ORDERLY,
        BROKEN,
        SILENCE
    }

    /** All has been read, and the reader wants more. */
    final CountDownLatch silent = new CountDownLatch(1);

    /** Ends the silence, as closing the connection does. */
    final CountDownLatch closed = new CountDownLatch(1);

    private final MediaType type;
    private final BufferedSource source;

    /** With how many bytes each read gets at most. */
    ScriptedBody(String type, byte[] bytes, IntSupplier readSize, End end) {
        this.type = MediaType.get(type);
        source = Okio.buffer(new Source() {
            private int at;

            @Override
            public long read(Buffer sink, long byteCount) throws IOException {
                if (at < bytes.length) {
                    int count = (int) Math.min(Math.min(readSize.getAsInt(), byteCount), bytes.length - at);
                    sink.write(bytes, at, count);
                    at += count;
                    return count;
                } else if (end == End.ORDERLY) {
                    return -1;
                } else if (end == End.BROKEN) {
                    throw new IOException(
                            "broken on purpose at https://me:" + FuzzInput.VALUE + "@example.com/\nand more");
                }
                silent.countDown();
                try {
                    closed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw new IOException("Canceled");
            }

            @Override
            public Timeout timeout() {
                return Timeout.NONE;
            }

            @Override
            public void close() {}
        });
    }

    @Override
    public MediaType contentType() {
        return type;
    }

    @Override
    public long contentLength() {
        return -1;
    }

    @Override
    public BufferedSource source() {
        return source;
    }
}
