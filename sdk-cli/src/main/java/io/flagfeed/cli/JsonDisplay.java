package io.flagfeed.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Snapshot;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** For programs: one JSON object a line. */
final class JsonDisplay implements Display {
    private final PrintStream out;

    JsonDisplay(PrintStream out) {
        this.out = out;
    }

    @Override
    public void status(DataSourceStatus status, Instant now) {
        JsonObject line = line("status", now);
        line.addProperty("state", status.state().name());
        line.addProperty("since", status.since().toString());
        line.add("error", error(status.lastError()));
        Instant next = status.nextAttempt();
        // rounded up, so that nobody comes too early
        line.add(
                "nextAttemptMillis",
                next == null
                        ? JsonNull.INSTANCE
                        : new JsonPrimitive(Math.max(
                                0,
                                Duration.between(now, next).plusNanos(999_999).toMillis())));
        print(line);
    }

    @Override
    public void change(ChangeEvent.Change change, Instant now) {
        JsonObject line = line("change", now);
        line.addProperty("kind", change.kind().name());
        line.addProperty("key", change.key());
        line.addProperty("change", word(change));
        line.add("versionBefore", version(change.before()));
        line.add("versionAfter", version(change.after()));
        print(line);
    }

    @Override
    public void story(String line, Instant now) {
        // programs want what was seen, not why
    }

    @Override
    public void snapshot(Snapshot snapshot) {
        out.println(snapshotLine(snapshot));
    }

    @Override
    public void summary(Summary summary, Instant now) {
        JsonObject line = line("summary", now);
        line.addProperty("ready", summary.ready());
        line.addProperty("watchedMillis", summary.watched().toMillis());
        line.addProperty("connectedMillis", summary.connected().toMillis());
        line.addProperty("changes", summary.changes());
        line.addProperty("failures", summary.failures());
        print(line);
    }

    /** The items' JSON as held, in the order of their keys. */
    static String snapshotLine(Snapshot snapshot) {
        StringBuilder line = new StringBuilder("{\"type\":\"snapshot\"");
        for (ItemKind kind : ItemKind.values()) {
            line.append(",\"").append(kind.wireName()).append("\":{");
            String separator = "";
            for (Item item : new TreeMap<>(snapshot.all(kind)).values()) {
                line.append(separator)
                        .append(new JsonPrimitive(item.key()))
                        .append(':')
                        .append(item.json());
                separator = ",";
            }
            line.append('}');
        }
        return line.append('}').toString();
    }

    /** The word for it in the output: added, changed or deleted. */
    static String word(ChangeEvent.Change change) {
        return change.before() == null ? "added" : change.after() == null ? "deleted" : "changed";
    }

    private static JsonElement error(@Nullable ErrorInfo error) {
        if (error == null) {
            return JsonNull.INSTANCE;
        }
        JsonObject json = new JsonObject();
        json.addProperty("kind", error.kind().name());
        json.addProperty("httpStatus", error.httpStatus());
        json.add(
                "retryAfterSeconds",
                error.retryAfterSeconds().isPresent()
                        ? new JsonPrimitive(error.retryAfterSeconds().getAsLong())
                        : JsonNull.INSTANCE);
        json.addProperty("message", error.message());
        return json;
    }

    private static JsonElement version(@Nullable Item item) {
        return item == null ? JsonNull.INSTANCE : new JsonPrimitive(item.version());
    }

    private static JsonObject line(String type, Instant now) {
        JsonObject line = new JsonObject();
        line.addProperty("type", type);
        line.addProperty("time", now.toString());
        return line;
    }

    private void print(JsonObject line) {
        out.println(line); // with its nulls: a JsonObject prints them
    }
}
