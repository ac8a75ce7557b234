package io.flagfeed.sdk.retry;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.OptionalLong;

/**
 * Reads the three forms of an HTTP-date (RFC 9110, section 5.6.7), to the letter (R22 to R25).
 *
 * <p>Not a {@link java.time.format.DateTimeFormatter}: those depend on locale data or accept what the grammar forbids.
 */
final class HttpDate {
    private static final List<String> DAYS =
            List.of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday");
    private static final List<String> MONTHS =
            List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");
    private static final int SECONDS_PER_DAY = 86_400;

    // The Gregorian calendar repeats every 400 years, weekdays included. Counting in such cycles lets every Instant
    // be now, those outside the range of LocalDate too.
    private static final int CYCLE_YEARS = 400;
    private static final int CYCLE_DAYS = 146_097;

    private final String text;

    private HttpDate(String text) {
        this.text = text;
    }

    /** Seconds since the epoch, or empty if the text is not an HTTP-date. {@code now} decides two-digit years only. */
    static OptionalLong parse(String text, Instant now) {
        HttpDate date = new HttpDate(text);
        int comma = text.indexOf(',');
        if (comma == 3) {
            return date.imfFixdate();
        }
        return comma < 0 ? date.asctime() : date.rfc850(comma, now);
    }

    /** {@code Sun, 06 Nov 1994 08:49:37 GMT} */
    private OptionalLong imfFixdate() {
        if (text.length() != 29 || !at(3, ", ") || !at(7, " ") || !at(11, " ") || !at(16, " ") || !at(25, " GMT")) {
            return OptionalLong.empty();
        }
        return resolveFourDigits(number(12, 16), month(8), number(5, 7), secondOfDay(17));
    }

    /** {@code Sun Nov  6 08:49:37 1994} */
    private OptionalLong asctime() {
        if (text.length() != 24 || !at(3, " ") || !at(7, " ") || !at(10, " ") || !at(19, " ")) {
            return OptionalLong.empty();
        }
        int day = at(8, " ") ? number(9, 10) : number(8, 10);
        return resolveFourDigits(number(20, 24), month(4), day, secondOfDay(11));
    }

    /** {@code Sunday, 06-Nov-94 08:49:37 GMT} */
    private OptionalLong rfc850(int comma, Instant now) {
        if (text.length() != comma + 24
                || !at(comma, ", ")
                || !at(comma + 4, "-")
                || !at(comma + 8, "-")
                || !at(comma + 11, " ")
                || !at(comma + 20, " GMT")) {
            return OptionalLong.empty();
        }
        int twoDigits = number(comma + 9, comma + 11);
        int month = month(comma + 5);
        int day = number(comma + 2, comma + 4);
        int second = secondOfDay(comma + 12);
        if (twoDigits < 0 || month < 0 || day < 0 || second < 0) {
            return OptionalLong.empty();
        }
        long year = centuryOf(twoDigits, month, day, second, now);
        return resolve(year, month, day, second, DAYS.indexOf(text.substring(0, comma)));
    }

    /** The latest year with these digits that puts the date no more than 50 calendar years after now (R24). */
    private static long centuryOf(int twoDigits, int month, int day, int second, Instant now) {
        long nowDay = Math.floorDiv(now.getEpochSecond(), (long) SECONDS_PER_DAY);
        LocalDate inCycle = LocalDate.ofEpochDay(Math.floorMod(nowDay, (long) CYCLE_DAYS));
        long limitYear = inCycle.getYear() + CYCLE_YEARS * Math.floorDiv(nowDay, (long) CYCLE_DAYS) + 50;
        // 50 years after 29 February there is no such day: the limit is the 28th, as LocalDate.plusYears has it
        int limitDay = inCycle.plusYears(50).getDayOfMonth();
        long nowSecond = Math.floorMod(now.getEpochSecond(), (long) SECONDS_PER_DAY);

        long year = limitYear - Math.floorMod(limitYear - twoDigits, 100L);
        boolean beyond =
                year == limitYear && compare(month, day, second, inCycle.getMonthValue(), limitDay, nowSecond) > 0;
        return beyond ? year - 100 : year;
    }

    private static int compare(int month, int day, int second, int month2, int day2, long second2) {
        if (month != month2) {
            return Integer.compare(month, month2);
        }
        return day != day2 ? Integer.compare(day, day2) : Long.compare(second, second2);
    }

    private OptionalLong resolveFourDigits(int year, int month, int day, int secondOfDay) {
        return year < 0 ? OptionalLong.empty() : resolve(year, month, day, secondOfDay, shortDay());
    }

    /** Checks that the parts (negative where malformed) make a date and that the date falls on the named day. */
    private static OptionalLong resolve(long year, int month, int day, int secondOfDay, int dayOfWeek) {
        if (month < 0 || day < 1 || secondOfDay < 0 || dayOfWeek < 0) {
            return OptionalLong.empty();
        }
        int yearInCycle = (int) Math.floorMod(year, (long) CYCLE_YEARS);
        LocalDate first = LocalDate.of(yearInCycle, month, 1);
        if (day > first.lengthOfMonth()) {
            return OptionalLong.empty();
        }
        long epochDay = first.toEpochDay() + day - 1 + CYCLE_DAYS * Math.floorDiv(year, (long) CYCLE_YEARS);
        // the epoch was a Thursday, the fourth day of DAYS
        if (Math.floorMod(epochDay + 3, 7L) != dayOfWeek) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(epochDay * SECONDS_PER_DAY + secondOfDay);
    }

    private int shortDay() {
        for (int i = 0; i < DAYS.size(); i++) {
            if (text.startsWith(DAYS.get(i).substring(0, 3))) {
                return i;
            }
        }
        return -1;
    }

    private int month(int start) {
        int index = MONTHS.indexOf(text.substring(start, start + 3));
        return index < 0 ? -1 : index + 1;
    }

    /** {@code hh:mm:ss}; a leap second reads as the second after it, midnight of the next day (R25). */
    private int secondOfDay(int start) {
        int hour = number(start, start + 2);
        int minute = number(start + 3, start + 5);
        int second = number(start + 6, start + 8);
        if (!at(start + 2, ":") || !at(start + 5, ":") || hour < 0 || minute < 0 || second < 0) {
            return -1;
        }
        boolean leapSecond = hour == 23 && minute == 59 && second == 60;
        if (hour > 23 || minute > 59 || (second > 59 && !leapSecond)) {
            return -1;
        }
        return (hour * 60 + minute) * 60 + second;
    }

    private int number(int start, int end) {
        int number = 0;
        for (int i = start; i < end; i++) {
            if (!RetryAfter.isDigit(text.charAt(i))) {
                return -1;
            }
            number = 10 * number + (text.charAt(i) - '0');
        }
        return number;
    }

    private boolean at(int start, String expected) {
        return text.startsWith(expected, start);
    }
}
