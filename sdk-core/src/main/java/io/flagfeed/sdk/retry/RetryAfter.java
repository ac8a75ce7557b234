package io.flagfeed.sdk.retry;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * Reads the HTTP field {@code Retry-After} (RFC 9110, section 10.2.3): a number of seconds or a date, as a number of
 * seconds from now.
 *
 * <p>Reading is strict, never throws, takes time linear in the length of the value, and depends on no locale or zone.
 * What is malformed counts as absent: the caller falls back to its own backoff, never to an immediate retry (R28). No
 * policy is applied here, so the result may be as long as 68 years: see {@link RetryPolicy#retryAfterCap()}.
 */
public final class RetryAfter {
    /** The largest result; anything longer is cut to it rather than refused (R21). */
    public static final long MAX_SECONDS = 2_147_483_647L;

    private RetryAfter() {}

    /**
     * The largest valid value among the lines of a response's field (R18), each without the spaces and tabs around it
     * (R19). Not a list field: a comma never separates values.
     *
     * @param fieldLines the values of all lines named {@code Retry-After}, as received
     * @param now the time on the wall, which dates are measured from
     * @return whole seconds, 0 to {@link #MAX_SECONDS}, rounded up; empty if there is no valid value
     */
    public static OptionalLong parse(List<String> fieldLines, Instant now) {
        long longest = -1;
        for (String line : fieldLines) {
            longest = Math.max(longest, parseValue(trim(line), now).orElse(-1));
        }
        return longest < 0 ? OptionalLong.empty() : OptionalLong.of(longest);
    }

    /**
     * One value, with nothing around it.
     *
     * @param value delay-seconds or one of the three forms of an HTTP-date (R20, R22)
     * @param now the time on the wall, which a date is measured from
     * @return whole seconds, 0 to {@link #MAX_SECONDS}, rounded up; 0 for a date that has passed (R27); empty if
     *     malformed
     */
    public static OptionalLong parseValue(String value, Instant now) {
        if (!value.isEmpty() && isDigit(value.charAt(0))) {
            return seconds(value);
        }
        OptionalLong date = HttpDate.parse(value, now);
        if (date.isEmpty()) {
            return date;
        }
        // A date has whole seconds, so leaving out the fraction of now is rounding up (R26).
        long distance = date.getAsLong() - now.getEpochSecond();
        return OptionalLong.of(Math.min(Math.max(distance, 0), MAX_SECONDS));
    }

    private static OptionalLong seconds(String value) {
        long seconds = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (!isDigit(c)) {
                return OptionalLong.empty();
            }
            seconds = Math.min(seconds * 10 + (c - '0'), MAX_SECONDS);
        }
        return OptionalLong.of(seconds);
    }

    /** ASCII only: Character.isDigit and Long.parseLong take digits of other scripts (R20). */
    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** Takes off what RFC 9110, section 5.5 allows around a value and no other white space (R19). */
    private static String trim(String line) {
        int start = 0;
        int end = line.length();
        while (start < end && isBlank(line.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(line.charAt(end - 1))) {
            end--;
        }
        return line.substring(start, end);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
