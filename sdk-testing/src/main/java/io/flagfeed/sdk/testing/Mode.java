package io.flagfeed.sdk.testing;

/** The two ways to get flags, each with a path of its own. */
enum Mode {
    STREAM("/all", "text/event-stream; charset=utf-8"),
    POLL("/sdk/latest-all", "application/json");

    final String path;
    final String contentType;

    Mode(String path, String contentType) {
        this.path = path;
        this.contentType = contentType;
    }

    /** Any path may stand before the mode's own: a base URI may have one. */
    boolean serves(String requestPath) {
        return requestPath.endsWith(path);
    }
}
