package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every status of the classification vectors that a response can carry, with Retry-After, in both modes (R3, R17). */
final class StatusIT {
    private static final int GOOD = 200;

    static Stream<Arguments> statuses() throws IOException {
        List<Arguments> rows = new ArrayList<>();
        Path vectors = Path.of("..", "sdk-core", "src", "test", "resources", "vectors", "classification.json");
        for (JsonElement element :
                JsonParser.parseString(Files.readString(vectors)).getAsJsonArray()) {
            JsonObject row = element.getAsJsonObject();
            int status = row.get("status").getAsInt();
            // 1xx announce another response, and other numbers are no response
            if (status > GOOD && status <= 599) {
                for (Mode mode : Mode.values()) {
                    rows.add(argumentSet(
                            mode + " " + status, mode, status, row.get("class").getAsString()));
                }
            }
        }
        return rows.stream();
    }

    @ParameterizedTest
    @MethodSource("statuses")
    void isOneRequestAndTheWaitOfItsClass(Mode mode, int status, String failureClass) {
        VirtualScheduler scheduler = new VirtualScheduler();
        RecordingSink sink = new RecordingSink();
        try (FakeFlagServer server = FakeFlagServer.start()) {
            mode.script(server).atOnce(script -> script.respond(status).retryAfter(45));
            Cancellable run = mode.source(server).start(sink, scheduler);
            Sockets.runUntilWaiting(scheduler);
            RecordingSink.News.Interrupted news = sink.takeInterrupted();
            if (status == 304) { // to a request without an entity tag: an answer that makes no sense
                assertEquals(
                        mode == Mode.POLLING ? Failure.Kind.INVALID_DATA : Failure.Kind.HTTP_STATUS,
                        news.error().kind());
            } else {
                assertEquals(Failure.Kind.HTTP_STATUS, news.error().kind());
                assertEquals(status, news.error().httpStatus());
            }
            boolean ignored = status < 300 || status == 304;
            assertEquals(
                    ignored ? OptionalLong.empty() : OptionalLong.of(45),
                    news.error().retryAfterSeconds());
            Duration normal = ignored ? mode.base : Duration.ofSeconds(45);
            assertEquals(failureClass.equals("NORMAL") ? normal : Duration.ofMinutes(5), news.nextAttemptIn());
            assertEquals(List.of(news.nextAttemptIn()), scheduler.pending());
            assertEquals(1, server.requests().size());
            run.cancel();
        }
    }
}
