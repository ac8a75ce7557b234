package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Text comes out as it went in, however it is cut, whatever ends its lines and whatever the platform's charset is. */
@Timeout(120)
final class TextIT { // SSE-12
    /** Characters of two, three and four bytes, and two that end a line elsewhere. */
    private static final String TEXT = "é漢😀\u0085\u2028end";

    private static final String JSON = "{\"key\":\"a\",\"version\":1,\"name\":\"" + TEXT + "\"}";

    /** The same to a reader of JSON: the writer of the copy escapes what JavaScript cannot have in a string. */
    private static final String COPY = JSON.replace("\u2028", "\\u2028");

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final FakeFlagServer server = FakeFlagServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r", "\r\n"})
    void lineEndsMayBeOfAnyKindAndCutAnywhere(String end) {
        String put =
                String.join(end, "event: put", "data: {\"data\":{\"flags\":{\"a\":", "data: " + JSON + "}}}", "", "");
        String mixed = "event: patch\rdata: {\"path\":\"/flags/b\",\r\ndata: \"data\":{\"version\":7}}\n\r\n";
        server.stream()
                .events(put + mixed + ":\n")
                .contentType("text/event-stream")
                .drip(1, Duration.ZERO);
        RecordingSink sink = new RecordingSink();
        var run = Mode.STREAMING.source(server).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 3);
        ChangeSet full = sink.takeApplied();
        assertEquals(1, full.items().size());
        assertEquals(COPY, full.items().get(0).json());
        assertEquals(7, sink.takeApplied().items().get(0).version());
        sink.takeConfirmed();
        run.cancel();
    }

    @ParameterizedTest
    @EnumSource
    void defaultCharsetOfThePlatformMakesNoDifference(Mode mode) throws Exception {
        if (mode == Mode.STREAMING) {
            server.stream()
                    .events("event: put\ndata: {\"data\":{\"flags\":{\"a\":" + JSON + "}}}\n\n")
                    .drip(1, Duration.ZERO);
        } else {
            server.poll()
                    .body("application/json", "{\"flags\":{\"a\":" + JSON + "}}")
                    .drip(1, Duration.ZERO)
                    .forever();
        }
        try (Probe probe = new Probe("64m", mode, server.uri().toString())) {
            assertEquals(COPY.hashCode(), probe.await("a", 1).jsonHash());
        }
    }

    @Test
    void charsetParameterMakesNoDifference() {
        server.poll().body("application/json; charset=ISO-8859-1", "{\"flags\":{\"a\":" + JSON + "}}");
        RecordingSink sink = new RecordingSink();
        var run = Mode.POLLING.source(server).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        assertEquals(
                List.of(COPY),
                sink.takeApplied().items().stream().map(item -> item.json()).toList());
        run.cancel();
    }
}
