package io.flagfeed.sdk;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;

/**
 * Seeds for tests over random input: the same few each time, or the one of {@code -Dflagfeed.seed}. Name the seed in
 * the test's display name, so that a failure says which to give.
 */
public final class Seeds {
    private Seeds() {}

    /** For {@code @MethodSource}. */
    public static LongStream all() {
        Long given = Long.getLong("flagfeed.seed");
        return given != null ? LongStream.of(given) : LongStream.rangeClosed(1, 20);
    }

    /** A generator whose numbers depend on the seed alone. */
    public static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    /** A long of any magnitude and sign: most uniform ones are astronomically large. */
    public static long anyLong(RandomGenerator random) {
        return switch (random.nextInt(8)) {
            case 0 -> Long.MIN_VALUE;
            case 1 -> Long.MAX_VALUE;
            case 2 -> random.nextLong(-2, 3);
            default -> random.nextLong() >> random.nextInt(64);
        };
    }
}
