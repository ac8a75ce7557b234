package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.retry.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/** An attempt is one request, conditional once there is an entity tag for the data that are held. */
final class PollTransport implements Transport {
    private static final char REPLACED = '\uFFFD';

    private final HttpEndpoint endpoint;
    private final InstantSource clock;
    private final int maxPayloadBytes;

    PollTransport(HttpEndpoint endpoint, InstantSource clock, int maxPayloadBytes) {
        this.endpoint = endpoint;
        this.clock = clock;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    @Override
    public Cancellable attempt(@Nullable String held, Receiver receiver) {
        return endpoint.exchange(clock, "If-None-Match", held, receiver, response -> read(response, held, receiver));
    }

    @Override
    public void close() {
        endpoint.close();
    }

    private @Nullable Failure read(Response response, @Nullable String held, Receiver receiver) throws IOException {
        if (response.code() == 304 && held != null) {
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
        String text = body == null ? "" : text(body.source(), receiver);
        boolean unused = receiver.event("poll", text, entityTag(response)); // nothing follows it anyway
        return null;
    }

    /** JSON is UTF-8 whatever a header says (RFC 8259, section 8.1). */
    private String text(BufferedSource body, Receiver receiver) throws IOException {
        if (body.request(maxPayloadBytes + 1L)) {
            throw new PayloadTooLargeException("the answer", "maxPayloadBytes", maxPayloadBytes);
        }
        receiver.read(body.getBuffer().size());
        return body.readString(StandardCharsets.UTF_8);
    }

    /**
     * To the letter, weak or odd as it may be. An empty one is none. So is one whose bytes are no UTF-8, which OkHttp has
     * replaced: sent back as something else it would only be wrong. And so is one with a control character, which could
     * end the header line that it is sent back in.
     */
    private static @Nullable String entityTag(Response response) {
        String tag = response.header("ETag");
        return tag == null || tag.isEmpty() || tag.chars().anyMatch(c -> c == REPLACED || Character.isISOControl(c))
                ? null
                : tag;
    }
}
