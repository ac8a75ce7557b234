package io.flagfeed.sdk.datasource;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * An extra wait by chance, against many clients that would do the same at the same moment.
 *
 * @param longest no wait reaches it; zero: there is none, and chance is not asked
 * @param random gives a number in [0, 1)
 */
record Spread(Duration longest, DoubleSupplier random) {
    Duration next() {
        if (longest.isZero()) {
            return Duration.ZERO;
        }
        double chance;
        try {
            chance = random.getAsDouble();
        } catch (RuntimeException | Error e) {
            chance = 1; // the whole wait: the side on which to err
        }
        double nanos =
                Math.min(Math.max(chance, 0), 1) * Math.min(longest.toSeconds() * 1e9 + longest.toNanosPart(), 0x1p62);
        return Duration.ofNanos((long) nanos);
    }
}
