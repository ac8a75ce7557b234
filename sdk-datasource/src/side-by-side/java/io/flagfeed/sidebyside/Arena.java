package io.flagfeed.sidebyside;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The service with a number of flags, in a JVM of its own, and the JVMs that are run against it, one at a time. */
final class Arena implements AutoCloseable {
    static final List<String> SERVICE_FLAGS = List.of("-XX:+UseSerialGC", "-Xmx3g");
    private static final Duration LIMIT = Duration.ofMinutes(5);

    final int flags;
    final int dataBytes;
    private final Jvm service;
    private final String address;

    Arena(int flags) throws IOException {
        this.flags = flags;
        service = new Jvm("service", SERVICE_FLAGS, Service.class, List.of(String.valueOf(flags)));
        String[] portAndSize = service.line().split(" ", -1);
        address = "http://127.0.0.1:" + portAndSize[0];
        dataBytes = Integer.parseInt(portAndSize[1]);
    }

    /** What clients run with, given this many flags. */
    static List<String> clientFlags(int flags) {
        return List.of("-XX:+UseG1GC", flags < 100_000 ? "-Xmx4g" : "-Xmx12g");
    }

    /** The figures of one measurement. */
    JsonObject measure(Scenario scenario, Contestant contestant) throws IOException, InterruptedException {
        try (Jvm jvm = client(scenario, contestant, clientFlags(flags))) {
            if (!jvm.succeeds(LIMIT)) {
                throw new IllegalStateException(
                        "failed, or not done in " + LIMIT + "\n" + jvm.state() + "\n" + service.state());
            }
            return JsonParser.parseString(jvm.line()).getAsJsonObject();
        }
    }

    /**
     * The smallest heap in MB, to a twentieth, with which a client gets its first data set. Half a minute is long
     * enough for that: with less heap still it would do nothing but collect garbage.
     */
    JsonObject leastHeap(Contestant contestant) throws IOException, InterruptedException {
        measure(Scenario.HEAP, contestant);
        int tooSmall = 2;
        int enough = Math.max(128, flags / 4);
        while (enough - tooSmall > enough / 20 + 1) {
            int heap = (tooSmall + enough) / 2;
            List<String> jvmFlags = List.of("-XX:+UseG1GC", "-Xmx" + heap + "m", "-XX:+ExitOnOutOfMemoryError");
            try (Jvm jvm = client(Scenario.HEAP, contestant, jvmFlags)) {
                if (jvm.succeeds(Duration.ofSeconds(30))) {
                    enough = heap;
                } else {
                    tooSmall = heap;
                }
            }
        }
        JsonObject figures = new JsonObject();
        figures.addProperty("MB", enough);
        return figures;
    }

    private Jvm client(Scenario scenario, Contestant contestant, List<String> heap) throws IOException {
        List<String> jvmFlags = new ArrayList<>(heap);
        jvmFlags.add("-Dslf4j.internal.verbosity=ERROR"); // that there is no log is meant
        List<String> args = List.of(scenario.name(), contestant.name(), address, String.valueOf(flags));
        return new Jvm(scenario + "-" + contestant.name(), jvmFlags, Bench.class, args);
    }

    @Override
    public void close() {
        service.close();
    }
}
