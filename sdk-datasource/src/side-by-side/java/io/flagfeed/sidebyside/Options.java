package io.flagfeed.sidebyside;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the command line asks for.
 *
 * @param scenarios what is measured
 * @param flags with how many flags, one number after the other
 * @param rounds how often
 */
record Options(Set<Scenario> scenarios, List<Integer> flags, int rounds) {
    static final String USAGE = "Usage: [scenario...] [--flags N,N...] [--rounds N]\n"
            + "Scenarios, all but the last by default: " + EnumSet.allOf(Scenario.class) + "\n"
            + "Default: --flags 1000,10000 --rounds 3";

    /** Throws an {@link IllegalArgumentException} for what is none. */
    static Options of(String... args) {
        Set<Scenario> scenarios = EnumSet.noneOf(Scenario.class);
        List<Integer> flags = new ArrayList<>(List.of(1000, 10_000));
        int rounds = 3;
        for (Iterator<String> words = List.of(args).iterator(); words.hasNext(); ) {
            String word = words.next();
            switch (word) {
                case "--flags" ->
                    flags = Stream.of(words.next().split(",", -1))
                            .map(Options::positive)
                            .toList();
                case "--rounds" -> rounds = positive(words.next());
                default ->
                    scenarios.add(Scenario.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_')));
            }
        }
        if (scenarios.isEmpty()) {
            scenarios = EnumSet.complementOf(EnumSet.of(Scenario.HEAP)); // it takes long
        }
        return new Options(Collections.unmodifiableSet(scenarios), flags, rounds);
    }

    private static int positive(String number) {
        int value = Integer.parseInt(number);
        if (value < 1) {
            throw new IllegalArgumentException("less than 1: " + number);
        }
        return value;
    }
}
