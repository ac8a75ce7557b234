package io.flagfeed.sdk.retry;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Seeds;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryStateTest {
    private static final Failure NORMAL = Failure.network("cut");
    private static final Failure UNEXPECTED = Failure.httpStatus(401, OptionalLong.empty());

    @SuppressWarnings("UnnecessaryLambda") // the tables read better with names
    private static final DoubleSupplier NO_JITTER = () -> 0;

    @SuppressWarnings("UnnecessaryLambda")
    private static final DoubleSupplier MOST_JITTER = () -> Math.nextDown(1.0);

    private static final Duration LONGEST = ofNanos(Long.MAX_VALUE);
    private static final long SECOND = 1_000_000_000L;

    // ---- the order of things in recordFailure (R6)

    @Test
    void aDueResetComesBeforeTheFailureIsClassified() {
        RetryState state = streaming(NO_JITTER);
        repeat(state, NORMAL, 5);
        state.recordSuccess(0);

        // after 300 s of health: had the reset come last, the extended ladder would be gone again
        assertEquals(seconds(300), state.recordFailure(UNEXPECTED, 300 * SECOND));
        assertTrue(state.extended());
        assertEquals(seconds(600), state.recordFailure(NORMAL, 300 * SECOND));
    }

    @Test
    void aFailureEndsTheHealthyStretch() {
        RetryState state = streaming(NO_JITTER);
        state.recordSuccess(0);
        assertEquals(seconds(1), state.recordFailure(NORMAL, 59 * SECOND));
        assertEquals(seconds(2), state.recordFailure(NORMAL, 61 * SECOND)); // 61 s after the success, but not healthy
        assertEquals(seconds(4), state.recordFailure(NORMAL, 200 * SECOND));
    }

    // ---- regimes (R10)

    @Test
    void theExtendedLadderIsSticky() {
        RetryState state = streaming(NO_JITTER);
        assertFalse(state.extended());
        assertEquals(seconds(1), state.recordFailure(NORMAL, 0));
        assertFalse(state.extended());
        assertEquals(seconds(300), state.recordFailure(UNEXPECTED, 0));
        assertTrue(state.extended());
        assertEquals(seconds(600), state.recordFailure(NORMAL, 0));
        assertTrue(state.extended());
        assertEquals(seconds(1200), state.recordFailure(UNEXPECTED, 0));
        assertTrue(state.extended());
    }

    @Test
    void enteringTheExtendedLadderAgainBeginsAtItsFoot() {
        RetryState state = streaming(NO_JITTER);
        repeat(state, UNEXPECTED, 4);
        state.recordSuccess(0);
        assertEquals(seconds(1), state.recordFailure(NORMAL, 60 * SECOND));
        assertEquals(seconds(300), state.recordFailure(UNEXPECTED, 60 * SECOND));
    }

    // ---- resets (R11 to R14)

    @ParameterizedTest
    @CsvSource({"59999999999, 8", "60000000000, 1", "60000000001, 1"})
    void aStreamIsHealthyAfterSixtySecondsInclusive(long nanos, long expectedSeconds) {
        RetryState state = streaming(NO_JITTER);
        repeat(state, NORMAL, 3);
        state.recordSuccess(0);
        assertEquals(seconds(expectedSeconds), state.recordFailure(NORMAL, nanos));
    }

    @Test
    void laterSuccessesDoNotMoveTheStartOfTheStretch() {
        RetryState state = streaming(NO_JITTER);
        repeat(state, NORMAL, 3);
        state.recordSuccess(0);
        state.recordSuccess(59 * SECOND);
        assertEquals(seconds(1), state.recordFailure(NORMAL, 60 * SECOND));
    }

    // R13: whoever notes the failure late gives the time when it happened
    @Test
    void healthIsMeasuredToTheTimeOfTheFailureAndNotOfItsRecording() {
        RetryState state = streaming(NO_JITTER);
        repeat(state, NORMAL, 3);
        state.recordSuccess(100 * SECOND);
        assertEquals(seconds(8), state.recordFailure(NORMAL, 110 * SECOND));
    }

    @Test
    void aSuccessLateEnoughResetsByItself() {
        RetryState state = streaming(NO_JITTER);
        repeat(state, UNEXPECTED, 3);
        state.recordSuccess(0);
        state.recordSuccess(60 * SECOND - 1);
        assertTrue(state.extended());
        state.recordSuccess(60 * SECOND);
        assertFalse(state.extended());
    }

    @Test
    void anyNumberOfMessagesInAShortTimeIsNoHealth() {
        RetryState state = streaming(NO_JITTER);
        repeat(state, NORMAL, 3);
        for (int i = 0; i < 1000; i++) {
            assertEquals(Duration.ZERO, state.recordSuccess(i));
        }
        assertEquals(seconds(8), state.recordFailure(NORMAL, SECOND));
    }

    @Test
    void theMonotonicClockMayRollOver() {
        RetryState state = streaming(NO_JITTER);
        repeat(state, NORMAL, 3);
        long start = Long.MAX_VALUE - 10 * SECOND;
        state.recordSuccess(start);
        assertEquals(seconds(8), state.recordFailure(NORMAL, start + 59 * SECOND));
        state.recordSuccess(start);
        assertEquals(seconds(1), state.recordFailure(NORMAL, start + 60 * SECOND));
    }

    @Test
    void pollingIsHealthyAfterEnoughSuccessesInARow() {
        RetryPolicy policy = RetryPolicy.builder().goodPolls(3).build();
        RetryState state = RetryState.forPolling(policy, seconds(30), NO_JITTER);
        repeat(state, UNEXPECTED, 2);
        state.recordSuccess(0);
        state.recordSuccess(0);
        assertEquals(seconds(1200), state.recordFailure(NORMAL, 0));
        state.recordSuccess(0);
        state.recordSuccess(0);
        assertTrue(state.extended());
        state.recordSuccess(0);
        assertFalse(state.extended());
        assertEquals(seconds(30), state.recordFailure(NORMAL, 0));
    }

    @Test
    void timeAloneIsNoHealthForPolling() {
        RetryState state = polling(seconds(30), NO_JITTER);
        state.recordFailure(UNEXPECTED, 0);
        state.recordSuccess(0);
        assertEquals(seconds(600), state.recordFailure(NORMAL, 1_000_000 * SECOND));
    }

    // R14
    @Test
    void aSuccessRestoresTheCadenceAtOnceThoughTheExtendedLadderStaysRaised() {
        RetryState polling = polling(seconds(7), NO_JITTER);
        assertEquals(seconds(300), polling.recordFailure(UNEXPECTED, 0));
        assertEquals(seconds(7), polling.recordSuccess(0));
        assertTrue(polling.extended());

        RetryState streaming = streaming(NO_JITTER);
        assertEquals(seconds(300), streaming.recordFailure(UNEXPECTED, 0));
        assertEquals(Duration.ZERO, streaming.recordSuccess(0));
        assertTrue(streaming.extended());
    }

    // ---- saturation (R7)

    @Test
    void fiveThousandFailuresStayAtTheCeiling() {
        RetryState normal = streaming(NO_JITTER);
        RetryState extended = streaming(NO_JITTER);
        repeat(normal, NORMAL, 5);
        repeat(extended, UNEXPECTED, 4);
        for (int i = 0; i < 5000; i++) {
            assertEquals(seconds(30), normal.recordFailure(NORMAL, 0));
            assertEquals(seconds(3600), extended.recordFailure(UNEXPECTED, 0));
        }
    }

    // 2^31 real failures would take a minute: the counter is set close to its end instead
    @Test
    void theCounterOfAttemptsSaturates() throws ReflectiveOperationException {
        RetryState state = streaming(NO_JITTER);
        Field attempts = RetryState.class.getDeclaredField("attempts");
        attempts.setAccessible(true);
        attempts.setInt(state, Integer.MAX_VALUE - 2);
        for (int i = 0; i < 5; i++) {
            assertEquals(seconds(30), state.recordFailure(NORMAL, 0));
        }
        assertEquals(Integer.MAX_VALUE, attempts.getInt(state));
    }

    @Test
    void aLadderFromOneNanosecondReachesItsCeiling() {
        RetryState state = RetryState.forStreaming(RetryPolicy.DEFAULT, ofNanos(1), NO_JITTER);
        for (int i = 0; i < 35; i++) {
            assertEquals(ofNanos(1L << i), state.recordFailure(NORMAL, 0));
        }
        assertEquals(seconds(30), state.recordFailure(NORMAL, 0));
        assertEquals(seconds(30), state.recordFailure(NORMAL, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "7, 10, 7 10 10",
        "7, 13, 7 13 13",
        "7, 14, 7 14 14",
        "7, 15, 7 14 15",
        "7, 27, 7 14 27",
        "7, 28, 7 14 28"
    })
    void theLastStepIsCutToTheCeiling(long initial, long ceiling, String expected) {
        RetryPolicy policy =
                RetryPolicy.builder().normalCeiling(ofNanos(ceiling)).build();
        RetryState state = RetryState.forStreaming(policy, ofNanos(initial), NO_JITTER);
        List<Duration> waits = Arrays.stream(expected.split(" "))
                .map(nanos -> ofNanos(Long.parseLong(nanos)))
                .toList();
        assertEquals(waits, repeat(state, NORMAL, 3));
    }

    @Test
    void aLadderWithoutEndStopsAtTheLongestSpanThereIs() {
        RetryPolicy policy = RetryPolicy.builder()
                .normalCeiling(seconds(Long.MAX_VALUE))
                .extendedInitial(Duration.ofDays(365_000_000))
                .extendedCeiling(seconds(Long.MAX_VALUE))
                .healthyReset(seconds(Long.MAX_VALUE))
                .build();
        RetryState state = RetryState.forStreaming(policy, seconds(1), NO_JITTER);
        for (int i = 0; i < 34; i++) {
            assertEquals(seconds(1L << i), state.recordFailure(NORMAL, 0));
        }
        assertEquals(LONGEST, state.recordFailure(NORMAL, 0));
        assertEquals(LONGEST, state.recordFailure(NORMAL, 0));
        assertEquals(LONGEST, state.recordFailure(UNEXPECTED, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2562047788015215H30M7S", "PT8760000000H"})
    void anAbsurdBaseIsNoError(Duration absurd) {
        assertEquals(
                LONGEST,
                RetryState.forStreaming(RetryPolicy.DEFAULT, absurd, NO_JITTER).recordFailure(NORMAL, 0));
        assertEquals(LONGEST, polling(absurd, NO_JITTER).recordFailure(UNEXPECTED, 0));
        assertEquals(LONGEST, polling(absurd, MOST_JITTER).recordSuccess(0));
    }

    // ---- jitter (R8)

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void tinyStepsBearJitter(long step) {
        RetryPolicy policy = RetryPolicy.builder().normalCeiling(ofNanos(step)).build();
        for (double chance : new double[] {0, 0.5, 0.999, Math.nextDown(1.0)}) {
            RetryState state = RetryState.forStreaming(policy, ofNanos(step), () -> chance);
            long wait = state.recordFailure(NORMAL, 0).toNanos();
            assertTrue(wait <= step && 2 * wait > step, wait + " ns of " + step + " at " + chance);
        }
    }

    @ParameterizedTest
    @CsvSource({"PT1.024S, PT1H", "PT1S, PT1H", "PT0.001S, PT1H", "PT30S, PT30S", "PT2H, PT1S"})
    void tenThousandDrawsSpreadOverTheUpperHalf(Duration initial, Duration ceiling) {
        RetryPolicy policy = RetryPolicy.builder().normalCeiling(ceiling).build();
        RandomGenerator random = Seeds.random(2026);
        long[] waits = LongStream.generate(() -> RetryState.forStreaming(policy, initial, random::nextDouble)
                        .recordFailure(NORMAL, 0)
                        .toNanos())
                .limit(10_000)
                .toArray();

        double step = initial.toNanos();
        int[] tenths = new int[10];
        for (long wait : waits) {
            assertTrue(wait > step / 2 && wait <= step, wait + " ns of " + step);
            tenths[Math.min((int) ((wait - step / 2) / (step / 20)), 9)]++;
        }
        // a thousand each on average, 30 being the standard deviation
        assertTrue(IntStream.of(tenths).allMatch(n -> n > 850 && n < 1150), () -> Arrays.toString(tenths));
    }

    @Test
    void halfChanceTakesAQuarterOff() {
        assertEquals(ofMillis(750), streaming(() -> 0.5).recordFailure(NORMAL, 0));
        assertEquals(seconds(225), streaming(() -> 0.5).recordFailure(UNEXPECTED, 0));
    }

    @Test
    void theRatioSaysHowMuchChanceMayTakeOff() {
        RetryPolicy none = RetryPolicy.builder().jitterRatio(0).build();
        RetryPolicy tenth = RetryPolicy.builder().jitterRatio(0.1).build();
        assertEquals(
                seconds(1),
                RetryState.forStreaming(none, seconds(1), MOST_JITTER).recordFailure(NORMAL, 0));
        VectorsTest.assertNear(
                List.of(ofMillis(900)),
                List.of(RetryState.forStreaming(tenth, seconds(1), MOST_JITTER).recordFailure(NORMAL, 0)));
    }

    @Test
    void aRandomSourceThatBreaksItsPromiseBreaksNothing() {
        DoubleStream.of(-1, 1, 2, 1e300, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY)
                .forEach(chance -> {
                    Duration wait = streaming(() -> chance).recordFailure(NORMAL, 0);
                    assertTrue(
                            wait.compareTo(ofMillis(500)) > 0 && wait.compareTo(seconds(1)) <= 0, chance + ": " + wait);
                });
    }

    // R9
    @Test
    void polledInStepWhateverChanceSays() {
        RetryState state = polling(seconds(30), MOST_JITTER);
        assertEquals(seconds(30), state.recordFailure(NORMAL, 0));
        assertEquals(seconds(30), state.recordFailure(NORMAL, 0));
        assertEquals(seconds(30), state.recordSuccess(0));
    }

    @Test
    void instancesWithSourcesOfTheirOwnDiffer() {
        RetryState one = streaming(Seeds.random(1)::nextDouble);
        RetryState other = streaming(Seeds.random(2)::nextDouble);
        assertNotEquals(repeat(one, NORMAL, 3), repeat(other, NORMAL, 3));
    }

    // ---- bounds give way to what was configured (R2)

    @Test
    void whatWasConfiguredIsNeverCut() {
        RetryPolicy tight = RetryPolicy.builder()
                .normalCeiling(seconds(1))
                .extendedInitial(seconds(2))
                .extendedCeiling(seconds(3))
                .build();
        RetryState streaming = RetryState.forStreaming(tight, seconds(10), NO_JITTER);
        assertEquals(List.of(seconds(10), seconds(10)), repeat(streaming, NORMAL, 2));
        assertEquals(List.of(seconds(10), seconds(10)), repeat(streaming, UNEXPECTED, 2));

        RetryState polling = RetryState.forPolling(tight, seconds(10), NO_JITTER);
        assertEquals(List.of(seconds(10), seconds(10)), repeat(polling, NORMAL, 2));
        assertEquals(List.of(seconds(10), seconds(10)), repeat(polling, UNEXPECTED, 2));
    }

    @Test
    void anExtendedCeilingBelowItsInitialIsRaisedToIt() {
        RetryPolicy policy = RetryPolicy.builder()
                .extendedInitial(seconds(400))
                .extendedCeiling(seconds(3))
                .build();
        RetryState state = RetryState.forStreaming(policy, seconds(1), NO_JITTER);
        assertEquals(List.of(seconds(400), seconds(400)), repeat(state, UNEXPECTED, 2));
    }

    // ---- Retry-After (R30 to R33)

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "1, 1",
        "2, 2",
        "59, 59",
        "60, 60",
        "61, 60",
        "2147483647, 60",
        "9223372036854775807, 60",
        "-5, 1"
    })
    void theServersWishIsAFloorUpToTheCap(long asked, long expected) {
        assertEquals(seconds(expected), streaming(NO_JITTER).recordFailure(asking(asked), 0));
    }

    @Test
    void theServersWishIsNeitherJitteredNorRemembered() {
        RetryState state = streaming(MOST_JITTER);
        assertEquals(seconds(10), state.recordFailure(asking(10), 0));
        VectorsTest.assertNear(
                List.of(seconds(1), seconds(2)), repeat(state, NORMAL, 2)); // second and third step of the ladder
    }

    @Test
    void theServersWishLeavesTheRegimeAlone() {
        RetryState state = streaming(NO_JITTER);
        state.recordFailure(asking(60), 0);
        assertFalse(state.extended());
    }

    @Test
    void anUncappedWishIsHonouredInFull() {
        RetryPolicy policy =
                RetryPolicy.builder().retryAfterCap(seconds(Long.MAX_VALUE)).build();
        RetryState state = RetryState.forStreaming(policy, seconds(1), NO_JITTER);
        assertEquals(seconds(2_147_483_647L), state.recordFailure(asking(2_147_483_647L), 0));
        assertEquals(seconds(2_147_483_647L), state.recordFailure(asking(Long.MAX_VALUE), 0));
    }

    @Test
    void attemptsCountOnTheCurrentLadder() {
        RetryState state = streaming(NO_JITTER);
        assertEquals(0, state.attempts());
        state.recordFailure(NORMAL, 0);
        state.recordFailure(NORMAL, 0);
        assertEquals(2, state.attempts());
        state.recordFailure(UNEXPECTED, 0);
        assertEquals(1, state.attempts()); // the extended one is another ladder
        state.recordFailure(NORMAL, 0);
        assertEquals(2, state.attempts());
        state.recordSuccess(0);
        assertEquals(2, state.attempts());
        state.recordSuccess(seconds(60).toNanos());
        assertEquals(0, state.attempts());
    }

    @Test
    void aRandomSourceThatThrowsCostsTheJitterOnly() {
        RetryState state = RetryState.forStreaming(RetryPolicy.DEFAULT, seconds(1), () -> {
            throw new IllegalStateException("on purpose");
        });
        assertEquals(List.of(seconds(1), seconds(2), seconds(4)), repeat(state, NORMAL, 3));
    }

    @Test
    void anErrorOfItCostsNoMore() {
        RetryState state = RetryState.forStreaming(RetryPolicy.DEFAULT, seconds(1), () -> {
            throw new NoClassDefFoundError("on purpose");
        });
        assertEquals(List.of(seconds(1), seconds(2), seconds(4)), repeat(state, NORMAL, 3));
    }

    // ---- the stream's own retry: field (R42)

    @ParameterizedTest
    @CsvSource({
        "0, 1000",
        "500, 1000",
        "1000, 1000",
        "1001, 1001",
        "5000, 5000",
        "30000, 30000",
        "30001, 30000",
        "9223372036854, 30000",
        "9223372036855, 30000",
        "9223372036854775807, 30000",
        "-1, 1000",
        "-9223372036855, 1000", // in nanoseconds it would wrap round to something large
        "-9223372036854775808, 1000"
    })
    void theStreamMayLengthenTheFirstWaitUpToTheCeilingAndNeverShortenIt(long millis, long expected) {
        RetryState state = streaming(NO_JITTER);
        state.recordReconnectionTime(millis);
        assertEquals(ofMillis(expected), state.recordFailure(NORMAL, 0));
    }

    @ParameterizedTest
    @CsvSource({
        "9223372036854, 9223372036854000000",
        "9223372036855, 9223372036854775807",
        "9223372036854775807, 9223372036854775807"
    })
    void theStreamsWishSaturates(long millis, long expectedNanos) {
        RetryPolicy policy =
                RetryPolicy.builder().normalCeiling(seconds(Long.MAX_VALUE)).build();
        RetryState state = RetryState.forStreaming(policy, seconds(1), NO_JITTER);
        state.recordReconnectionTime(millis);
        assertEquals(ofNanos(expectedNanos), state.recordFailure(NORMAL, 0));
    }

    @Test
    void theStreamsWishStaysUntilItsNext() {
        RetryState state = streaming(NO_JITTER);
        state.recordReconnectionTime(3000);
        assertEquals(List.of(seconds(3), seconds(6)), repeat(state, NORMAL, 2));
        state.recordSuccess(0);
        assertEquals(seconds(3), state.recordFailure(NORMAL, 60 * SECOND)); // a reset does not forget it
        state.recordReconnectionTime(0);
        assertEquals(seconds(2), state.recordFailure(NORMAL, 60 * SECOND)); // attempts go on counting
    }

    @Test
    void theExtendedLadderDoesNotKnowTheStreamsWish() {
        RetryState state = streaming(NO_JITTER);
        state.recordReconnectionTime(20_000);
        assertEquals(List.of(seconds(300), seconds(600)), repeat(state, UNEXPECTED, 2));
    }

    @Test
    void pollingIgnoresTheStreamsWish() {
        RetryState state = polling(seconds(30), NO_JITTER);
        state.recordReconnectionTime(3_600_000);
        assertEquals(seconds(30), state.recordFailure(NORMAL, 0));
        assertEquals(seconds(30), state.recordSuccess(0));
    }

    // ---- arguments

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> RetryState.forStreaming(null, seconds(1), NO_JITTER));
        assertThrows(NullPointerException.class, () -> RetryState.forPolling(null, ofHours(1), NO_JITTER));
        assertThrows(NullPointerException.class, () -> streaming(null));
        assertThrows(NullPointerException.class, () -> polling(seconds(1), null));
        assertThrows(NullPointerException.class, () -> streaming(NO_JITTER).recordFailure(null, 0));
    }

    /** In one unit all through, so that ladders can be read. */
    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static RetryState streaming(DoubleSupplier random) {
        return RetryState.forStreaming(RetryPolicy.DEFAULT, seconds(1), random);
    }

    private static RetryState polling(Duration interval, DoubleSupplier random) {
        return RetryState.forPolling(RetryPolicy.DEFAULT, interval, random);
    }

    private static Failure asking(long seconds) {
        return Failure.httpStatus(503, OptionalLong.of(seconds));
    }

    /** The same failure again and again, all at time 0. */
    private static List<Duration> repeat(RetryState state, Failure failure, int times) {
        List<Duration> waits = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            waits.add(state.recordFailure(failure, 0));
        }
        return waits;
    }
}
