package io.flagfeed.sdk;

/** The two kinds of data a service sends. */
public enum ItemKind {
    /** A feature flag. */
    FLAG("flags"),
    /** A segment: a group that flags refer to. */
    SEGMENT("segments");

    private final String wireName;

    ItemKind(String wireName) {
        this.wireName = wireName;
    }

    /** What the kind is called in the protocol and in JSON documents: {@code flags} or {@code segments}. */
    public String wireName() {
        return wireName;
    }
}
