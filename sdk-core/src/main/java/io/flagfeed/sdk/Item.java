package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * One version of a flag or segment, or the mark that it was deleted (a tombstone). Immutable.
 *
 * <p>The content stays JSON: whoever evaluates flags parses it into a model of their own, and fields that this library
 * does not know survive.
 */
public final class Item {
    private final ItemKind kind;
    private final String key;
    private final long version;
    private final boolean deleted;
    private final String json;

    private Item(ItemKind kind, String key, long version, boolean deleted, String json) {
        this.kind = requireNonNull(kind, "kind");
        this.key = requireNonNull(key, "key");
        this.version = version;
        this.deleted = deleted;
        this.json = requireNonNull(json, "json");
    }

    /** A live item with its content as a JSON object. The text is kept as it is and not checked. */
    public static Item of(ItemKind kind, String key, long version, String json) {
        return new Item(kind, key, version, false, json);
    }

    /** The mark that the item was deleted at this version. */
    public static Item tombstone(ItemKind kind, String key, long version) {
        JsonObject json = new JsonObject();
        json.addProperty("key", requireNonNull(key, "key"));
        json.addProperty("version", version);
        json.addProperty("deleted", true);
        return new Item(kind, key, version, true, json.toString());
    }

    /** Flag or segment. */
    public ItemKind kind() {
        return kind;
    }

    /** The key, unique within its kind. */
    public String key() {
        return key;
    }

    /** Counts up with each change of this item; unrelated to other items' versions. */
    public long version() {
        return version;
    }

    /** Whether this is a tombstone. */
    public boolean deleted() {
        return deleted;
    }

    /** The content: a JSON object; for a tombstone one with {@code key}, {@code version} and {@code deleted} only. */
    public String json() {
        return json;
    }

    /** Equal in every respect, the JSON compared as text. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Item that
                && kind == that.kind
                && version == that.version
                && deleted == that.deleted
                && key.equals(that.key)
                && json.equals(that.json);
    }

    @Override
    public int hashCode() {
        return key.hashCode() * 31 + Long.hashCode(version);
    }

    /** Kind, key and version, without the content. */
    @Override
    public String toString() {
        return kind + " " + key + " v" + version + (deleted ? " (deleted)" : "");
    }
}
