package io.flagfeed.sdk.testing;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Dates in header values that are worked out when the header is sent: <code>{{httpdate+5s}}</code>,
 * <code>{{httpdate850-5s}}</code>, <code>{{httpdateasctime}}</code>.
 *
 * <p>Names come from tables of our own: a formatter's would depend on locale data.
 */
final class HttpDateTokens {
    private static final Pattern TOKEN = Pattern.compile("\\{\\{httpdate(850|asctime)?([+-]\\d{1,9})?s?}}");
    private static final List<String> DAYS =
            List.of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday");
    private static final List<String> MONTHS =
            List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

    private HttpDateTokens() {}

    /** Throws {@link IllegalArgumentException} for what looks like a token and is none, so that a typo is not sent. */
    static String check(String value) {
        if (TOKEN.matcher(value).replaceAll("").contains("{{")) {
            throw new IllegalArgumentException("unknown token, known are {{httpdate+5s}}, {{httpdate850+5s}} and"
                    + " {{httpdateasctime+5s}}: " + value);
        }
        return value;
    }

    /** The value with each token replaced. */
    static String resolve(String value, Instant now) {
        Matcher tokens = TOKEN.matcher(value);
        return tokens.replaceAll(token -> Matcher.quoteReplacement(date(token, now)));
    }

    private static String date(MatchResult token, Instant now) {
        long offset = token.group(2) == null ? 0 : Long.parseLong(token.group(2));
        // whole seconds only: one is added, so that the date is never nearer than the offset says
        long second = now.getEpochSecond() + offset + 1;
        LocalDateTime time = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
        String form = token.group(1);
        if (form == null) {
            return imfFixdate(time);
        }
        return form.equals("850") ? rfc850(time) : asctime(time);
    }

    private static String imfFixdate(LocalDateTime time) {
        return shortDay(time) + ", " + padded(time.getDayOfMonth(), 2, '0') + " " + month(time) + " " + year(time) + " "
                + timeOfDay(time) + " GMT";
    }

    private static String rfc850(LocalDateTime time) {
        return day(time) + ", " + padded(time.getDayOfMonth(), 2, '0') + "-" + month(time) + "-"
                + padded(Math.floorMod(time.getYear(), 100), 2, '0') + " " + timeOfDay(time) + " GMT";
    }

    private static String asctime(LocalDateTime time) {
        return shortDay(time) + " " + month(time) + " " + padded(time.getDayOfMonth(), 2, ' ') + " " + timeOfDay(time)
                + " " + year(time);
    }

    private static String timeOfDay(LocalDateTime time) {
        return padded(time.getHour(), 2, '0') + ":" + padded(time.getMinute(), 2, '0') + ":"
                + padded(time.getSecond(), 2, '0');
    }

    private static String day(LocalDateTime time) {
        return DAYS.get(time.getDayOfWeek().getValue() - 1);
    }

    private static String shortDay(LocalDateTime time) {
        return day(time).substring(0, 3);
    }

    private static String month(LocalDateTime time) {
        return MONTHS.get(time.getMonthValue() - 1);
    }

    private static String year(LocalDateTime time) {
        return padded(time.getYear(), 4, '0');
    }

    private static String padded(int number, int width, char with) {
        String digits = Integer.toString(number); // not String.format: its digits depend on the locale
        return String.valueOf(with).repeat(Math.max(width - digits.length(), 0)) + digits;
    }
}
