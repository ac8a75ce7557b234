package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class DurationConverterTest {
    @ParameterizedTest
    @CsvSource({
        "250ms, PT0.25S",
        "5s, PT5S",
        "2m, PT2M",
        "1h, PT1H",
        "0s, PT0S",
        "007s, PT7S",
        "90m, PT1H30M",
        "999999999999ms, PT277777H46M39.999S",
        "999999999999h, PT999999999999H",
    })
    void readsWhatPeopleWrite(String text, Duration expected) {
        assertEquals(expected, new DurationConverter().convert(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "5",
                "s",
                "ms",
                "5 s",
                " 5s",
                "5s ",
                "-5s",
                "+5s",
                "5S",
                "5sec",
                "5d",
                "1.5s",
                "1m30s",
                "PT5S",
                "5s\n",
                "٥s",
                "1000000000000h",
            })
    void refusesAllElseInWords(String text) {
        TypeConversionException e =
                assertThrows(TypeConversionException.class, () -> new DurationConverter().convert(text));
        assertEquals("'" + text + "' is no duration: write it like 250ms, 5s, 2m or 1h", e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ms",
        "PT0.0859S, 85 ms",
        "PT0.999S, 999 ms",
        "PT1S, 1 s",
        "PT2.56S, 2.5 s",
        "PT2.05S, 2.0 s",
        "PT59.999S, 59.9 s",
        "PT1M, 1 min",
        "PT4M30S, 4 min 30 s",
        "PT2H, 120 min",
    })
    void showsThemShort(Duration duration, String expected) {
        assertEquals(expected, DurationConverter.toText(duration));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-0.001S", "PT-1S", "PT-2H"})
    void whatIsDueAlreadyIsNegative(Duration duration) {
        assertTrue(DurationConverter.toText(duration).startsWith("-"), DurationConverter.toText(duration));
    }
}
