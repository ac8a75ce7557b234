package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the vectors do not show. */
class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-01-02T07:00:00Z");
    private static final OptionalLong ABSENT = OptionalLong.empty();

    @Test
    void noLineMeansAbsent() {
        assertEquals(ABSENT, RetryAfter.parse(List.of(), NOW));
    }

    // R18
    @ParameterizedTest
    @CsvSource({
        "7, 9, 9",
        "9, 7, 9",
        "x, 7, 7",
        "7, x, 7",
        "0, x, 0",
        "x, y, -1",
        "7, 'Fri, 02 Jan 2026 07:00:08 GMT', 8"
    })
    void theLargestValidLineCounts(String first, String second, long expected) {
        assertEquals(expected, RetryAfter.parse(List.of(first, second), NOW).orElse(-1));
    }

    // R19
    @ParameterizedTest
    @ValueSource(strings = {" 30", "30 ", "\t30", "30\t", " \t 30 \t ", "30"})
    void aLineMayHaveSpacesAndTabsAroundItsValueAndTheValueNone(String line) {
        assertEquals(OptionalLong.of(30), RetryAfter.parse(List.of(line), NOW));
        assertEquals(line.equals("30") ? OptionalLong.of(30) : ABSENT, RetryAfter.parseValue(line, NOW));
    }

    // R19, R20
    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "\t", " \t ", "3 0", "30\n", "\r30", "\u00a030", "30\u3000", "\u200b30", "\ufeff30", "+5",
                        "-0",
                "5.0", "5e0", "0x5", "1_000", "\u0665", "\uff15", "\u00b2", "5\u0665", "\ud835\udfce", "5/", "5:", "/",
                        ":"
            })
    void whatIsNotDigitsOrADateIsAbsent(String line) {
        assertEquals(ABSENT, RetryAfter.parse(List.of(line), NOW));
        assertEquals(ABSENT, RetryAfter.parseValue(line, NOW));
    }

    // R21
    @ParameterizedTest
    @CsvSource({
        "2147483646, 2147483646",
        "2147483647, 2147483647",
        "2147483648, 2147483647",
        "4294967295, 2147483647",
        "4294967296, 2147483647",
        "9223372036854775807, 2147483647",
        "9223372036854775808, 2147483647",
        "18446744073709551621, 2147483647"
    })
    void longerThanCanBeSaidIsCutRatherThanRefused(String value, long expected) {
        assertEquals(expected, RetryAfter.parseValue(value, NOW).orElseThrow());
    }

    @Test
    void theLongestResultFitsIntoNanoseconds() {
        assertEquals(
                2_147_483_647_000_000_000L,
                Duration.ofSeconds(RetryAfter.MAX_SECONDS).toNanos());
    }

    // R26, R27
    @ParameterizedTest
    @CsvSource({
        "0, 5",
        "1, 5",
        "999999999, 5",
        "1000000000, 4",
        "4000000000, 1",
        "4000000001, 1",
        "4999999999, 1",
        "5000000000, 0",
        "5000000001, 0",
        "3600000000000, 0"
    })
    void theDistanceToADateIsRoundedUpAndNeverNegative(long nanosPastNow, long expected) {
        String date = "Fri, 02 Jan 2026 07:00:05 GMT";
        assertEquals(
                expected,
                RetryAfter.parseValue(date, NOW.plusNanos(nanosPastNow)).orElseThrow());
    }

    // before the epoch, a fraction of a second counts forwards too
    @Test
    void theDistanceIsRoundedUpBeforeTheEpochToo() {
        Instant now = Instant.parse("1960-01-01T00:00:00.250Z");
        assertEquals(
                5, RetryAfter.parseValue("Fri, 01 Jan 1960 00:00:05 GMT", now).orElseThrow());
        assertEquals(
                0, RetryAfter.parseValue("Fri, 01 Jan 1960 00:00:00 GMT", now).orElseThrow());
    }

    @Test
    void aNullIsAnErrorOfTheCaller() {
        assertThrows(NullPointerException.class, () -> RetryAfter.parse(null, NOW));
        assertThrows(NullPointerException.class, () -> RetryAfter.parse(Arrays.asList("5", null), NOW));
        assertThrows(NullPointerException.class, () -> RetryAfter.parseValue(null, NOW));
    }
}
