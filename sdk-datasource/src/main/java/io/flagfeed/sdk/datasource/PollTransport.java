package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.retry.Failure;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;

/** An attempt is one request, conditional once there is an entity tag for the data that are held. */
final class PollTransport implements Transport {
    private static final char REPLACED = '\uFFFD';

    private final HttpEndpoint endpoint;
    private final InstantSource clock;
    private final int maxPayloadBytes;

    private volatile @Nullable String keyOfHeld; // with which what is held was got: another may be for other data

    PollTransport(HttpEndpoint endpoint, InstantSource clock, int maxPayloadBytes) {
        this.endpoint = endpoint;
        this.clock = clock;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    @Override
    public Cancellable attempt(@Nullable String held, Receiver receiver) {
        return endpoint.exchange(
                clock, "If-None-Match", held, keyOfHeld, receiver, response -> read(response, receiver));
    }

    @Override
    public void close() {
        endpoint.close();
    }

    private @Nullable Failure read(Response response, Receiver receiver) throws IOException {
        if (response.code() == 304 && response.request().header("If-None-Match") != null) {
            receiver.connected();
            String environmentId = endpoint.environmentId(response);
            if (environmentId != null) { // something on the way may answer 304 without it, and nothing has changed
                receiver.environment(environmentId);
            }
            receiver.unchanged();
            return null;
        } else if (response.code() == 304) {
            return Failure.invalidData("304 to a request that sent no entity tag");
        } else if (response.code() != 200) {
            return HttpEndpoint.failure(response, clock);
        }
        receiver.connected();
        receiver.environment(endpoint.environmentId(response));
        ResponseBody body = response.body();
        PollBytes bytes =
                new PollBytes(body == null ? InputStream.nullInputStream() : body.byteStream(), maxPayloadBytes);
        try {
            if (receiver.event("poll", bytes, bytes::count, entityTag(response))) {
                keyOfHeld = HttpEndpoint.keyOf(response);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return null;
    }

    /** The bytes of a body, counted, and no more of them than are allowed. */
    private static final class PollBytes extends FilterInputStream {
        private final int limit;
        private long count;

        PollBytes(InputStream in, int limit) {
            super(in);
            this.limit = limit;
        }

        long count() {
            return count;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int read = super.read(buffer, offset, length);
            count += Math.max(read, 0);
            if (count > limit) {
                throw new PayloadTooLargeException("the answer", "maxPayloadBytes", limit);
            }
            return read;
        }
    }

    /**
     * To the letter, weak or odd as it may be. An empty one is none. So is one whose bytes are no UTF-8, which OkHttp
     * has replaced: sent back as something else it would only be wrong. And so is one with a control character, which
     * could end the header line that it is sent back in.
     */
    private static @Nullable String entityTag(Response response) {
        String tag = response.header("ETag");
        return tag == null || tag.isEmpty() || tag.chars().anyMatch(c -> c == REPLACED || Character.isISOControl(c))
                ? null
                : tag;
    }
}
