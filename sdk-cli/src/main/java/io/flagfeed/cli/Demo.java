package io.flagfeed.cli;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.testing.FakeFlagServer;
import java.net.URI;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The story of a service in half a minute: flags arrive, change every second, the connection is cut, the service is
 * overloaded and says when to come back, and all is well again.
 */
final class Demo implements AutoCloseable {
    private static final Duration PACE = Duration.ofSeconds(1);
    private static final int CUT_AT = 6;
    private static final int BACK_AT = 13;
    private static final int END_AT = 22;

    private final Scheduler scheduler;
    private final FakeFlagServer server;
    private final DemoFlags flags = new DemoFlags();
    private Cancellable next = () -> {};
    private int second;

    Demo(Scheduler scheduler) {
        this.scheduler = scheduler;
        server = FakeFlagServer.start();
        server.setAll(flags.all());
    }

    URI uri() {
        return server.uri();
    }

    /** Plays the story on the scheduler's thread. */
    void start(Consumer<String> story, Runnable end) {
        story.accept("a fake service on " + server.uri() + " serves the flags of a shop");
        next = scheduler.schedule(PACE, () -> step(story, end));
    }

    private void step(Consumer<String> story, Runnable end) {
        second++;
        if (second == CUT_AT) {
            story.accept("the service is restarted: the connection is cut, and it answers 503 with Retry-After: 3");
            server.stream().respond(503).retryAfter(3).times(2);
            server.dropStreams();
        } else if (second == BACK_AT - 1) {
            story.accept("what changed meanwhile comes with the next connection");
        } else if (second == END_AT - 2) {
            story.accept("a flag is retired");
            server.delete(ItemKind.FLAG, DemoFlags.RETIRED);
        }
        if (second == END_AT) {
            end.run();
            return;
        }
        Item changed = flags.change();
        server.set(changed);
        next = scheduler.schedule(PACE, () -> step(story, end));
    }

    @Override
    public void close() {
        next.cancel();
        server.close();
    }
}
