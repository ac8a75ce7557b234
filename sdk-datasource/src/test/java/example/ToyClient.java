package example;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static io.flagfeed.sdk.ItemKind.SEGMENT;

import com.google.gson.Gson;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** A toy SDK client: what somebody who embeds the library writes around it. It evaluates; the library does the rest. */
final class ToyClient implements AutoCloseable {
    private static final Gson GSON = new Gson();

    private final DataSystem system;

    ToyClient(DataSource source, Scheduler scheduler, Executor listeners) {
        system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(listeners)
                .staleAfter(Duration.ofMinutes(10))
                .build();
        system.start();
    }

    DataSystem data() {
        return system;
    }

    boolean isOn(String flagKey, String userKey, boolean fallback) {
        return new Evaluator(system.snapshot(), userKey).value(flagKey).orElse(fallback);
    }

    @Override
    public void close() {
        system.close();
    }

    /** All flags and segments of one evaluation come from one snapshot, so that no change can come between them. */
    private record Evaluator(Snapshot snapshot, String user) {
        Optional<Boolean> value(String flagKey) {
            Stream<Flag> found = json(FLAG, flagKey, Flag.class);
            return found.map(flag -> flag.variations.get(variation(flag))).findFirst();
        }

        private int variation(Flag flag) {
            if (!flag.on || !flag.prerequisites.stream().allMatch(this::isMet)) {
                return flag.offVariation;
            }
            Stream<Target> targets = flag.targets.stream().filter(target -> target.values.contains(user));
            Stream<Rule> rules =
                    flag.rules.stream().filter(rule -> rule.clauses.stream().allMatch(this::holds));
            Optional<Choice> first = Stream.<Choice>concat(targets, rules).findFirst();
            return first.orElse(flag.fallthrough).variation();
        }

        private boolean isMet(Prerequisite wanted) {
            return json(FLAG, wanted.key, Flag.class).anyMatch(flag -> flag.on && variation(flag) == wanted.variation);
        }

        private boolean holds(Clause clause) {
            Stream<Segment> segments = clause.values.stream().flatMap(key -> json(SEGMENT, key, Segment.class));
            return segments.anyMatch(segment -> segment.included.contains(user)) != clause.negate;
        }

        private <T> Stream<T> json(ItemKind kind, String key, Class<T> type) {
            return snapshot.get(kind, key).stream().map(item -> GSON.fromJson(item.json(), type));
        }
    }

    // ---- what it reads of the JSON: a toy has no rollouts, no clauses but segmentMatch, and no rules in segments

    private interface Choice {
        int variation();
    }

    private record Target(int variation, List<String> values) implements Choice {}

    private record Clause(List<String> values, boolean negate) {}

    private record Rule(int variation, List<Clause> clauses) implements Choice {}

    private record Fallthrough(int variation) implements Choice {}

    private record Prerequisite(String key, int variation) {}

    private record Segment(List<String> included) {}

    private record Flag(
            boolean on,
            List<Prerequisite> prerequisites,
            List<Target> targets,
            List<Rule> rules,
            Fallthrough fallthrough,
            int offVariation,
            List<Boolean> variations) {}
}
