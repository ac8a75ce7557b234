package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The command without an address. */
@Execution(ExecutionMode.CONCURRENT)
final class DemoIT {
    private static final String ESC = "\u001b";

    @Test
    void storyForPrograms() throws Exception {
        try (FlagfeedProcess demo = FlagfeedProcess.start("watch", "--json")) {
            assertEquals(0, demo.awaitExit(), demo.toString());
            assertEquals(List.of(), demo.err());
            List<JsonObject> lines = demo.jsonOut();
            List<JsonObject> statuses = ofType("status", lines);
            assertEquals("INITIALIZING", string(lines.get(0), "state"));

            int valid = indexOfState("VALID", lines);
            List<JsonObject> added = lines.subList(1, valid);
            assertTrue(added.stream().allMatch(line -> string(line, "change").equals("added")), demo.toString());
            assertEquals(
                    Map.of("FLAG", 20L, "SEGMENT", 2L),
                    added.stream().collect(Collectors.groupingBy(line -> string(line, "kind"), Collectors.counting())));

            int interrupted = indexOfState("INTERRUPTED", lines);
            List<JsonObject> changed = lines.subList(valid + 1, interrupted);
            assertFalse(changed.isEmpty(), demo.toString()); // one a second, from when the watch came
            assertTrue(changed.stream().allMatch(line -> string(line, "change").equals("changed")), demo.toString());

            assertEquals(
                    List.of("INITIALIZING", "VALID", "INTERRUPTED", "VALID", "OFF"),
                    withoutRepeats(
                            statuses.stream().map(line -> string(line, "state")).toList()),
                    demo.toString());
            List<JsonObject> refused = statuses.stream()
                    .filter(line -> !line.get("nextAttemptMillis").isJsonNull())
                    .filter(line ->
                            string(line.getAsJsonObject("error"), "kind").equals("HTTP_STATUS"))
                    .toList();
            assertEquals(2, refused.size(), demo.toString());
            for (JsonObject line : refused) {
                assertEquals(
                        503, line.getAsJsonObject("error").get("httpStatus").getAsInt());
                assertEquals(
                        3,
                        line.getAsJsonObject("error").get("retryAfterSeconds").getAsLong());
                long promised = line.get("nextAttemptMillis").getAsLong();
                assertTrue(promised > 2_000 && promised <= 5_000, demo.toString());
                JsonObject next = statuses.get(statuses.indexOf(line) + 1);
                long waited = Duration.between(time(line), time(next)).toMillis();
                assertTrue(waited >= promised - 5, "waited " + waited + " of " + promised + ": " + demo);
            }

            assertTrue(lines.stream()
                    .anyMatch(line -> line.has("change")
                            && string(line, "change").equals("deleted")
                            && string(line, "key").equals(DemoFlags.RETIRED)));
            JsonObject summary = lines.get(lines.size() - 1);
            assertEquals("summary", string(summary, "type"));
            assertEquals("OFF", string(lines.get(lines.size() - 2), "state"));
            assertTrue(summary.get("ready").getAsBoolean());
            assertEquals(ofType("change", lines).size(), summary.get("changes").getAsInt());
            assertEquals(3, summary.get("failures").getAsInt(), "cut, and 503 twice");
            assertTrue(summary.get("watchedMillis").getAsLong() < 60_000, "the demo lasts under a minute");
            assertTrue(summary.get("connectedMillis").getAsLong()
                    < summary.get("watchedMillis").getAsLong());
        }
    }

    @Test
    void storyForPeopleIsPlainWhereThereIsNoTerminal() throws Exception {
        try (FlagfeedProcess demo = FlagfeedProcess.start("watch")) {
            assertEquals(0, demo.awaitExit(), demo.toString());
            String text = String.join("\n", demo.out());
            assertFalse(text.contains(ESC), text);
            for (String part : List.of(
                    "● INITIALIZING since ",
                    "+ flag    new-checkout                 added   v1  on",
                    "+ segment staff                        added   v1",
                    "● VALID since ",
                    "~ flag    ",
                    "HTTP status 503, Retry-After 3 s; next attempt in ",
                    "- flag    legacy-cart                  deleted v",
                    "● OFF since ")) {
                assertTrue(text.contains(part), part + " is not in " + text);
            }
            String last = demo.out().get(demo.out().size() - 1);
            assertTrue(last.matches("Connected [0-9.]+ s of [0-9.]+ s, [0-9]+ changes, 3 failures"), last);
        }
    }

    @Test
    void noColorIsObeyed() throws Exception {
        try (FlagfeedProcess coloured = FlagfeedProcess.start(Map.of("CLICOLOR_FORCE", "1"), "watch", "--for", "1s");
                FlagfeedProcess plain =
                        FlagfeedProcess.start(Map.of("CLICOLOR_FORCE", "1", "NO_COLOR", "1"), "watch", "--for", "1s")) {
            coloured.awaitExit();
            plain.awaitExit();
            assertTrue(String.join("", coloured.out()).contains(ESC), coloured.toString());
            assertFalse(String.join("", plain.out()).contains(ESC), plain.toString());
        }
    }

    private static List<JsonObject> ofType(String type, List<JsonObject> lines) {
        return lines.stream().filter(line -> string(line, "type").equals(type)).toList();
    }

    private static int indexOfState(String state, List<JsonObject> lines) {
        return lines.stream()
                .map(line -> line.has("state") ? string(line, "state") : "")
                .toList()
                .indexOf(state);
    }

    private static List<String> withoutRepeats(List<String> states) {
        return IntStream.range(0, states.size())
                .filter(i -> i == 0 || !states.get(i).equals(states.get(i - 1)))
                .mapToObj(states::get)
                .toList();
    }

    private static Instant time(JsonObject line) {
        return Instant.parse(string(line, "time"));
    }

    private static String string(JsonObject line, String name) {
        return line.get(name).getAsString();
    }
}
