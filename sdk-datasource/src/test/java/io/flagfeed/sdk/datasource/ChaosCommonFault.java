package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.testing.Answer;
import io.flagfeed.sdk.testing.Script;
import java.time.Duration;
import java.util.function.BiConsumer;

/** What goes wrong with any HTTP response, whether to a stream or to a poll. */
enum ChaosCommonFault implements ChaosFault {
    STATUS((script, scene) -> script.respond(ChaosPayloads.status(scene))),
    STATUS_WITH_RETRY_AFTER((script, scene) -> {
        Answer answer = script.respond(scene.any(400, 401, 403, 408, 429, 500, 503));
        for (int lines = scene.any(1, 1, 2); lines > 0; lines--) {
            answer.retryAfter(ChaosPayloads.retryAfter(scene.random()));
        }
    }),
    STATUS_503_AT_ONCE((script, scene) -> script.respond(503).retryAfter(0).times(scene.any(1, 3))),
    NO_CONTENT((script, scene) -> script.respond(204)),
    LOGIN_PAGE((script, scene) -> script.html()),
    REDIRECT_TO_SAME_ORIGIN((script, scene) -> {
        String path = "/moved" + script.toString().split(" ", 2)[0];
        script.redirect(scene.any(301, 302, 303, 307, 308), scene.any(path, scene.service() + path));
    }),
    REDIRECT_TO_ANOTHER_ORIGIN((script, scene) -> script.redirect(
            scene.any(301, 302, 303, 307, 308), scene.elsewhere() + scene.any("/all", "/sdk/latest-all"))),
    REDIRECT_LOOP((script, scene) -> script.redirect(302, "").times(45)), // twice what ends it: there are two clients
    REDIRECT_WITHOUT_LOCATION((script, scene) -> script.respond(scene.any(300, 301, 302, 303, 307, 308))),
    REDIRECT_TO_NONSENSE(
            (script, scene) -> script.redirect(302, scene.any("mailto:x", "http://", "//", "http://[", " "))),
    SILENT_AFTER_HEADERS((script, scene) -> script.stall()),
    NO_ANSWER((script, scene) -> script.hang()),
    LATE_ANSWER((script, scene) ->
            script.serve().after(Duration.ofMillis(scene.any(5, 60))).drop()),
    CLOSED_BEFORE_ANSWER((script, scene) -> script.drop().times(scene.any(1, 3))),
    RESET_BEFORE_ANSWER((script, scene) -> script.reset().times(scene.any(1, 3))),
    STALLED_INSIDE((script, scene) -> script.serve().cutHalfway().stall()),
    CUT_INSIDE((script, scene) -> {
        Answer answer = script.serve();
        if (scene.random().nextBoolean()) {
            answer.cutHalfway();
        } else {
            answer.cutAfter(scene.random().nextInt(3000));
        }
        if (scene.random().nextBoolean()) {
            answer.reset();
        }
    }),
    NOT_HTTP((script, scene) -> script.bytes(ChaosPayloads.notHttp(scene))),
    BROKEN_GZIP((script, scene) -> {
        switch (scene.random().nextInt(3)) {
            case 0 -> script.serve().header("Content-Encoding", "gzip").drop();
            case 1 ->
                script.serve().gzip().truncate(1 + scene.random().nextInt(500)).drop();
            default -> script.serve().gzip().truncate(0).drop();
        }
    });

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final BiConsumer<Script, Scene> words;

    ChaosCommonFault(BiConsumer<Script, Scene> words) {
        this.words = words;
    }

    @Override
    public void say(Script script, Scene scene) {
        words.accept(script, scene);
    }

    @Override
    public boolean holdsFlags() {
        return false;
    }
}
