package example;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.Snapshot;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.stream.StreamSupport;

/** A toy SDK client: what somebody who embeds the library writes around it. It evaluates; the library does the rest. */
final class ToyClient implements AutoCloseable {
    private final DataSystem system;

    ToyClient(DataSource source, Scheduler scheduler, Executor listeners) {
        system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(listeners)
                .staleAfter(Duration.ofMinutes(10))
                .build();
        system.start();
    }

    DataSystem data() {
        return system;
    }

    boolean isOn(String flagKey, String userKey, boolean fallback) {
        return Evaluator.variation(system.snapshot(), flagKey, userKey, new JsonPrimitive(fallback))
                .getAsBoolean();
    }

    @Override
    public void close() {
        system.close();
    }

    /** All flags of one evaluation come from one snapshot, so that no change can come between them. */
    private record Evaluator(Snapshot snapshot, String user) {
        static JsonElement variation(Snapshot snapshot, String flagKey, String user, JsonElement fallback) {
            return snapshot.get(ItemKind.FLAG, flagKey)
                    .map(item -> JsonParser.parseString(item.json()).getAsJsonObject())
                    .map(flag -> flag.getAsJsonArray("variations").get(new Evaluator(snapshot, user).index(flag)))
                    .orElse(fallback);
        }

        int index(JsonObject flag) {
            if (!flag.get("on").getAsBoolean() || !all(flag, "prerequisites", this::isMet)) {
                return flag.get("offVariation").getAsInt();
            }
            for (JsonElement target : flag.getAsJsonArray("targets")) {
                if (contains(target.getAsJsonObject(), "values", user)) {
                    return target.getAsJsonObject().get("variation").getAsInt();
                }
            }
            for (JsonElement rule : flag.getAsJsonArray("rules")) {
                if (all(rule.getAsJsonObject(), "clauses", this::holds)) {
                    return rule.getAsJsonObject().get("variation").getAsInt();
                }
            }
            return flag.getAsJsonObject("fallthrough").get("variation").getAsInt();
        }

        private boolean isMet(JsonObject prerequisite) {
            return snapshot.get(ItemKind.FLAG, prerequisite.get("key").getAsString())
                    .map(item -> JsonParser.parseString(item.json()).getAsJsonObject())
                    .filter(flag -> flag.get("on").getAsBoolean())
                    .filter(flag -> index(flag) == prerequisite.get("variation").getAsInt())
                    .isPresent();
        }

        /** Segments only: a toy knows no other clauses. */
        private boolean holds(JsonObject clause) {
            return StreamSupport.stream(clause.getAsJsonArray("values").spliterator(), false)
                    .flatMap(key -> snapshot.get(ItemKind.SEGMENT, key.getAsString()).stream())
                    .map(item -> JsonParser.parseString(item.json()).getAsJsonObject())
                    .anyMatch(segment -> contains(segment, "included", user));
        }

        private static boolean contains(JsonObject object, String list, String text) {
            return object.getAsJsonArray(list).contains(new JsonPrimitive(text));
        }

        private static boolean all(JsonObject object, String list, java.util.function.Predicate<JsonObject> condition) {
            return StreamSupport.stream(object.getAsJsonArray(list).spliterator(), false)
                    .allMatch(element -> condition.test(element.getAsJsonObject()));
        }
    }
}
