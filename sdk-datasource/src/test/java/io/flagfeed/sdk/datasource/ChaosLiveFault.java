package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.datasource.ChaosFault.Scene;
import io.flagfeed.sdk.testing.FakeFlagServer;
import java.util.function.BiConsumer;

/** What happens to the streams that are open, or to the service as a whole, outside of any answer. */
enum ChaosLiveFault {
    HEARTBEATS((server, scene) -> {
        server.heartbeat();
        server.sendRaw(scene.any(":\r\n", ":\r", ": \n\n", "\n", "\n\n\n"));
    }),
    UNKNOWN_EVENT((server, scene) -> server.sendRaw(ChaosPayloads.unknown(scene).text())),
    STALE_EVENT((server, scene) -> server.sendRaw(ChaosPayloads.stale(scene).text())),
    STALE_EVENT_OF_WHAT_WAS_DELETED((server, scene) ->
            server.sendRaw(new ChaosPayloads.Event("delete", "{\"path\":\"/flags/ghost\",\"version\":10}").text()
                    + new ChaosPayloads.Event("patch", "{\"path\":\"/flags/ghost\",\"data\":{\"version\":9}}").text())),
    SAME_PUT_AGAIN((server, scene) -> server.setAll(scene.truth().items())),
    BAD_EVENT((server, scene) -> server.sendRaw(ChaosPayloads.bad(scene).text())),
    DEEP_EVENT((server, scene) -> server.sendEvent(scene.any("put", "patch"), ChaosPayloads.deep(scene))),
    HALF_EVENT((server, scene) -> {
        String text = ChaosPayloads.put(scene.truth().document()).text();
        server.sendRaw(text.substring(0, scene.random().nextInt(text.length() - 1)));
        drop(server, scene);
    }),
    STREAMS_ENDED((server, scene) -> server.dropStreams()),
    STREAMS_RESET((server, scene) -> server.resetStreams()),
    REFUSED((server, scene) -> server.refuse()),
    BLACK_HOLE((server, scene) -> {
        server.blackHole();
        drop(server, scene);
    });

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final BiConsumer<FakeFlagServer, Scene> words;

    ChaosLiveFault(BiConsumer<FakeFlagServer, Scene> words) {
        this.words = words;
    }

    void happen(FakeFlagServer server, Scene scene) {
        words.accept(server, scene);
    }

    /** Whether nobody can be served until the service is started again. */
    boolean isOutage() {
        return this == REFUSED || this == BLACK_HOLE;
    }

    /** Whether a client has to leave a stream on which this came, though the service keeps it open. */
    boolean isToBeLeft() {
        return this == BAD_EVENT || this == DEEP_EVENT;
    }

    private static void drop(FakeFlagServer server, Scene scene) {
        if (scene.random().nextBoolean()) {
            server.dropStreams();
        } else {
            server.resetStreams();
        }
    }
}
