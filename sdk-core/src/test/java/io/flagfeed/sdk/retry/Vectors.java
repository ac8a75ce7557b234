package io.flagfeed.sdk.retry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;

/** The rows of the files in {@code vectors/}: a row more there is a test more here. */
final class Vectors {
    private Vectors() {}

    static Stream<RetryAfterRow> retryAfter() {
        return rows("retry-after.json").map(RetryAfterRow::new);
    }

    static Stream<ClassificationRow> classification() {
        return rows("classification.json").map(ClassificationRow::new);
    }

    static Stream<WaitsRow> waits() {
        return rows("waits.json").map(WaitsRow::new);
    }

    /** How many rows the file has, found without the code that reads them. */
    static int rowsIn(String file) {
        int depth = 0;
        int rows = 0;
        boolean text = false;
        String json = text(file);
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (text && c == '\\') {
                i++;
            } else if (c == '"') {
                text = !text;
            } else if (!text && c == '{') {
                rows += depth++ == 0 ? 1 : 0;
            } else if (!text && c == '}') {
                depth--;
            }
        }
        return rows;
    }

    static String text(String file) {
        try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + file)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<JsonObject> rows(String file) {
        return JsonParser.parseString(text(file)).getAsJsonArray().asList().stream()
                .map(JsonElement::getAsJsonObject);
    }

    /** Field lines or one value, and what they mean at a given time. */
    record RetryAfterRow(JsonObject json) {
        OptionalLong expected() {
            JsonElement seconds = json.get("seconds");
            return seconds.isJsonNull() ? OptionalLong.empty() : OptionalLong.of(seconds.getAsLong());
        }

        OptionalLong parsed() {
            Instant now = Instant.parse(json.get("now").getAsString());
            return switch (json.get("layer").getAsString()) {
                case "field" -> RetryAfter.parse(lines(), now);
                case "value" -> RetryAfter.parseValue(lines().get(0), now);
                default -> throw new IllegalArgumentException("unknown layer: " + json);
            };
        }

        List<String> lines() {
            return json.getAsJsonArray("lines").asList().stream()
                    .map(JsonElement::getAsString)
                    .toList();
        }

        @Override
        public String toString() {
            String lines = json.get("lines").toString();
            String shown =
                    lines.length() <= 60 ? lines : lines.substring(0, 40) + "… (" + lines.length() + " characters)";
            return json.get("layer").getAsString() + " " + shown + " at "
                    + json.get("now").getAsString() + ": " + json.get("why").getAsString();
        }
    }

    /** A status and its class. */
    record ClassificationRow(JsonObject json) {
        int status() {
            return json.get("status").getAsInt();
        }

        FailureClass expected() {
            return FailureClass.valueOf(json.get("class").getAsString());
        }

        @Override
        public String toString() {
            return status() + " is " + expected();
        }
    }

    /** Events in a row and the waits they lead to, without jitter and with as much of it as there can be. */
    record WaitsRow(JsonObject json) {
        String name() {
            return json.get("name").getAsString();
        }

        List<Duration> expectedWithoutJitter() {
            return durations("waitsNoJitter");
        }

        List<Duration> expectedInfimum() {
            return durations("waitsFullJitterInfimum");
        }

        private List<Duration> durations(String member) {
            JsonArray waits = json.getAsJsonArray(member);
            return waits.asList().stream().map(WaitsRow::seconds).toList();
        }

        /** Feeds a fresh state. An event without a time happens when the wait before it is over. */
        List<Duration> run(DoubleSupplier random) {
            boolean streaming = json.get("mode").getAsString().equals("streaming");
            RetryPolicy policy = RetryPolicy.builder()
                    .retryAfterCap(seconds(json.get("retryAfterCapSeconds")))
                    .build();
            Duration base = seconds(json.get("baseSeconds"));
            RetryState state = streaming
                    ? RetryState.forStreaming(policy, base, random)
                    : RetryState.forPolling(policy, base, random);

            List<Duration> waits = new ArrayList<>();
            Duration now = Duration.ZERO;
            for (JsonElement element : json.getAsJsonArray("events")) {
                JsonObject event = element.getAsJsonObject();
                now = event.has("at") ? seconds(event.get("at")) : now;
                Duration wait;
                if (event.get("do").getAsString().equals("success")) {
                    wait = state.recordSuccess(now.toNanos());
                    if (!streaming) {
                        waits.add(wait);
                    }
                } else {
                    wait = state.recordFailure(failure(event), now.toNanos());
                    waits.add(wait);
                }
                now = now.plus(wait);
            }
            return waits;
        }

        private static Failure failure(JsonObject event) {
            FailureClass failureClass = FailureClass.valueOf(event.get("class").getAsString());
            OptionalLong retryAfter = event.has("retryAfter")
                    ? OptionalLong.of(event.get("retryAfter").getAsLong())
                    : OptionalLong.empty();
            return Failure.httpStatus(failureClass == FailureClass.UNEXPECTED ? 401 : 503, retryAfter);
        }

        private static Duration seconds(JsonElement number) {
            BigDecimal nanos = number.getAsBigDecimal().movePointRight(9);
            return Duration.ofNanos(nanos.longValueExact());
        }

        @Override
        public String toString() {
            return name();
        }
    }
}
