package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.testing.Answer.Framing;
import io.flagfeed.sdk.testing.FakeFlagServer.Header;
import io.flagfeed.sdk.testing.FakeFlagServer.Request;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Gives one answer to one request. */
final class Exchange {
    private static final byte[] LINE_END = "\r\n".getBytes(US_ASCII);
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(US_ASCII);

    private final Answer answer;
    private final Request request;
    private final Connection connection;
    private final FakeFlagServer server;
    private final ServedFlags flags;
    private final Scheduler scheduler;
    private final InstantSource clock;
    private final boolean lastOne; // the client wants no other on this connection
    private final long said; // to the server, of its port

    private Framing framing;

    Exchange(
            Answer answer,
            Request request,
            Connection connection,
            FakeFlagServer server,
            ServedFlags flags,
            Scheduler scheduler,
            InstantSource clock,
            boolean lastOne,
            boolean http10) {
        this.answer = answer;
        this.request = request;
        this.connection = connection;
        this.server = server;
        this.flags = flags;
        this.scheduler = scheduler;
        this.clock = clock;
        this.lastOne = lastOne;
        said = server.said();
        // an old client knows no chunks
        framing = answer.framing() == Framing.CHUNKED && http10 ? Framing.UNTIL_CLOSE : answer.framing();
    }

    void run() throws IOException, InterruptedException {
        if (!waitedFor(answer.delay()) || !released()) {
            return;
        }
        if (answer.opensStream()) {
            OpenStream stream = new OpenStream(connection, flags);
            Body own = answer.servesState() ? Body.EMPTY.plus(flags.openServing(stream).put) : openingOtherwise(stream);
            connection.carry(stream);
            try {
                send(answer.content(own), answer.etag(), stream);
            } finally {
                connection.carryNothing();
                flags.close(stream);
            }
        } else if (answer.servesState()) {
            sendDocument(flags.current());
        } else {
            send(answer.content(Body.EMPTY), answer.etag(), null);
        }
    }

    private Body openingOtherwise(OpenStream stream) {
        flags.open(stream);
        return Body.EMPTY;
    }

    private void sendDocument(Document document) throws IOException, InterruptedException {
        String etag = answer.headers().stream()
                .filter(header -> header.name().equalsIgnoreCase("ETag"))
                .map(Header::value)
                .findFirst()
                .orElse(answer.automatic("ETag") ? document.etag : "");
        Optional<String> asked = request.header("If-None-Match");
        if (!answer.isCut()
                && !etag.isEmpty()
                && asked.isPresent()
                && asked.get().equals(etag)) {
            framing = Framing.LENGTH;
            writeHead(304, -1, document.etag);
            endWith(answer.ending(Body.EMPTY), null);
        } else {
            send(answer.content(Body.EMPTY.plus(document.json)), document.etag, null);
        }
    }

    private void send(Body body, String etag, @Nullable OpenStream stream) throws IOException, InterruptedException {
        if (answer.status > 0) {
            boolean none = answer.status < 200 || answer.status == 204 || answer.status == 304;
            writeHead(answer.status, none && body.length() == 0 ? -1 : body.length(), etag);
        }
        if (write(body)) {
            endWith(answer.ending(body), stream);
        }
    }

    /** A negative length means that there is no content to speak of. */
    private void writeHead(int status, long length, String etag) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " " + reason(status) + "\r\n");
        automatic(head, "Content-Type", length < 0 || answer.contentType().isEmpty() ? "" : answer.contentType());
        automatic(head, "ETag", etag);
        automatic(head, "Cache-Control", answer.opensStream() ? "no-cache" : "");
        automatic(head, "Content-Encoding", answer.compressed() ? "gzip" : "");
        automatic(head, "Content-Length", length >= 0 && framing == Framing.LENGTH ? Long.toString(length) : "");
        automatic(head, "Transfer-Encoding", framing == Framing.CHUNKED ? "chunked" : "");
        automatic(head, "Connection", lastOne || framing == Framing.UNTIL_CLOSE ? "close" : "");
        for (Header header : answer.headers()) {
            line(head, header.name(), HttpDateTokens.resolve(header.value(), clock.instant()));
        }
        connection.write(head.append("\r\n").toString().getBytes(ISO_8859_1));
        connection.flush();
    }

    private void automatic(StringBuilder head, String name, String value) {
        if (!value.isEmpty() && answer.automatic(name)) {
            line(head, name, value);
        }
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    /** False if the connection was closed meanwhile. */
    private boolean write(Body body) throws IOException, InterruptedException {
        long limit = answer.limit(body);
        long sent = 0;
        for (Body.Part part : body.parts()) {
            int at = 0;
            while (at < part.length) {
                int length = (int) Math.min(Math.min(part.length - at, answer.nextWrite(sent)), limit - sent);
                if (length == 0) {
                    return true; // cut
                }
                writePiece(part.bytes, at, length);
                connection.flush();
                at += length;
                sent += length;
                if (!waitedFor(answer.dripEvery()) || (answer.breaksAt(sent) && !connection.moment())) {
                    return false;
                }
            }
            if (!waitedFor(part.pause)) {
                return false;
            }
        }
        return true;
    }

    private void writePiece(byte[] bytes, int offset, int length) throws IOException {
        if (framing == Framing.CHUNKED) {
            connection.write((Integer.toHexString(length) + "\r\n").getBytes(US_ASCII));
        }
        connection.write(bytes, offset, length);
        if (framing == Framing.CHUNKED) {
            connection.write(LINE_END);
        }
    }

    private void endWith(Ending ending, @Nullable OpenStream stream) throws IOException, InterruptedException {
        Duration outage = answer.outage();
        if (outage == null) {
            finish(ending, stream);
            return;
        }
        try {
            if (ending == Ending.RESET) {
                connection.resetWhenClosed();
            } else if (ending != Ending.DROP) {
                finish(ending, stream);
            }
        } finally { // also if the client did not wait for the end
            // closes the port before this connection: who comes back at once is refused
            server.outage(outage, said);
        }
    }

    private void finish(Ending ending, @Nullable OpenStream stream) throws IOException, InterruptedException {
        switch (ending) {
            case STAY -> stay(stream);
            case STALL -> stall(stream);
            case END -> end();
            case DROP -> connection.close();
            case RESET -> connection.reset();
        }
    }

    private void stay(@Nullable OpenStream stream) throws IOException, InterruptedException {
        if (stream != null) {
            for (byte[] next = stream.next(); next != null; next = stream.next()) {
                writePiece(next, 0, next.length);
                if (stream.idle()) {
                    connection.flush();
                }
            }
        }
        end();
    }

    private void stall(@Nullable OpenStream stream) throws IOException, InterruptedException {
        if (stream == null) {
            connection.awaitClosed();
            return;
        }
        while (stream.next() != null) {
            // what a silent stream does not tell
        }
        end();
    }

    private void end() throws IOException {
        if (framing == Framing.CHUNKED) {
            connection.write(LAST_CHUNK);
        }
        connection.flush();
        if (framing == Framing.UNTIL_CLOSE) {
            connection.closeInOrder();
        }
    }

    private boolean released() {
        Hold hold = answer.holding();
        return hold == null || connection.await(hold.reach());
    }

    /** False if the connection was closed meanwhile. */
    private boolean waitedFor(Duration duration) {
        if (duration.isZero()) {
            return true;
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        Cancellable timer = scheduler.schedule(duration, () -> over.complete(null));
        boolean open = connection.await(over);
        timer.cancel(); // leaves nothing pending for a client that is gone
        return open;
    }

    private static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 204 -> "No Content";
            case 301 -> "Moved Permanently";
            case 302 -> "Found";
            case 304 -> "Not Modified";
            case 307 -> "Temporary Redirect";
            case 308 -> "Permanent Redirect";
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 429 -> "Too Many Requests";
            case 500 -> "Internal Server Error";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            default -> "Status " + status;
        };
    }
}
