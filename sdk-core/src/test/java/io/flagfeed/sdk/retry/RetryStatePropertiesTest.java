package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Seeds;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for any sequence of failures, successes and times. */
class RetryStatePropertiesTest {
    private static final String SEEDS = "io.flagfeed.sdk.Seeds#all";
    private static final int ROUNDS = 25;
    private static final int EVENTS = 100;

    /** One source's settings, made up. */
    private record Setup(boolean streaming, RetryPolicy policy, Duration base) {
        static Setup random(RandomGenerator random) {
            RetryPolicy policy = random.nextInt(4) == 0
                    ? RetryPolicy.DEFAULT
                    : RetryPolicy.builder()
                            .normalCeiling(span(random))
                            .extendedInitial(span(random))
                            .extendedCeiling(span(random))
                            .healthyReset(span(random))
                            .goodPolls(random.nextInt(1, 5))
                            .jitterRatio(random.nextDouble(0, 0.5))
                            .retryAfterCap(span(random))
                            .build();
            return new Setup(random.nextBoolean(), policy, span(random));
        }

        /** From a nanosecond to what no long of nanoseconds can hold. */
        private static Duration span(RandomGenerator random) {
            return random.nextInt(20) == 0
                    ? Duration.ofSeconds(random.nextLong(1, Long.MAX_VALUE))
                    : Duration.ofNanos(1 + (random.nextLong(Long.MAX_VALUE) >> random.nextInt(63)));
        }

        RetryState state(DoubleSupplier chance) {
            return streaming
                    ? RetryState.forStreaming(policy, base, chance)
                    : RetryState.forPolling(policy, base, chance);
        }

        long cadence() {
            return streaming ? 0 : nanos(base);
        }

        long normalCeiling() {
            return streaming ? Math.max(nanos(policy.normalCeiling()), nanos(base)) : nanos(base);
        }

        long extendedInitial() {
            return Math.max(nanos(policy.extendedInitial()), nanos(base));
        }

        long extendedCeiling() {
            return Math.max(nanos(policy.extendedCeiling()), extendedInitial());
        }
    }

    /** A failure or, where there is none, a success; and its time. */
    private record Event(Failure failure, long time) {
        static Event random(RandomGenerator random) {
            Failure failure = random.nextInt(3) == 0 ? null : anyFailure(random);
            return new Event(failure, Seeds.anyLong(random));
        }

        long applyTo(RetryState state) {
            Duration wait = failure == null ? state.recordSuccess(time) : state.recordFailure(failure, time);
            return wait.toNanos();
        }
    }

    private static Failure anyFailure(RandomGenerator random) {
        OptionalLong retryAfter = random.nextInt(3) > 0 ? OptionalLong.empty() : OptionalLong.of(Seeds.anyLong(random));
        return Failure.httpStatus(random.nextInt(3) == 0 ? 401 : 503, retryAfter);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void everyWaitIsWithinItsBounds(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            Setup setup = Setup.random(random);
            RetryState state = setup.state(random::nextDouble);
            long most = max(
                    setup.normalCeiling(),
                    setup.extendedCeiling(),
                    setup.cadence(),
                    nanos(setup.policy().retryAfterCap()));
            for (int i = 0; i < EVENTS; i++) {
                Event event = Event.random(random);
                long wait = event.applyTo(state);
                assertTrue(
                        wait >= setup.cadence() && wait <= most,
                        () -> "seed " + seed + ": " + wait + " ns after " + event + " in " + setup);
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void afterAnUnexpectedFailureEveryWaitIsAtLeastHalfTheExtendedInitialUntilASuccess(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            Setup setup = Setup.random(random);
            RetryState state = setup.state(random::nextDouble);
            for (int i = 0; i < EVENTS / 2; i++) {
                Event.random(random).applyTo(state);
            }
            state.recordFailure(Failure.httpStatus(403, OptionalLong.empty()), Seeds.anyLong(random));
            for (int i = 0; i < EVENTS / 2; i++) {
                Failure failure = anyFailure(random);
                long wait = state.recordFailure(failure, Seeds.anyLong(random)).toNanos();
                assertTrue(
                        wait >= setup.extendedInitial() - setup.extendedInitial() / 2 && state.extended(),
                        () -> "seed " + seed + ": " + wait + " ns in " + setup);
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void askingForMoreNeverShortensAWait(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            Setup setup = Setup.random(random);
            double chance = random.nextDouble();
            List<RetryState> states = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                states.add(setup.state(() -> chance));
            }
            for (int i = random.nextInt(20); i > 0; i--) {
                Event event = Event.random(random);
                states.forEach(event::applyTo);
            }
            int status = random.nextBoolean() ? 429 : 401;
            long little = random.nextLong(100_000);
            long more = random.nextLong(little, RetryAfter.MAX_SECONDS);
            List<OptionalLong> asked =
                    List.of(OptionalLong.empty(), OptionalLong.of(0), OptionalLong.of(little), OptionalLong.of(more));
            long before = 0;
            for (int i = 0; i < 4; i++) {
                long wait = states.get(i)
                        .recordFailure(Failure.httpStatus(status, asked.get(i)), 0)
                        .toNanos();
                assertTrue(wait >= before, "seed " + seed + ": " + asked.get(i) + " in " + setup);
                before = wait;
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void twoStreamsWithChanceOfTheirOwnPart(long seed) {
        RetryState one =
                new Setup(true, RetryPolicy.DEFAULT, Duration.ofSeconds(1)).state(Seeds.random(seed)::nextDouble);
        RetryState other =
                new Setup(true, RetryPolicy.DEFAULT, Duration.ofSeconds(1)).state(Seeds.random(~seed)::nextDouble);
        List<Duration> ofOne = new ArrayList<>();
        List<Duration> ofOther = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ofOne.add(one.recordFailure(Failure.network("cut"), 0));
            ofOther.add(other.recordFailure(Failure.network("cut"), 0));
        }
        assertNotEquals(ofOne, ofOther, "seed " + seed);
    }

    /** The rules once more, by other means: numbers without end, and nothing kept but the history. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void waitsWithoutJitterAreThoseOfTheRules(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            Setup setup = Setup.random(random);
            RetryState state = setup.state(() -> 0);
            Rules rules = new Rules(setup);
            long time = Seeds.anyLong(random);
            for (int i = 0; i < EVENTS; i++) {
                time += random.nextLong(1, 100_000_000_000L);
                Event event = new Event(Event.random(random).failure(), time);
                assertEquals(
                        rules.expected(event), event.applyTo(state), "seed " + seed + ": " + event + " in " + setup);
                assertEquals(rules.extended, state.extended(), "seed " + seed + ": " + event + " in " + setup);
            }
        }
    }

    private static final class Rules {
        private final Setup setup;
        private final List<Long> stretch = new ArrayList<>(); // times of the successes since the last failure
        private boolean extended;
        private int failures;

        Rules(Setup setup) {
            this.setup = setup;
        }

        long expected(Event event) {
            if (event.failure() == null) {
                stretch.add(event.time());
                resetIfHealthy(event.time());
                return setup.cadence();
            }
            resetIfHealthy(event.time());
            stretch.clear();
            boolean raises = event.failure().failureClass() == FailureClass.UNEXPECTED && !extended;
            extended |= raises;
            failures = raises ? 1 : failures + 1;

            long initial = extended ? setup.extendedInitial() : nanos(setup.base());
            long ceiling = extended ? setup.extendedCeiling() : setup.normalCeiling();
            long step = BigInteger.valueOf(initial)
                    .shiftLeft(failures - 1)
                    .min(BigInteger.valueOf(ceiling))
                    .longValueExact();
            BigInteger asked = BigInteger.valueOf(
                            event.failure().retryAfterSeconds().orElse(0))
                    .multiply(BigInteger.valueOf(1_000_000_000))
                    .min(BigInteger.valueOf(nanos(setup.policy().retryAfterCap())));
            return max(step, setup.cadence(), asked.max(BigInteger.ZERO).longValueExact());
        }

        private void resetIfHealthy(long time) {
            boolean healthy = setup.streaming()
                    ? !stretch.isEmpty()
                            && time - stretch.get(0) >= nanos(setup.policy().healthyReset())
                    : stretch.size() >= setup.policy().goodPolls();
            if (healthy) {
                extended = false;
                failures = 0;
            }
        }
    }

    private static long max(long... values) {
        long max = values[0];
        for (long value : values) {
            max = Math.max(max, value);
        }
        return max;
    }

    private static long nanos(Duration duration) {
        BigInteger nanos = BigInteger.valueOf(duration.getSeconds())
                .multiply(BigInteger.valueOf(1_000_000_000))
                .add(BigInteger.valueOf(duration.getNano()));
        return nanos.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
    }
}
