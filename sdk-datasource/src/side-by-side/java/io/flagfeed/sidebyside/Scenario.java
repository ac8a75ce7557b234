package io.flagfeed.sidebyside;

import static io.flagfeed.sidebyside.Contestant.FLAGFEED;
import static io.flagfeed.sidebyside.Contestant.FLOOR;
import static io.flagfeed.sidebyside.Contestant.LAUNCHDARKLY;

import java.util.List;
import java.util.Locale;

/** What can be measured, in the order of the tables, with what its table says above it. */
enum Scenario {
    START("From nothing to ready over a stream: the first in a JVM, and later ones in it"),
    POLL_START("From nothing to ready by polling"),
    PATCHES("Patches as fast as the socket takes them, from the first write until a reader sees the last"),
    LATENCY("From the service's write of a patch until a reader sees it, at 200 a second"),
    POLLS("Polls when nothing has changed, of a service with entity tags and of one without"),
    READS("Reads of a flag's version by its key"),
    IDLE("A hundred streaming clients in one JVM"),
    CUT("From the end of a stream until a reader sees what was renewed meanwhile"),
    HEAP("The smallest heap (-Xmx) that the first data set gets loaded with");

    final String title;

    Scenario(String title) {
        this.title = title;
    }

    Measurement measurement() {
        return switch (this) {
            case START -> new Start(Feed.STREAM);
            case POLL_START -> new Start(Feed.POLL);
            case PATCHES -> new Patches();
            case LATENCY -> new Latency();
            case POLLS -> new Polls();
            case READS -> new Reads();
            case IDLE -> new Idle();
            case CUT -> new Cut();
            case HEAP -> new Load();
        };
    }

    /** Who takes part: the floor has nothing to read, and only many clients have something to share. */
    List<Contestant> contestants() {
        return switch (this) {
            case READS -> List.of(FLAGFEED, LAUNCHDARKLY);
            case IDLE -> List.of(Contestant.values());
            default -> List.of(FLAGFEED, LAUNCHDARKLY, FLOOR);
        };
    }

    /** Its name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
