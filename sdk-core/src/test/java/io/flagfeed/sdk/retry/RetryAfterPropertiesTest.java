package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for any text, any date and any time. */
class RetryAfterPropertiesTest {
    private static final String SEEDS = "io.flagfeed.sdk.Seeds#all";
    private static final int ROUNDS = 500;
    private static final long YEAR_0 = Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();
    private static final long YEAR_10000 = LocalDateTime.of(10_000, 1, 1, 0, 0).toEpochSecond(ZoneOffset.UTC);

    // the grammar of RFC 9110; that the parts make a date is another matter
    private static final String DAY = "(Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
    private static final String LONG_DAY = "(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
    private static final String MONTH = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
    private static final String TIME = "[0-2][0-9]:[0-5][0-9]:[0-6][0-9]";
    private static final Pattern GRAMMAR = Pattern.compile(String.join(
            "|",
            "[0-9]+",
            DAY + ", [0-3][0-9] " + MONTH + " [0-9]{4} " + TIME + " GMT",
            LONG_DAY + ", [0-3][0-9]-" + MONTH + "-[0-9]{2} " + TIME + " GMT",
            DAY + " " + MONTH + " [ 0-3][0-9] " + TIME + " [0-9]{4}"));

    private static final List<String> PIECES = List.of(
            "Mon",
            "Tuesday",
            "Jan",
            "Feb",
            "29",
            "31",
            "30",
            "00",
            "60",
            "59",
            "23",
            "24",
            ":",
            "-",
            ",",
            " ",
            ", ",
            "GMT",
            "gmt",
            "UTC",
            "2026",
            "1994",
            "9999",
            "+",
            "-1",
            "0",
            "5",
            "99999999999",
            "e",
            ".",
            "\t",
            "\r\n",
            "\0",
            "\u0665",
            "\uff15",
            "\u00a0",
            "\ud83d",
            "é",
            "Sept",
            "janv.",
            "Mon, 02 Feb 2026 07:00:05 GMT",
            "Mon Feb  2 07:00:05 2026",
            "Monday, 02-Feb-26 07:00:05 GMT");

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void anyTextIsReadWithoutAnException(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(12); i > 0; i--) {
                if (random.nextInt(4) == 0) {
                    text.append((char) random.nextInt(random.nextBoolean() ? 128 : 65_536));
                } else {
                    text.append(PIECES.get(random.nextInt(PIECES.size())));
                }
            }
            check(seed, text.toString(), anyInstant(random));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void aDateWithSomethingWrongIsAnotherDateOrNone(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            StringBuilder text = new StringBuilder(anyForm(random).write(anyDate(random)));
            for (int i = random.nextInt(3); i >= 0; i--) {
                int at = random.nextInt(text.length());
                char c = random.nextBoolean() ? text.charAt(random.nextInt(text.length())) : (char) random.nextInt(128);
                switch (random.nextInt(4)) {
                    case 0 -> text.insert(at, c);
                    case 1 -> text.deleteCharAt(at);
                    case 2 -> text.setCharAt(at, c);
                    default -> {
                        char other = text.charAt(text.length() - 1 - at);
                        text.setCharAt(text.length() - 1 - at, text.charAt(at));
                        text.setCharAt(at, other);
                    }
                }
            }
            check(seed, text.toString(), anyInstant(random));
        }
    }

    /** The result is in its range, and present only for what the grammar allows. */
    private static void check(long seed, String text, Instant now) {
        OptionalLong seconds = RetryAfter.parseValue(text, now);
        String message = "seed " + seed + ": \"" + text + "\" at " + now + ": " + seconds;
        if (seconds.isPresent()) {
            assertTrue(seconds.getAsLong() >= 0 && seconds.getAsLong() <= RetryAfter.MAX_SECONDS, message);
            assertTrue(GRAMMAR.matcher(text).matches(), message);
        }
        long padded = RetryAfter.parse(List.of("\t" + text + " ", "x"), now).orElse(-1);
        assertTrue(seconds.isEmpty() || padded == seconds.getAsLong(), message);
    }

    // R22 to R26
    @ParameterizedTest(name = "seed {0}")
    @MethodSource(SEEDS)
    void aDateIsReadAsItsDistanceRoundedUp(long seed) {
        RandomGenerator random = Seeds.random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            Instant now = anyInstant(random);
            DateForm form = anyForm(random);
            LocalDateTime date =
                    random.nextBoolean() && now.getEpochSecond() > YEAR_0 && now.getEpochSecond() < YEAR_10000
                            ? near(now, random)
                            : anyDate(random);
            if (form == DateForm.RFC_850) {
                now = withinFiftyYearsOf(date, now, random);
            }
            String text = form.write(date);
            long expected = distance(now, date);
            assertEquals(
                    OptionalLong.of(expected),
                    RetryAfter.parseValue(text, now),
                    "seed " + seed + ": \"" + text + "\" at " + now);
        }
    }

    /** Counted in a way of its own: the least number of seconds that added to now is not before the date. */
    private static long distance(Instant now, LocalDateTime date) {
        long date0 = date.toEpochSecond(ZoneOffset.UTC);
        Duration exact = Duration.between(now, Instant.ofEpochSecond(date0));
        long seconds = exact.getSeconds() + (exact.getNano() > 0 ? 1 : 0);
        return Math.max(0, Math.min(seconds, RetryAfter.MAX_SECONDS));
    }

    private static Instant withinFiftyYearsOf(LocalDateTime date, Instant now, RandomGenerator random) {
        Instant then = date.toInstant(ZoneOffset.UTC);
        Instant earliest = date.minusYears(50).plusDays(1).toInstant(ZoneOffset.UTC); // clear of 29 February
        Instant latest = date.plusYears(50).minusDays(1).toInstant(ZoneOffset.UTC);
        if (now.isAfter(earliest) && now.isBefore(latest)) {
            return now;
        }
        long span = random.nextBoolean()
                ? Duration.between(earliest, then).toSeconds()
                : Duration.between(earliest, latest).toSeconds();
        return earliest.plusSeconds(random.nextLong(span)).plusNanos(random.nextInt(1_000_000_000));
    }

    private static LocalDateTime anyDate(RandomGenerator random) {
        return LocalDateTime.ofEpochSecond(random.nextLong(YEAR_0, YEAR_10000), 0, ZoneOffset.UTC);
    }

    private static LocalDateTime near(Instant now, RandomGenerator random) {
        long distance = Seeds.anyLong(random) >> 32;
        long second = Math.max(YEAR_0, Math.min(now.getEpochSecond() + distance, YEAR_10000 - 1));
        return LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
    }

    private static DateForm anyForm(RandomGenerator random) {
        return List.of(DateForm.values()).get(random.nextInt(3));
    }

    private static Instant anyInstant(RandomGenerator random) {
        int nano = random.nextBoolean() ? 0 : random.nextInt(1_000_000_000);
        return switch (random.nextInt(6)) {
            case 0 -> Instant.MIN;
            case 1 -> Instant.MAX;
            case 2 ->
                Instant.ofEpochSecond(
                        random.nextLong(Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond()), nano);
            case 3 -> Instant.ofEpochSecond(random.nextLong(YEAR_0, YEAR_10000), nano);
            default -> Instant.ofEpochSecond(random.nextLong(0, 4_000_000_000L), nano);
        };
    }
}
