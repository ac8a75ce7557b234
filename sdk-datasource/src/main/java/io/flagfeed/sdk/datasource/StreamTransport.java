package io.flagfeed.sdk.datasource;

import com.launchdarkly.eventsource.CommentEvent;
import com.launchdarkly.eventsource.ConnectStrategy;
import com.launchdarkly.eventsource.ErrorStrategy;
import com.launchdarkly.eventsource.EventSource;
import com.launchdarkly.eventsource.MessageEvent;
import com.launchdarkly.eventsource.RetryDelayStrategy;
import com.launchdarkly.eventsource.StreamClosedByServerException;
import com.launchdarkly.eventsource.StreamEvent;
import com.launchdarkly.eventsource.StreamException;
import com.launchdarkly.logging.LDLogger;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.retry.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * An attempt is one connection, from the request to the end of the stream.
 *
 * <p>The event source library is used as a parser only. It is handed the open response, so that the status and the
 * headers are ours to judge, and it is used for one connection, so that its own delays and reconnects cannot happen.
 */
final class StreamTransport implements Transport {
    private static final int READ_BUFFER_BYTES = 16 * 1024;
    private static final ByteString BYTE_ORDER_MARK = ByteString.decodeHex("efbbbf");
    private static final long NOTHING_YET = -1; // no retry: field can say that

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
        return endpoint.exchange(clock, "", null, receiver, response -> read(response, receiver));
    }

    @Override
    public void close() {
        endpoint.close();
    }

    private @Nullable Failure read(Response response, Receiver receiver) throws IOException {
        ResponseBody body = response.body();
        if (response.code() != 200 || body == null) {
            return HttpEndpoint.failure(response, clock);
        } else if (!isEventStream(body.contentType())) {
            return Failure.invalidData("not an event stream but " + typeOf(body.contentType()));
        }
        receiver.connected();
        receiver.environment(endpoint.environmentId(response));
        receiver.expecting(firstPayloadTimeout);
        if (body.source().rangeEquals(0, BYTE_ORDER_MARK)) { // decided byte by byte: it waits for no more than it needs
            body.source().skip(BYTE_ORDER_MARK.size());
        }
        EventBytes bytes = new EventBytes(body.byteStream(), maxEventBytes, receiver::arriving);
        try (EventSource events = parser(response, bytes)) {
            read(events, bytes, receiver);
            return null; // it has told why
        } catch (StreamClosedByServerException e) {
            return Failure.network("the service ended the stream");
        } catch (StreamException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage());
        }
    }

    /** Reads until something throws, or the receiver wants no more. */
    private static void read(EventSource events, EventBytes bytes, Receiver receiver) throws StreamException {
        long reconnectionTime = NOTHING_YET;
        boolean goOn = true;
        while (goOn) {
            StreamEvent event;
            try {
                event = events.readAnyEvent();
            } catch (NumberFormatException e) {
                receiver.reconnectionTime(Long.MAX_VALUE); // the one number it parses: digits that fit no long (R42)
                continue;
            } finally {
                // the field itself is not reported, only where it leads
                if (events.getBaseRetryDelayMillis() != reconnectionTime) {
                    reconnectionTime = events.getBaseRetryDelayMillis();
                    receiver.reconnectionTime(reconnectionTime);
                }
            }
            if (event instanceof MessageEvent message) {
                receiver.read(bytes.takeCount());
                goOn = receiver.event(message.getEventName(), message.getData(), null);
            } else if (event instanceof CommentEvent) {
                receiver.heartbeat();
            }
        }
    }

    private static EventSource parser(Response response, InputStream bytes) {
        return new EventSource.Builder(new OpenResponse(response, bytes))
                .errorStrategy(ErrorStrategy.alwaysThrow())
                .retryDelay(NOTHING_YET, TimeUnit.MILLISECONDS)
                .retryDelayStrategy(NO_DELAY)
                .retryDelayResetThreshold(0, TimeUnit.MILLISECONDS)
                .readBufferSize(READ_BUFFER_BYTES)
                .build();
    }

    private static boolean isEventStream(@Nullable MediaType type) {
        return type != null && type.type().equals("text") && type.subtype().equals("event-stream");
    }

    private static String typeOf(@Nullable MediaType type) {
        return type == null ? "of no known type" : type.type() + "/" + type.subtype();
    }

    private static final RetryDelayStrategy NO_DELAY = new RetryDelayStrategy() {
        @Override
        public RetryDelayStrategy.Result apply(long baseDelayMillis) {
            return new RetryDelayStrategy.Result(0, this);
        }
    };

    /** "Connects" to a response that is open already. */
    private static final class OpenResponse extends ConnectStrategy {
        private final Response response;
        private final InputStream bytes;

        OpenResponse(Response response, InputStream bytes) {
            this.response = response;
            this.bytes = bytes;
        }

        @Override
        public Client createClient(LDLogger logger) {
            return new Client() {
                @Override
                public Client.Result connect(@Nullable String lastEventId) {
                    return new Client.Result(bytes, getOrigin(), response);
                }

                @Override
                public boolean awaitClosed(long timeoutMillis) {
                    return true;
                }

                @Override
                public URI getOrigin() {
                    return response.request().url().uri();
                }

                @Override
                public void close() {
                    response.close();
                }
            };
        }
    }
}
