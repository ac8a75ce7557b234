package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.util.Arrays;

/**
 * Makes the versions of one flag; see {@link TestFlags#flag}. Variations are named by their index. Each {@link #build}
 * gives the next version, and what is built does not change any more. Not for several threads at a time.
 */
public final class FlagBuilder {
    private static final Gson GSON = new Gson();

    private final String key;
    private final JsonArray prerequisites = new JsonArray();
    private final JsonArray targets = new JsonArray();
    private final JsonArray rules = new JsonArray();
    private final JsonObject more = new JsonObject();
    private boolean on = true;
    private JsonArray variations = new JsonArray();
    private int fallthrough;
    private int offVariation = 1;
    private long version = 1;

    FlagBuilder(String key) {
        this.key = requireNonNull(key, "key");
        variations(true, false);
    }

    /** Switches it on: prerequisites, targets, rules and the fallthrough decide. This is the default. */
    public FlagBuilder on() {
        on = true;
        return this;
    }

    /** Switches it off: everybody gets the off variation. */
    public FlagBuilder off() {
        on = false;
        return this;
    }

    /**
     * What it can give: booleans, strings, numbers, lists and maps of these, or Gson's elements. Default: true, false.
     */
    public FlagBuilder variations(Object... values) {
        JsonArray all = new JsonArray();
        for (Object value : values) {
            all.add(value instanceof JsonElement element ? element.deepCopy() : GSON.toJsonTree(value));
        }
        variations = all;
        return this;
    }

    /** What those get whom nothing else matches. Default: 0. */
    public FlagBuilder fallthrough(int variation) {
        fallthrough = variation;
        return this;
    }

    /** What everybody gets while it is off, or a prerequisite is not met. Default: 1. */
    public FlagBuilder offVariation(int variation) {
        offVariation = variation;
        return this;
    }

    /** Gives these users a variation, whatever the rules say. */
    public FlagBuilder target(int variation, String... userKeys) {
        JsonObject target = new JsonObject();
        target.add("values", strings(userKeys));
        target.addProperty("variation", variation);
        targets.add(target);
        return this;
    }

    /** Gives a variation to those for whom all clauses hold. Of several rules the first that matches counts. */
    public FlagBuilder rule(int variation, Clause... clauses) {
        JsonObject rule = new JsonObject();
        rule.addProperty("id", key + "-rule-" + rules.size());
        rule.addProperty("variation", variation);
        rule.add("clauses", Clause.json(clauses));
        rule.addProperty("trackEvents", false);
        rules.add(rule);
        return this;
    }

    /** Gives the off variation to those for whom another flag is off or gives another variation than this. */
    public FlagBuilder prerequisite(String flagKey, int variation) {
        JsonObject prerequisite = new JsonObject();
        prerequisite.addProperty("key", requireNonNull(flagKey, "flagKey"));
        prerequisite.addProperty("variation", variation);
        prerequisites.add(prerequisite);
        return this;
    }

    /** Adds a property to the JSON, or replaces the one of this name. */
    public FlagBuilder property(String name, Object value) {
        more.add(name, value instanceof JsonElement element ? element.deepCopy() : GSON.toJsonTree(value));
        return this;
    }

    /** The version of what is built next; what is built after that counts up from there. Default: 1. */
    public FlagBuilder version(long version) {
        this.version = version;
        return this;
    }

    /**
     * The flag as described so far, one version above what was built before.
     *
     * @throws IllegalArgumentException if there is no variation of an index that is used
     */
    public Item build() {
        requireVariation("fallthrough", fallthrough);
        requireVariation("offVariation", offVariation);
        targets.forEach(target -> requireVariation("target", variationOf(target)));
        rules.forEach(rule -> requireVariation("rule", variationOf(rule)));
        return Item.of(ItemKind.FLAG, key, version, json(version++).toString());
    }

    private JsonObject json(long version) {
        JsonObject json = new JsonObject();
        json.addProperty("key", key);
        json.addProperty("version", version);
        json.addProperty("on", on);
        json.add("prerequisites", prerequisites);
        json.add("targets", targets);
        json.add("contextTargets", new JsonArray());
        json.add("rules", rules);
        JsonObject otherwise = new JsonObject();
        otherwise.addProperty("variation", fallthrough);
        json.add("fallthrough", otherwise);
        json.addProperty("offVariation", offVariation);
        json.add("variations", variations);
        json.addProperty("salt", "salt-" + key);
        json.addProperty("clientSide", false);
        json.addProperty("trackEvents", false);
        json.addProperty("trackEventsFallthrough", false);
        json.addProperty("deleted", false);
        more.entrySet().forEach(property -> json.add(property.getKey(), property.getValue()));
        return json;
    }

    private void requireVariation(String user, int variation) {
        if (variation < 0 || variation >= variations.size()) {
            throw new IllegalArgumentException(
                    user + " of flag " + key + " not in 0.." + (variations.size() - 1) + ": " + variation);
        }
    }

    private static int variationOf(JsonElement decision) {
        return decision.getAsJsonObject().get("variation").getAsInt();
    }

    static JsonArray strings(String... values) {
        JsonArray all = new JsonArray();
        Arrays.stream(values).forEach(all::add);
        return all;
    }
}
