package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.testing.Answer;
import io.flagfeed.sdk.testing.Script;
import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * What goes wrong with a stream. One that a client may take for good ends by itself a little later, so that the next
 * answer is asked for; one that a client has to leave stays open.
 */
enum ChaosStreamFault implements ChaosFault {
    BYTE_ORDER_MARK((script, scene) -> soonEnded(script.serve().bom(), scene)),
    ANY_LINE_ENDS(true, (script, scene) -> {
        String text = ChaosPayloads.anyLineEnds(ChaosPayloads.put(scene.truth().document()), scene.random());
        soonEnded(script.events(text), scene)
                .splitAt(scene.random()
                        .ints(scene.random().nextInt(5), 1, text.length())
                        .toArray());
    }),
    ANY_LINE_ENDS_BYTE_BY_BYTE(true, (script, scene) -> {
        String text = ChaosPayloads.anyLineEnds(ChaosPayloads.put(scene.truth().document()), scene.random());
        soonEnded(script.events(text), scene).drip(1, Duration.ZERO);
    }),
    BYTE_BY_BYTE((script, scene) -> soonEnded(script.serve().drip(1, Duration.ZERO), scene)),
    SLOW((script, scene) -> soonEnded(script.serve().drip(scene.any(150, 400), Duration.ofMillis(2)), scene)),
    COMMENTS_ONLY((script, scene) -> {
        Answer answer = script.comment("");
        for (int i = 0; i < 5; i++) {
            answer.pause(Duration.ofMillis(10)).comment(scene.any("", "ping", "event: put", "ü"));
        }
    }),
    WRONG_CONTENT_TYPE((script, scene) -> script.events(
                    ChaosPayloads.put(ChaosPayloads.LIE).text())
            .contentType(scene.any("text/plain", "application/json", "text/event-streams", "*/*", "no type", ""))),
    NO_CONTENT_TYPE((script, scene) ->
            script.events(ChaosPayloads.put(ChaosPayloads.LIE).text()).noHeader("Content-Type")),
    BAD_EVENT_FIRST((script, scene) -> script.events(ChaosPayloads.bad(scene).text())),
    BAD_EVENT_AFTER_PUT(
            (script, scene) -> script.serve().events(ChaosPayloads.bad(scene).text())),
    UNKNOWN_EVENTS((script, scene) -> soonEnded(
            script.events(ChaosPayloads.unknown(scene).text())
                    .events(ChaosPayloads.unknown(scene).text()),
            scene)),
    UNKNOWN_EVENTS_AFTER_PUT((script, scene) ->
            soonEnded(script.serve().events(ChaosPayloads.unknown(scene).text()), scene)),
    STALE_EVENT_BEFORE_PUT(
            true,
            (script, scene) -> soonEnded(
                    script.events(ChaosPayloads.stale(scene).text())
                            .put(scene.truth().items()),
                    scene)),
    DEEP_NESTING((script, scene) -> script.event(scene.any("put", "patch", "delete"), ChaosPayloads.deep(scene))),
    OVERSIZED((script, scene) ->
            script.event("put", "{\"path\":\"/\",\"data\":" + ChaosPayloads.large(scene.truth()) + "}")),
    OVERSIZED_UNKNOWN_EVENT((script, scene) ->
            soonEnded(script.serve().event("whatever", "x".repeat(2_000_000)), scene)),
    CUT_BEFORE_EVENT((script, scene) -> script.serve().cutAfter(scene.any(0, 1))),
    CUT_BEFORE_LAST_BYTE(true, (script, scene) -> {
        String text = ChaosPayloads.put(scene.truth().document()).text();
        script.events(text.substring(0, text.length() - 1)).end();
    }),
    ENDED_INSIDE((script, scene) ->
            script.serve().truncate(scene.random().nextInt(3000)).end()),
    RETRY_FIELD((script, scene) -> soonEnded(
            script.serve()
                    .events("retry: " + scene.any("0", "5", "-1", "999999", "99999999999999999999", "x", "") + "\n\n")
                    .events("id: " + scene.any("7", "", "\u0000") + "\n\n"),
            scene)),
    ODD_DATA(
            true,
            (script, scene) -> soonEnded(
                    script.events(ChaosPayloads.put(scene.truth().oddDocument(scene.random()))
                            .text()),
                    scene)),
    PUT_TWICE(
            true,
            (script, scene) -> soonEnded(
                    script.put(scene.truth().items()).put(scene.truth().items()), scene)),
    GZIP((script, scene) -> soonEnded(script.serve().gzip(), scene)),
    UNTIL_CLOSE((script, scene) -> soonEnded(script.serve().untilClose(), scene));

    private final boolean holdsFlags;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final BiConsumer<Script, Scene> words;

    ChaosStreamFault(BiConsumer<Script, Scene> words) {
        this(false, words);
    }

    ChaosStreamFault(boolean holdsFlags, BiConsumer<Script, Scene> words) {
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

    private static Answer soonEnded(Answer answer, Scene scene) {
        answer.pause(Duration.ofMillis(scene.random().nextInt(10)));
        return switch (scene.random().nextInt(3)) {
            case 0 -> answer.end();
            case 1 -> answer.drop();
            default -> answer.reset();
        };
    }
}
