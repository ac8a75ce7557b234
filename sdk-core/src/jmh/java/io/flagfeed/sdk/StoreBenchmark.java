package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What a data system costs whoever feeds and reads it, by the number of flags that it holds. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = "-Xmx3g")
public class StoreBenchmark {
    /** How many flags are held. */
    @Param({"100", "1000", "10000", "100000"})
    public int flags;

    private List<Item> items = List.of();
    private DataSystem system;
    private UpdateSink sink;
    private int next; // which flag is touched next
    private long version = 1;

    /** A system that holds the flags, each with a text of its own. */
    @Setup
    public void start() {
        system = DataSystem.builder((given, scheduler) -> {
                    sink = given;
                    return () -> {};
                })
                .listenerExecutor(Runnable::run)
                .build();
        system.start();
        List<Item> all = new ArrayList<>();
        for (int i = 0; i < flags; i++) {
            all.add(Item.of(FLAG, key(i), 1, json(i)));
        }
        items = all;
        sink.apply(ChangeSet.full(items));
    }

    /** Ends it. */
    @TearDown
    public void close() {
        system.close();
    }

    /** One flag changes, and nobody listens. */
    @Benchmark
    public void patch() {
        sink.apply(nextPatch());
    }

    /** Whoever listens makes it necessary to find what changed, by references too. */
    @State(Scope.Benchmark)
    public static class OneListener {
        /** What was heard last. */
        public int heard;

        /** Begins to listen, and has the references found that are kept from then on. */
        @Setup
        public void listen(StoreBenchmark store) {
            store.system.onChange(event -> heard = event.changes().size());
            store.patch();
        }
    }

    /** One flag changes, and a listener hears of it on the same thread. */
    @Benchmark
    public int patchWithListener(OneListener listener) {
        sink.apply(nextPatch());
        return listener.heard;
    }

    /** Everything anew. */
    @Benchmark
    public void put() {
        sink.apply(ChangeSet.full(items));
    }

    /** A flag that is there. */
    @Benchmark
    public Optional<Item> getHit() {
        return system.get(FLAG, items.get(nextFlag()).key());
    }

    /** A flag that is not there. */
    @Benchmark
    public Optional<Item> getMiss() {
        return system.get(FLAG, "no-such-flag");
    }

    /** All flags, one by one. */
    @Benchmark
    public long iterate() {
        long sum = 0;
        for (Item item : system.snapshot().all(FLAG).values()) {
            sum += item.version();
        }
        return sum;
    }

    private ChangeSet nextPatch() {
        Item old = items.get(nextFlag());
        return ChangeSet.partial(List.of(Item.of(FLAG, old.key(), ++version, old.json())));
    }

    /** Goes through all of them, far from one to the next. */
    private int nextFlag() {
        next = (next + 7919) % flags;
        return next;
    }

    private static String key(int i) {
        return "release.team-" + i % 40 + ".feature-" + i;
    }

    /** About 2.5 KB, as a flag with a few rules and targets has; every twentieth has a prerequisite. */
    private static String json(int i) {
        StringBuilder json = new StringBuilder();
        json.append("{\"key\":\"").append(key(i)).append("\",\"version\":1,\"on\":true,\"prerequisites\":[");
        if (i % 20 == 19) {
            json.append("{\"key\":\"").append(key(i - 7)).append("\",\"variation\":0}");
        }
        json.append("],\"targets\":[{\"variation\":0,\"values\":[");
        for (int user = 0; user < 30; user++) {
            json.append(user == 0 ? "\"" : ",\"")
                    .append("user-")
                    .append(1_000_000_007L * (i + user + 1))
                    .append('"');
        }
        json.append("]}],\"rules\":[");
        for (int rule = 0; rule < 10; rule++) {
            json.append(rule == 0 ? "" : ",")
                    .append("{\"id\":\"rule-")
                    .append(rule)
                    .append("\",\"variation\":1,\"clauses\":[{\"contextKind\":\"user\",\"attribute\":\"country\",")
                    .append("\"op\":\"in\",\"values\":[\"se\",\"no\",\"dk\",\"fi\",\"is\"],\"negate\":false}],")
                    .append("\"trackEvents\":false}");
        }
        return json.append("],\"fallthrough\":{\"variation\":0},\"offVariation\":1,\"variations\":[true,false],")
                .append("\"salt\":\"0123456789abcdef\",\"trackEvents\":false,\"deleted\":false}")
                .toString();
    }
}
