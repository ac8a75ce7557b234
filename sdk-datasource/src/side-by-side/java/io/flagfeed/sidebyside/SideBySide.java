package io.flagfeed.sidebyside;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * Measures Flagfeed, LaunchDarkly's SDK and the floor in one run, on this machine, and prints the tables. Each
 * measurement has a JVM of its own; in each round all are measured once, and who comes first changes from round to
 * round, so that a noisy minute hits no contestant alone.
 */
final class SideBySide {
    /** Where every measurement is written as soon as it is done, and what failed JVMs said. */
    static final Path DIRECTORY = Path.of("target", "side-by-side");

    private final Options options;
    private final Report report = new Report();

    private SideBySide(Options options) {
        this.options = options;
    }

    /** The arguments are told of by {@link Options}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Options options;
        try {
            options = Options.of(args);
        } catch (IllegalArgumentException | NoSuchElementException e) {
            System.err.println("Not understood: " + String.join(" ", args) + "\n" + Options.USAGE);
            System.exit(2);
            return;
        }
        new SideBySide(options).run();
    }

    private void run() throws IOException, InterruptedException {
        Files.createDirectories(DIRECTORY);
        for (Scenario scenario : options.scenarios()) {
            Files.deleteIfExists(file(scenario));
        }
        Set<Scenario> ofAnySize = EnumSet.copyOf(options.scenarios());
        boolean idle = ofAnySize.remove(Scenario.IDLE);
        if (!ofAnySize.isEmpty()) {
            for (int flags : options.flags()) {
                run(flags, ofAnySize);
            }
        }
        if (idle) {
            run(Idle.FLAGS, EnumSet.of(Scenario.IDLE));
        }
        new PrintStream(System.out, true, UTF_8).print(report);
    }

    private void run(int flags, Set<Scenario> scenarios) throws IOException, InterruptedException {
        try (Arena arena = new Arena(flags)) {
            report.data(flags, arena.dataBytes);
            for (int round = 1; round <= options.rounds(); round++) {
                for (Scenario scenario : scenarios) {
                    for (Contestant contestant : turned(scenario.contestants(), round)) {
                        System.err.println(
                                flags + " flags, round " + round + ": " + scenario + ", " + contestant.title);
                        JsonObject figures = scenario == Scenario.HEAP
                                ? arena.leastHeap(contestant)
                                : arena.measure(scenario, contestant);
                        report.add(scenario, flags, contestant, figures);
                        keep(scenario, flags, round, contestant, figures);
                    }
                }
            }
        }
    }

    private static List<Contestant> turned(List<Contestant> contestants, int round) {
        List<Contestant> turned = new ArrayList<>(contestants);
        Collections.rotate(turned, -(round - 1));
        return turned;
    }

    private static void keep(Scenario scenario, int flags, int round, Contestant contestant, JsonObject figures)
            throws IOException {
        JsonObject line = new JsonObject();
        line.addProperty("scenario", scenario.toString());
        line.addProperty("flags", flags);
        line.addProperty("round", round);
        line.addProperty("client", contestant.title);
        line.add("figures", figures);
        Files.writeString(file(scenario), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static Path file(Scenario scenario) {
        return DIRECTORY.resolve(scenario + ".jsonl");
    }
}
