package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.flagfeed.sdk.retry.RetryAfter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpDateTokensTest {
    // a Sunday; a fraction of a second to be rounded up
    private static final Instant NOW = Instant.parse("1994-11-06T08:49:31.400Z");

    static Stream<Arguments> resolved() {
        return Stream.of(
                arguments("{{httpdate+5s}}", "Sun, 06 Nov 1994 08:49:37 GMT"),
                arguments("{{httpdate850+5s}}", "Sunday, 06-Nov-94 08:49:37 GMT"),
                arguments("{{httpdateasctime+5s}}", "Sun Nov  6 08:49:37 1994"),
                arguments("{{httpdate}}", "Sun, 06 Nov 1994 08:49:32 GMT"),
                arguments("{{httpdate-120s}}", "Sun, 06 Nov 1994 08:47:32 GMT"),
                arguments("{{httpdate+60000000s}}", "Mon, 30 Sep 1996 19:29:32 GMT"),
                arguments("{{httpdateasctime+864000s}}", "Wed Nov 16 08:49:32 1994"),
                arguments(
                        "at {{httpdate+0s}}, {{httpdate850-1s}}",
                        "at Sun, 06 Nov 1994 08:49:32 GMT, Sunday, 06-Nov-94 08:49:31 GMT"),
                arguments("no token $1 {x}", "no token $1 {x}"));
    }

    @ParameterizedTest
    @MethodSource("resolved")
    void tokensBecomeDates(String value, String expected) {
        assertEquals(expected, HttpDateTokens.resolve(HttpDateTokens.check(value), NOW));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{httpdate+5m}}",
                "{{date}}",
                "{{httpdate +5s}}",
                "{{httpdate+5s}} {{",
                "{{httpdate+1234567890s}}"
            })
    void whatLooksLikeATokenAndIsNoneIsRefused(String value) {
        String message = assertThrows(IllegalArgumentException.class, () -> HttpDateTokens.check(value))
                .getMessage();
        assertTrue(message.startsWith("unknown token, known are {{httpdate+5s}}"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tr-TR", "ar-SA-u-nu-arab", "th-TH-u-ca-buddhist-nu-thai"})
    void theLocaleChangesNothing(String tag) {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag(tag));
        try {
            assertEquals("Sun, 06 Nov 1994 08:49:37 GMT", HttpDateTokens.resolve("{{httpdate+5s}}", NOW));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void theLibraryReadsAllFormsAsNoLessThanTheOffset() {
        for (String form : List.of("{{httpdate+5s}}", "{{httpdate850+5s}}", "{{httpdateasctime+5s}}")) {
            assertEquals(OptionalLong.of(6), RetryAfter.parseValue(HttpDateTokens.resolve(form, NOW), NOW), form);
        }
    }
}
