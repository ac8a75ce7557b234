package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.retry.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/** An attempt is one connection, from the request to the end of the stream. */
final class StreamTransport implements Transport {
    private static final ByteString BYTE_ORDER_MARK = ByteString.decodeHex("efbbbf");
    private static final int LONGEST_TYPE = 100;

    /** Before any parameters, which OkHttp would have to understand (RFC 9110, sections 5.6.6 and 8.3.1). */
    private static final Pattern EVENT_STREAM =
            Pattern.compile("text/event-stream[ \t]*(;.*)?", Pattern.CASE_INSENSITIVE);

    private final HttpEndpoint endpoint;
    private final InstantSource clock;
    private final Duration firstPayloadTimeout;
    private final int maxEventBytes;

    StreamTransport(HttpEndpoint endpoint, InstantSource clock, Duration firstPayloadTimeout, int maxEventBytes) {
        this.endpoint = endpoint;
        this.clock = clock;
        this.firstPayloadTimeout = firstPayloadTimeout;
        this.maxEventBytes = maxEventBytes;
    }

    /** What is held goes untold: in this protocol event ids mean nothing, and every stream begins with everything. */
    @Override
    public Cancellable attempt(@Nullable String held, Receiver receiver) {
        return endpoint.exchange(clock, "", null, null, receiver, response -> read(response, receiver));
    }

    @Override
    public void close() {
        endpoint.close();
    }

    private @Nullable Failure read(Response response, Receiver receiver) throws IOException {
        ResponseBody body = response.body();
        if (response.code() != 200 || body == null) {
            return HttpEndpoint.failure(response, clock);
        } else if (!EVENT_STREAM.matcher(contentType(response, body)).matches()) {
            return Failure.invalidData("not an event stream but " + typeOf(body.contentType()));
        }
        receiver.connected();
        receiver.environment(endpoint.environmentId(response));
        receiver.expecting(firstPayloadTimeout);
        if (endpoint.readsOfSocketsAreTimed(response)) {
            body.source().timeout().clearTimeout(); // OkHttp's own on top of that wakes a thread for every read
        }
        if (body.source().rangeEquals(0, BYTE_ORDER_MARK)) { // decided byte by byte: it waits for no more than it needs
            body.source().skip(BYTE_ORDER_MARK.size());
        }
        EventReader events = new EventReader(body.byteStream(), maxEventBytes, receiver::arriving);
        try {
            events.read(new Events(receiver, events::takeCount));
            return null; // it has told why
        } catch (EventReader.EndedException e) {
            return Failure.network("the service ended the stream");
        }
    }

    /**
     * Hands on what a stream brings.
     *
     * @param receiver hears it
     * @param bytes how many were read since this was asked last
     */
    private record Events(Receiver receiver, LongSupplier bytes) implements EventReader.Listener {
        @Override
        public void comment() {
            receiver.heartbeat();
        }

        @Override
        public void reconnectionTime(long millis) {
            receiver.reconnectionTime(millis);
        }

        @Override
        public boolean event(String name, InputStream data) throws IOException {
            try {
                return receiver.event(name, data, bytes, null);
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
    }

    /** As it was sent; the answer of an interceptor may have a type that is in no header. */
    private static String contentType(Response response, ResponseBody body) {
        String sent = response.header("Content-Type");
        return sent == null ? String.valueOf(body.contentType()) : sent;
    }

    private static String typeOf(@Nullable MediaType type) {
        String name = type == null ? "" : type.type() + "/" + type.subtype();
        return name.isEmpty() || name.length() > LONGEST_TYPE ? "of no known type" : name;
    }
}
