package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpDateTest {
    private static final Instant NOW = Instant.parse("2026-01-02T07:00:00Z");
    private static final OptionalLong MALFORMED = OptionalLong.empty();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Sun, 06 Nov 1994 08:49:37 GMT  | 1994-11-06T08:49:37Z",
                "Sunday, 06-Nov-94 08:49:37 GMT | 1994-11-06T08:49:37Z",
                "Sun Nov  6 08:49:37 1994       | 1994-11-06T08:49:37Z",
                "Sun Nov 06 08:49:37 1994       | 1994-11-06T08:49:37Z",
                "Thu, 01 Jan 1970 00:00:00 GMT  | 1970-01-01T00:00:00Z",
                "Wed, 31 Dec 1969 23:59:59 GMT  | 1969-12-31T23:59:59Z",
                "Fri, 31 Dec 9999 23:59:59 GMT  | 9999-12-31T23:59:59Z",
                "Sat, 01 Jan 0000 00:00:00 GMT  | 0000-01-01T00:00:00Z",
                "Tue, 29 Feb 2000 12:00:00 GMT  | 2000-02-29T12:00:00Z",
                "Thu, 31 Dec 2026 23:59:60 GMT  | 2027-01-01T00:00:00Z"
            })
    void dates(String text, Instant expected) {
        assertEquals(OptionalLong.of(expected.getEpochSecond()), HttpDate.parse(text, NOW));
    }

    // R23: a byte that is not as it should be, wherever it is
    @ParameterizedTest
    @EnumSource
    void noCharacterMayBeAnother(DateForm form) {
        String date = form.write(LocalDateTime.of(2026, 10, 12, 13, 14, 15));
        for (int i = 0; i < date.length(); i++) {
            for (char other : new char[] {'_', '\u0661', (char) (date.charAt(i) ^ 0x20)}) {
                String broken = date.substring(0, i) + other + date.substring(i + 1);
                if (!broken.equals(date)) {
                    assertEquals(MALFORMED, HttpDate.parse(broken, NOW), broken);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void noCharacterMayBeMissingOrTooMany(DateForm form) {
        String date = form.write(LocalDateTime.of(2026, 10, 12, 13, 14, 15));
        for (int i = 0; i <= date.length(); i++) {
            String longer = date.substring(0, i) + ' ' + date.substring(i);
            assertEquals(MALFORMED, HttpDate.parse(longer, NOW), longer);
        }
        for (int i = 0; i < date.length(); i++) {
            String shorter = date.substring(0, i) + date.substring(i + 1);
            assertEquals(MALFORMED, HttpDate.parse(shorter, NOW), shorter);
            String cut = date.substring(0, i);
            assertEquals(MALFORMED, HttpDate.parse(cut, NOW), cut);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                ",,,",
                "abc,",
                "abcd,",
                "Sunday,",
                "Fri, 02 Jan 2026",
                "Fri, 02 Jan 2026 07:00:05 UTC",
                "Fri, 02 Jan 2026 24:00:00 GMT",
                "Fri, 02 Jan 2026 07:60:00 GMT",
                "Fri, 02 Jan 2026 07:00:60 GMT",
                "Fri, 02 Jan 2026 23:58:60 GMT",
                "Fri, 02 Jan 2026 22:59:60 GMT",
                "Fri, 02 Jan 2026 23:59:61 GMT",
                "Fri, 00 Jan 2026 07:00:05 GMT",
                "Sun, 32 Jan 2026 07:00:05 GMT",
                "Fri, 31 Apr 2026 07:00:05 GMT",
                "Sun, 29 Feb 2026 07:00:05 GMT",
                "Mon, 29 Feb 2100 07:00:05 GMT",
                "Thu, 02 Jan 2026 07:00:05 GMT",
                "Fri, 02 Jan -026 07:00:05 GMT",
                "Friday, 02-Jan--1 07:00:05 GMT",
                "Fri Jan  0 07:00:05 2026",
                "Fri Jan   07:00:05 2026",
                "Friday Jan  2 07:00:05 2026",
                "Friday, 02-Jan-26 07:00:60 GMT",
                "Fridax, 02-Jan-26 07:00:05 GMT",
                "Fri,   02-Jan-26 07:00:05 GMT",
                "Friday, 02-Jax-26 07:00:05 GMT",
                "Friday, 0x-Jan-26 07:00:05 GMT",
                "Friday, 02-Jan-2x 07:00:05 GMT",
                "Friday, 31-Apr-26 07:00:05 GMT"
            })
    void malformed(String text) {
        assertEquals(MALFORMED, HttpDate.parse(text, NOW));
    }

    // R24
    @ParameterizedTest(name = "at {0}, {1} is {2}")
    @CsvSource({
        // exactly fifty years ahead is still ahead, a second more is past
        "2026-01-02T07:00:00Z,           02-Jan-76 07:00:00, 2076",
        "2026-01-02T07:00:00Z,           02-Jan-76 07:00:01, 1976",
        "2026-01-02T07:00:00.999999999Z, 02-Jan-76 07:00:00, 2076",
        "2026-01-02T07:00:00.999999999Z, 02-Jan-76 07:00:01, 1976",
        "2026-01-02T07:00:00Z,           02-Jan-76 06:59:59, 2076",
        "2026-01-02T07:00:00Z,           03-Jan-76 00:00:00, 1976",
        "2026-01-02T07:00:00Z,           01-Jan-76 23:59:59, 2076",
        "2026-01-02T07:00:00Z,           01-Feb-76 00:00:00, 1976",
        "2026-03-02T07:00:00Z,           28-Feb-76 23:59:59, 2076",
        "2026-01-02T07:00:00Z,           31-Dec-75 23:59:59, 2075",
        "2026-01-02T07:00:00Z,           01-Jan-77 00:00:00, 1977",
        // the other century is near
        "2099-12-31T23:59:50Z,           01-Jan-00 00:00:00, 2100",
        "2100-01-01T00:00:00Z,           31-Dec-99 23:59:59, 2099",
        "2049-12-31T23:59:59Z,           31-Dec-99 23:59:59, 2099",
        "2050-01-01T00:00:00Z,           01-Jan-00 00:00:00, 2100",
        "2049-12-31T23:59:59Z,           01-Jan-00 00:00:00, 2000",
        "2075-01-02T07:00:00Z,           02-Jan-26 07:00:00, 2026",
        "1999-12-31T23:59:59Z,           01-Jan-50 00:00:00, 1950",
        "1969-12-31T23:59:59Z,           31-Dec-19 23:59:59, 2019",
        "1969-12-31T23:59:59Z,           01-Jan-20 00:00:00, 1920",
        // fifty years after 29 February is the 28th
        "2028-02-29T12:00:00Z,           28-Feb-78 12:00:00, 2078",
        "2028-02-29T12:00:00Z,           28-Feb-78 12:00:01, 1978",
        "2028-02-29T12:00:00Z,           01-Mar-78 00:00:00, 1978",
        "2050-02-28T12:00:00Z,           28-Feb-00 12:00:00, 2100",
        // 29 February itself, in the one of two centuries that has it
        "2050-03-01T12:00:00Z,           29-Feb-96 00:00:00, 2096",
        "2340-06-01T12:00:00Z,           29-Feb-80 00:00:00, 2380",
        // a leap second counts as the second after it
        "2026-12-31T23:59:59Z,           31-Dec-76 23:59:60, 1976",
        "2027-01-01T00:00:00Z,           31-Dec-76 23:59:60, 2076",
        // far away
        "+12026-01-02T07:00:00Z,         02-Jan-76 07:00:00, 12076",
        "-0100-01-02T07:00:00Z,          02-Jan-50 07:00:00, -50",
        "-0100-01-02T07:00:00Z,          02-Jan-50 07:00:01, -150"
    })
    void twoDigitsMeanTheLatestYearThatIsNotMoreThanFiftyYearsAhead(Instant now, String dayAndTime, int year) {
        LocalDate day = LocalDate.of(
                year,
                1
                        + List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
                                .indexOf(dayAndTime.substring(3, 6)),
                Integer.parseInt(dayAndTime.substring(0, 2)));
        long second = Long.parseLong(dayAndTime.substring(10, 12)) * 3600
                + Long.parseLong(dayAndTime.substring(13, 15)) * 60
                + Long.parseLong(dayAndTime.substring(16));

        assertEquals(
                List.of(day.toEpochDay() * 86_400 + second),
                readings(dayAndTime + " GMT", now),
                "only one day's name fits");
    }

    /** What the date means under those of the seven day names that it accepts. */
    private static List<Long> readings(String dayAndTime, Instant now) {
        List<Long> readings = new ArrayList<>();
        for (String day : List.of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")) {
            HttpDate.parse(day + ", " + dayAndTime, now).ifPresent(readings::add);
        }
        return readings;
    }

    @Test
    void nowMayBeTheFirstMomentThereIs() {
        assertEquals(
                RetryAfter.MAX_SECONDS,
                RetryAfter.parseValue("Fri, 31 Dec 9999 23:59:59 GMT", Instant.MIN)
                        .orElseThrow());
        // its year is -1,000,000,000, so a leap year: 13 leap years follow, 12 go before
        long first = Instant.MIN.getEpochSecond();
        assertEquals(List.of(first), readings("01-Jan-00 00:00:00 GMT", Instant.MIN));
        assertEquals(List.of(first + (50 * 365 + 13) * 86_400L), readings("01-Jan-50 00:00:00 GMT", Instant.MIN));
        assertEquals(List.of(first - (50 * 365 + 12) * 86_400L + 1), readings("01-Jan-50 00:00:01 GMT", Instant.MIN));
    }

    @Test
    void nowMayBeTheLastMomentThereIs() {
        Instant now = Instant.MAX;
        assertEquals(
                0, RetryAfter.parseValue("Thu, 01 Jan 1970 00:00:00 GMT", now).orElseThrow());
        // its year is 1,000,000,000; one second later belongs to a year that Instant does not know
        long last = now.getEpochSecond();
        assertEquals(List.of(last), readings("31-Dec-00 23:59:59 GMT", now));
        assertEquals(List.of(last + 1), readings("01-Jan-01 00:00:00 GMT", now));
        assertEquals(
                List.of(LocalDateTime.of(999_999_951, 1, 1, 0, 0).toEpochSecond(ZoneOffset.UTC)),
                readings("01-Jan-51 00:00:00 GMT", now));
    }
}
