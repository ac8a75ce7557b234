package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.testing.Script;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BiConsumer;

/** What goes wrong, or is odd, with the answer to a poll. */
enum ChaosPollFault implements ChaosFault {
    ETAG_WEAK(
            true,
            (script, scene) -> script.serve().etag("W/\"" + scene.id() + '"').times(3)),
    ETAG_ODD(
            true,
            (script, scene) -> script.serve()
                    .etag(scene.any(
                                    "no quotes",
                                    "\"a\",\"b\"",
                                    "*",
                                    "\"\u00e4\"",
                                    "\"",
                                    "\"a\tb\"",
                                    "\"" + "x".repeat(4000))
                            + scene.id())
                    .times(3)),
    ETAG_EMPTY((script, scene) -> script.serve().etag("").times(2)),
    ETAG_MISSING((script, scene) -> script.serve().noHeader("ETag")),
    SAME_BODY_WITHOUT_ETAG(
            true, (script, scene) -> script.serve().noHeader("ETag").times(4)),
    UNASKED_304((script, scene) ->
            script.serve().noHeader("ETag").times(2).then().respond(304).times(2)),
    EMPTY_BODY((script, scene) -> script.body("application/json", scene.any("", " ", "\n"))),
    NULL((script, scene) -> script.body("application/json", "null")),
    ARRAY((script, scene) -> script.body("application/json", "[]")),
    OBJECT((script, scene) -> script.body("application/json", "{}")),
    BAD_BODY((script, scene) -> script.body("application/json", badBody(scene)).etag(scene.id())),
    TRUNCATED((script, scene) -> script.serve().truncate(scene.random().nextInt(3000))),
    LENGTH_TOO_LONG((script, scene) -> script.serve().contentLength(scene.any(50_000L, 1L << 40))),
    LENGTH_TOO_SHORT((script, scene) ->
            script.serve().contentLength(scene.random().nextInt(1000)).drop()),
    LENGTH_TOO_SHORT_AND_KEPT_ALIVE(
            (script, scene) -> script.serve().contentLength(scene.random().nextInt(1000))),
    GZIP((script, scene) -> script.serve().gzip()),
    CHUNKED((script, scene) -> script.serve().chunked().splitAt(1, 10, 500)),
    UNTIL_CLOSE((script, scene) -> script.serve().untilClose()),
    CLOSED_BETWEEN_POLLS((script, scene) -> script.serve().drop()),
    RESET_BETWEEN_POLLS((script, scene) -> script.serve().reset()),
    BYTE_BY_BYTE((script, scene) -> script.serve().drip(1, Duration.ZERO)),
    ENDLESS_DRIP((script, scene) -> script.serve().drip(1, Duration.ofMillis(20))),
    BYTE_ORDER_MARK((script, scene) -> script.serve().bom()),
    WRONG_CONTENT_TYPE(
            (script, scene) -> script.serve().contentType(scene.any("text/html", "text/event-stream", "no type", ""))),
    WRONG_CHARSET((script, scene) -> script.serve()
            .noHeader("ETag")
            .contentType("application/json; charset=" + scene.any("iso-8859-1", "utf-16", "us-ascii", "nonsense"))),
    DEEP_NESTING((script, scene) -> script.body("application/json", ChaosPayloads.deep(scene))),
    OVERSIZED((script, scene) -> script.body("application/json", ChaosPayloads.large(scene.truth()))),
    ODD_DATA(
            true,
            (script, scene) -> script.body("application/json", scene.truth().oddDocument(scene.random()))
                    .etag('"' + scene.id() + '"')),
    SAME_AS_BEFORE_WITH_ANOTHER_ETAG(
            true,
            (script, scene) -> script.body("application/json", scene.truth().document())
                    .etag('"' + scene.id() + '"')
                    .times(2));

    private final boolean holdsFlags;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final BiConsumer<Script, Scene> words;

    ChaosPollFault(BiConsumer<Script, Scene> words) {
        this(false, words);
    }

    ChaosPollFault(boolean holdsFlags, BiConsumer<Script, Scene> words) {
        this.holdsFlags = holdsFlags;
        this.words = words;
    }

    @Override
    public void say(Script script, Scene scene) {
        words.accept(script, scene);
    }

    @Override
    public boolean holdsFlags() {
        return holdsFlags;
    }

    private static String badBody(Scene scene) {
        String document = scene.truth().document();
        return scene.any(
                document + document,
                document + "<!-- served by a proxy -->",
                "{\"flags\":null,\"segments\":null}",
                "{\"flags\":[],\"segments\":{}}",
                "{\"flags\":{\"x\":7}}",
                "{\"flags\":{\"x\":{\"version\":\"1\"}},\"segments\":{}}",
                "{\"flags\":{},\"segments\":{\"x\":[]}}",
                "{'flags':{}}",
                "{\"flags\":{},}",
                "{\"error\":\"no such environment\"}",
                "\"" + new String(new byte[50], StandardCharsets.US_ASCII) + "\"");
    }
}
