package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The other tests once more, where people write dates and numbers differently. */
@Isolated("changes the defaults of the whole JVM")
@Tag("slow")
class LocaleTest {
    private final Locale locale = Locale.getDefault();
    private final TimeZone zone = TimeZone.getDefault();
    private final RetryAfterPropertiesTest parser = new RetryAfterPropertiesTest();
    private final RetryPolicyTest settings = new RetryPolicyTest();

    static Stream<Arguments> places() {
        List<String> locales = List.of(
                "fr-FR",
                "en-GB",
                "tr-TR",
                "ar-EG",
                "ar-EG-u-nu-arab",
                "th-TH",
                "th-TH-u-ca-buddhist",
                "th-TH-u-nu-thai");
        List<String> zones = List.of("Pacific/Apia", "Europe/London", "Asia/Kathmandu");
        return locales.stream().flatMap(locale -> zones.stream().map(zone -> arguments(locale, zone)));
    }

    @BeforeEach
    @AfterEach
    void goHome() {
        Locale.setDefault(locale);
        TimeZone.setDefault(zone);
    }

    private static void goTo(String locale, String zone) {
        Locale.setDefault(Locale.forLanguageTag(locale));
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
    }

    @ParameterizedTest
    @MethodSource("places")
    void everyVector(String locale, String zone) {
        goTo(locale, zone);
        assertAll(
                () -> assertEquals(
                        Vectors.rowsIn("retry-after.json"),
                        Vectors.retryAfter()
                                .peek(row -> assertEquals(row.expected(), row.parsed(), row.toString()))
                                .toList()
                                .size()),
                () -> assertEquals(
                        Vectors.rowsIn("classification.json"),
                        Vectors.classification()
                                .peek(row -> assertEquals(
                                        row.expected(), FailureClass.ofHttpStatus(row.status()), row.toString()))
                                .toList()
                                .size()),
                () -> assertEquals(
                        Vectors.rowsIn("waits.json"),
                        Vectors.waits()
                                .peek(row ->
                                        assertEquals(row.expectedWithoutJitter(), row.run(() -> 0), row.toString()))
                                .toList()
                                .size()));
    }

    @ParameterizedTest
    @MethodSource("places")
    void anyDate(String locale, String zone) {
        goTo(locale, zone);
        parser.aDateIsReadAsItsDistanceRoundedUp(2026);
        parser.aDateWithSomethingWrongIsAnotherDateOrNone(2026);
        parser.anyTextIsReadWithoutAnException(2026);
    }

    @ParameterizedTest
    @MethodSource("places")
    void everyMonthInEveryForm(String locale, String zone) {
        goTo(locale, zone);
        for (int month = 1; month <= 12; month++) {
            LocalDateTime date = LocalDateTime.of(2026, month, 1, 0, 0, 7);
            for (DateForm form : DateForm.values()) {
                assertEquals(
                        OptionalLong.of(7),
                        RetryAfter.parseValue(
                                form.write(date), date.withSecond(0).toInstant(ZoneOffset.UTC)),
                        form.write(date));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void theSameWarnings(String locale, String zone) {
        goTo(locale, zone);
        RetryPolicyTest.durations()
                .forEach(option ->
                        settings.aSenselessDurationMeansTheDefaultAndOneWarning(option, Duration.ofSeconds(-1234567)));
        settings.fewerThanOneGoodPollMeansTheDefault(-1_234_567);
        settings.aRatioOutsideItsRangeMeansTheDefault(1234.5);
        settings.aSenselessInitialDelayMeansTheDefault(null);
        settings.aSenselessPollIntervalMeansTheDefault(Duration.ZERO);
    }
}
