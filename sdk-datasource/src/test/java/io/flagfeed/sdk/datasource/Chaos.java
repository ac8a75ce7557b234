package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.datasource.ChaosTruth.Edit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What the service of the chaos soak will do: a function of the seed and the number of the round, worked out before any
 * client looks. A seed that failed decides the same again; only the timing of threads is chance.
 *
 * <p>Faults are dealt like cards: each occurs once before any occurs again.
 */
final class Chaos {
    private static final int STEPS = 4;
    private static final int ANSWERS = 6; // for each step and mode
    private static final int LIVE = 3; // for each step

    private static final List<ChaosFault> STREAM = both(ChaosCommonFault.values(), ChaosStreamFault.values());
    private static final List<ChaosFault> POLL = both(ChaosCommonFault.values(), ChaosPollFault.values());
    private static final List<ChaosLiveFault> LIVE_FAULTS = List.of(ChaosLiveFault.values());

    /** After so many rounds each fault has occurred. */
    static final int ROUNDS_FOR_ALL = 1 + Math.max(STREAM.size(), POLL.size()) / (STEPS * ANSWERS);

    private final long seed;

    Chaos(long seed) {
        this.seed = seed;
    }

    /** Something that happens, with the seed of whatever chance there is in it. */
    record Chosen<T>(T what, long seed) {
        Random random() {
            return new Random(seed);
        }

        @Override
        public String toString() {
            return String.valueOf(what);
        }
    }

    /**
     * A part of a storm.
     *
     * @param edits to the flags while the answers are given, or before them where these hold flags
     * @param stream answers
     * @param poll answers
     * @param kick makes those ask who have a stream
     * @param live what happens when all have been given
     * @param replaced which client is closed in the middle of it and followed by a new one; none if it is negative
     */
    record Step(
            List<Edit> edits,
            List<Chosen<ChaosFault>> stream,
            List<Chosen<ChaosFault>> poll,
            Chosen<ChaosLiveFault> kick,
            List<Chosen<ChaosLiveFault>> live,
            int replaced) {
        boolean holdsFlags() {
            return Stream.concat(stream.stream(), poll.stream())
                    .anyMatch(chosen -> chosen.what().holdsFlags());
        }
    }

    /**
     * A storm and the calm after it.
     *
     * @param calmAfter what ends the storm for the streams that are open; none if nothing does
     * @param calmEdits made when all is well again
     * @param replaced which client is then closed and followed by a new one
     */
    record Round(List<Step> storm, List<Chosen<ChaosLiveFault>> calmAfter, List<Edit> calmEdits, int replaced) {}

    Round round(int number, int clients) {
        Random random = random(1, number);
        int[] edits = {0};
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            int step = number * STEPS + i;
            steps.add(new Step(
                    edits(random, number, edits, random.nextInt(30)),
                    dealt(2, STREAM, step, ANSWERS, random),
                    dealt(3, POLL, step, ANSWERS, random),
                    one(random, ChaosLiveFault.STREAMS_ENDED, ChaosLiveFault.STREAMS_RESET, ChaosLiveFault.BAD_EVENT),
                    dealt(4, LIVE_FAULTS, step, LIVE, random),
                    random.nextInt(STEPS * 2) == 0 ? random.nextInt(clients) : -1));
        }
        List<Chosen<ChaosLiveFault>> calmAfter = random.nextBoolean()
                ? List.of()
                : List.of(one(random, ChaosLiveFault.STREAMS_ENDED, ChaosLiveFault.STREAMS_RESET));
        return new Round(
                steps, calmAfter, edits(random, number, edits, 1 + random.nextInt(60)), random.nextInt(clients));
    }

    private static List<Edit> edits(Random random, int round, int[] counter, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    ItemKey key = ChaosItems.KEYS.get(random.nextInt(ChaosItems.KEYS.size()));
                    long version = ChaosItems.version(key, round + 1, counter[0]++);
                    return new Edit(key, version, !key.equals(ChaosItems.ANCHOR) && random.nextInt(4) == 0);
                })
                .toList();
    }

    @SafeVarargs
    private static <T> Chosen<T> one(Random random, T... values) {
        return new Chosen<>(values[random.nextInt(values.length)], random.nextLong());
    }

    /** The cards of one step, from decks that are shuffled anew when they are used up. */
    private <T> List<Chosen<T>> dealt(int what, List<T> deck, int step, int count, Random random) {
        IntFunction<List<T>> shuffled = number -> {
            List<T> cards = new ArrayList<>(deck);
            Collections.shuffle(cards, random(what, number));
            return cards;
        };
        return IntStream.range(step * count, (step + 1) * count)
                .mapToObj(i -> shuffled.apply(i / deck.size()).get(i % deck.size()))
                .map(card -> new Chosen<>(card, random.nextLong()))
                .toList();
    }

    private Random random(int what, int number) {
        long mixed = (seed * 31 + what) * 0x9E3779B97F4A7C15L + number;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L; // near numbers give far seeds
        return new Random(mixed ^ (mixed >>> 32));
    }

    private static List<ChaosFault> both(ChaosFault[] some, ChaosFault[] more) {
        return Stream.of(some, more).flatMap(Arrays::stream).toList();
    }
}
