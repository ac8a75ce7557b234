package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;

/**
 * Makes the versions of one segment; see {@link TestFlags#segment}. Each {@link #build} gives the next version, and
 * what is built does not change any more. Not for several threads at a time.
 */
public final class SegmentBuilder {
    private final String key;
    private final JsonArray rules = new JsonArray();
    private JsonArray included = new JsonArray();
    private JsonArray excluded = new JsonArray();
    private long version = 1;

    SegmentBuilder(String key) {
        this.key = requireNonNull(key, "key");
    }

    /** Those who are in it, whatever the rules say: these, and no longer others. Default: nobody. */
    public SegmentBuilder included(String... userKeys) {
        included = FlagBuilder.strings(userKeys);
        return this;
    }

    /** Those who are not in it, whatever the rules say: these, and no longer others. Default: nobody. */
    public SegmentBuilder excluded(String... userKeys) {
        excluded = FlagBuilder.strings(userKeys);
        return this;
    }

    /** Adds those for whom all clauses hold. */
    public SegmentBuilder rule(Clause... clauses) {
        JsonObject rule = new JsonObject();
        rule.addProperty("id", key + "-rule-" + rules.size());
        rule.add("clauses", Clause.json(clauses));
        rules.add(rule);
        return this;
    }

    /** The version of what is built next; what is built after that counts up from there. Default: 1. */
    public SegmentBuilder version(long version) {
        this.version = version;
        return this;
    }

    /** The segment as described so far, one version above what was built before. */
    public Item build() {
        JsonObject json = new JsonObject();
        json.addProperty("key", key);
        json.addProperty("version", version);
        json.add("included", included);
        json.add("excluded", excluded);
        json.add("includedContexts", new JsonArray());
        json.add("excludedContexts", new JsonArray());
        json.add("rules", rules);
        json.addProperty("salt", "salt-" + key);
        json.addProperty("deleted", false);
        return Item.of(ItemKind.SEGMENT, key, version++, json.toString());
    }
}
