package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

/**
 * Names an item: keys are unique within their kind only.
 *
 * @param kind the kind
 * @param key the key within the kind
 */
public record ItemKey(ItemKind kind, String key) {
    /** Checks the components; throws {@link NullPointerException} for a null one. */
    public ItemKey {
        requireNonNull(kind, "kind");
        requireNonNull(key, "key");
    }
}
