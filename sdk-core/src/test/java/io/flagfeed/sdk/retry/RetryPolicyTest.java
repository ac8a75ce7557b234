package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Defaults, and settings that make no sense (R16). */
@Isolated("listens to a logger")
class RetryPolicyTest {
    private static final Duration ABSURD = Duration.ofSeconds(Long.MAX_VALUE);

    @Test
    void defaults() {
        assertEquals(
                new RetryPolicy(
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(300),
                        Duration.ofSeconds(3600),
                        Duration.ofSeconds(60),
                        2,
                        0.5,
                        Duration.ofSeconds(60)),
                RetryPolicy.DEFAULT);
        assertEquals(Duration.ofSeconds(1), RetryState.DEFAULT_INITIAL_DELAY);
        assertEquals(Duration.ofSeconds(30), RetryState.DEFAULT_POLL_INTERVAL);
    }

    /** An option of the policy: how to set it, how to read it, its default. */
    record Option(
            String name,
            BiFunction<RetryPolicy.Builder, Duration, RetryPolicy.Builder> set,
            Function<RetryPolicy, Duration> get) {
        RetryPolicy with(Duration value) {
            return set.apply(RetryPolicy.builder(), value).build();
        }

        Duration fallback() {
            return get.apply(RetryPolicy.DEFAULT);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Option> durations() {
        return Stream.of(
                new Option("normalCeiling", RetryPolicy.Builder::normalCeiling, RetryPolicy::normalCeiling),
                new Option("extendedInitial", RetryPolicy.Builder::extendedInitial, RetryPolicy::extendedInitial),
                new Option("extendedCeiling", RetryPolicy.Builder::extendedCeiling, RetryPolicy::extendedCeiling),
                new Option("healthyReset", RetryPolicy.Builder::healthyReset, RetryPolicy::healthyReset),
                new Option("retryAfterCap", RetryPolicy.Builder::retryAfterCap, RetryPolicy::retryAfterCap));
    }

    static Stream<Arguments> senselessDurations() {
        return durations()
                .flatMap(option -> Stream.of(
                                null, Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))
                        .map(value -> arguments(option, value)));
    }

    @ParameterizedTest
    @MethodSource("senselessDurations")
    void aSenselessDurationMeansTheDefaultAndOneWarning(Option option, Duration value) {
        try (WarningLog log = new WarningLog()) {
            RetryPolicy policy = option.with(value);
            assertEquals(RetryPolicy.DEFAULT, policy);
            log.assertOne(
                    option.name(), String.valueOf(value), option.fallback().toString());
        }
    }

    @ParameterizedTest
    @MethodSource("durations")
    void aSmallDurationIsKeptWithoutAWord(Option option) {
        Duration small = option.name().equals("retryAfterCap") ? Duration.ofSeconds(1) : Duration.ofNanos(1);
        try (WarningLog log = new WarningLog()) {
            assertEquals(small, option.get().apply(option.with(small)));
            log.assertNothing();
        }
    }

    @ParameterizedTest
    @MethodSource("durations")
    void anAbsurdDurationIsNoError(Option option) {
        Duration expected = option.name().equals("retryAfterCap") ? Duration.ofSeconds(2_147_483_647L) : ABSURD;
        try (WarningLog log = new WarningLog()) {
            assertEquals(expected, option.get().apply(option.with(ABSURD)));
            log.assertNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void fewerThanOneGoodPollMeansTheDefault(int goodPolls) {
        try (WarningLog log = new WarningLog()) {
            assertEquals(
                    RetryPolicy.DEFAULT,
                    RetryPolicy.builder().goodPolls(goodPolls).build());
            log.assertOne("goodPolls", Integer.toString(goodPolls), "2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, Integer.MAX_VALUE})
    void anyNumberOfGoodPollsIsKept(int goodPolls) {
        try (WarningLog log = new WarningLog()) {
            assertEquals(
                    goodPolls,
                    RetryPolicy.builder().goodPolls(goodPolls).build().goodPolls());
            log.assertNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {-Double.MIN_VALUE, 0.500000001, 1, Double.NaN, Double.NEGATIVE_INFINITY, 1e300})
    void aRatioOutsideItsRangeMeansTheDefault(double ratio) {
        try (WarningLog log = new WarningLog()) {
            assertEquals(
                    RetryPolicy.DEFAULT,
                    RetryPolicy.builder().jitterRatio(ratio).build());
            log.assertOne("jitterRatio", Double.toString(ratio), "0.5");
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, Double.MIN_VALUE, 0.25, 0.5})
    void aRatioInsideItsRangeIsKept(double ratio) {
        try (WarningLog log = new WarningLog()) {
            assertEquals(ratio, RetryPolicy.builder().jitterRatio(ratio).build().jitterRatio());
            log.assertNothing();
        }
    }

    // R30
    @ParameterizedTest
    @ValueSource(longs = {1, 999_999_999})
    void aCapBelowASecondIsASecond(long nanos) {
        assertEquals(
                Duration.ofSeconds(1),
                RetryPolicy.builder()
                        .retryAfterCap(Duration.ofNanos(nanos))
                        .build()
                        .retryAfterCap());
    }

    @Test
    void aCapWithinItsRangeIsKept() {
        for (Duration cap : List.of(
                Duration.ofSeconds(1),
                Duration.ofSeconds(1, 1),
                Duration.ofHours(2),
                Duration.ofSeconds(2_147_483_647L))) {
            assertEquals(cap, RetryPolicy.builder().retryAfterCap(cap).build().retryAfterCap());
        }
    }

    static Stream<Duration> senseless() {
        return Stream.of(null, Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE));
    }

    @ParameterizedTest
    @MethodSource("senseless")
    void aSenselessInitialDelayMeansTheDefault(Duration value) {
        try (WarningLog log = new WarningLog()) {
            RetryState state = RetryState.forStreaming(RetryPolicy.DEFAULT, value, () -> 0);
            log.assertOne("initialDelay", String.valueOf(value), "PT1S");
            assertEquals(Duration.ofSeconds(1), state.recordFailure(Failure.network("cut"), 0));
        }
    }

    @ParameterizedTest
    @MethodSource("senseless")
    void aSenselessPollIntervalMeansTheDefault(Duration value) {
        try (WarningLog log = new WarningLog()) {
            RetryState state = RetryState.forPolling(RetryPolicy.DEFAULT, value, () -> 0);
            log.assertOne("pollInterval", String.valueOf(value), "PT30S");
            assertEquals(Duration.ofSeconds(30), state.recordSuccess(0));
        }
    }

    @Test
    void severalSenselessOptionsAreOneWarningEach() {
        try (WarningLog log = new WarningLog()) {
            RetryPolicy policy = new RetryPolicy(null, null, null, null, 0, -1, null);
            assertEquals(RetryPolicy.DEFAULT, policy);
            List<LogRecord> records = log.records();
            assertEquals(7, records.size());
            assertTrue(records.stream().allMatch(record -> record.getLevel().equals(Level.WARNING)));
        }
    }
}
