package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flagfeed.sdk.ChangeEvent.Change;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Snapshot;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeDataSource;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lines to the letter: programs read them. */
final class JsonDisplayTest {
    private static final Instant SINCE = Instant.parse("2026-01-02T07:00:00Z");
    private static final Instant NOW = Instant.parse("2026-01-02T07:00:01.250Z");

    private final Printed printed = new Printed();
    private final JsonDisplay display = new JsonDisplay(printed.out);

    @ParameterizedTest
    @EnumSource(State.class)
    void statusWithoutErrorOrNextAttempt(State state) {
        display.status(new DataSourceStatus(state, SINCE, null, null, null), NOW);
        assertPrinted("{\"type\":\"status\",\"time\":\"2026-01-02T07:00:01.250Z\",\"state\":\"" + state
                + "\",\"since\":\"2026-01-02T07:00:00Z\",\"error\":null,\"nextAttemptMillis\":null}");
    }

    @Test
    void statusWithErrorAndNextAttempt() {
        ErrorInfo error = ErrorInfo.of(Failure.httpStatus(503, OptionalLong.of(3)), NOW);
        display.status(new DataSourceStatus(State.INTERRUPTED, SINCE, error, SINCE, NOW.plusMillis(3000)), NOW);
        assertPrinted("{\"type\":\"status\",\"time\":\"2026-01-02T07:00:01.250Z\",\"state\":\"INTERRUPTED\","
                + "\"since\":\"2026-01-02T07:00:00Z\",\"error\":{\"kind\":\"HTTP_STATUS\",\"httpStatus\":503,"
                + "\"retryAfterSeconds\":3,\"message\":\"HTTP status 503\"},\"nextAttemptMillis\":3000}");
    }

    @Test
    void errorThatIsOverStaysButHasNoNextAttempt() {
        ErrorInfo error = ErrorInfo.of(Failure.network("closed \"so\"\n"), SINCE);
        display.status(new DataSourceStatus(State.VALID, SINCE, error, SINCE, null), NOW);
        assertPrinted("{\"type\":\"status\",\"time\":\"2026-01-02T07:00:01.250Z\",\"state\":\"VALID\","
                + "\"since\":\"2026-01-02T07:00:00Z\",\"error\":{\"kind\":\"NETWORK\",\"httpStatus\":0,"
                + "\"retryAfterSeconds\":null,\"message\":\"closed \\\"so\\\"\\n\"},\"nextAttemptMillis\":null}");
    }

    @Test
    void nextAttemptIsRoundedUpAndNeverInThePast() {
        ErrorInfo error = ErrorInfo.of(Failure.network("closed"), NOW);
        for (long nanos : new long[] {1, 1_000_000, 1_000_001, 0, -5_000_000}) {
            display.status(new DataSourceStatus(State.INTERRUPTED, SINCE, error, SINCE, NOW.plusNanos(nanos)), NOW);
        }
        assertEquals(
                List.of("1}", "1}", "2}", "0}", "0}"),
                printed.lines().stream()
                        .map(line -> line.substring(line.lastIndexOf(':') + 1))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource(ItemKind.class)
    void changes(ItemKind kind) {
        Item one = Item.of(kind, "a", 1, "{}");
        Item two = Item.of(kind, "a", 2, "{}");
        display.change(new Change(kind, "a", null, one, null), NOW);
        display.change(new Change(kind, "a", one, two, null), NOW);
        display.change(new Change(kind, "a", two, null, null), NOW);
        String begin =
                "{\"type\":\"change\",\"time\":\"2026-01-02T07:00:01.250Z\",\"kind\":\"" + kind + "\",\"key\":\"a\",";
        assertPrinted(
                begin + "\"change\":\"added\",\"versionBefore\":null,\"versionAfter\":1}",
                begin + "\"change\":\"changed\",\"versionBefore\":1,\"versionAfter\":2}",
                begin + "\"change\":\"deleted\",\"versionBefore\":2,\"versionAfter\":null}");
    }

    @Test
    void keysOfAllCharactersStayOneLine() {
        display.change(
                new Change(ItemKind.FLAG, "ü \"\n\u2028\u001b", null, Item.of(ItemKind.FLAG, "x", 1, "{}"), null), NOW);
        assertPrinted(
                "{\"type\":\"change\",\"time\":\"2026-01-02T07:00:01.250Z\",\"kind\":\"FLAG\","
                        + "\"key\":\"ü \\\"\\n\\u2028\\u001b\",\"change\":\"added\",\"versionBefore\":null,\"versionAfter\":1}");
    }

    @Test
    void storyIsNotForPrograms() {
        display.story("the service is restarted", NOW);
        assertPrinted();
    }

    @Test
    void snapshotHasTheItemsAsHeldInTheOrderOfTheirKeys() {
        VirtualScheduler time = new VirtualScheduler();
        FakeDataSource source = new FakeDataSource();
        try (DataSystem system = DataSystem.builder(source).scheduler(time).build()) {
            system.start();
            source.apply(TestFlags.full(
                    Item.of(ItemKind.FLAG, "b", 3, "{\"version\":3,\"n\":1.0,\"x\":null}"),
                    Item.of(ItemKind.FLAG, "a\"", 2, "{\"key\":\"a\\\"\",\"html\":\"<b>\"}"),
                    Item.tombstone(ItemKind.FLAG, "c", 4),
                    Item.of(ItemKind.SEGMENT, "s", 1, "{\"version\":1}")));
            time.runDue();
            display.snapshot(system.snapshot());
        }
        display.snapshot(Snapshot.EMPTY);
        assertPrinted(
                "{\"type\":\"snapshot\",\"flags\":{\"a\\\"\":{\"key\":\"a\\\"\",\"html\":\"<b>\"},"
                        + "\"b\":{\"version\":3,\"n\":1.0,\"x\":null}},\"segments\":{\"s\":{\"version\":1}}}",
                "{\"type\":\"snapshot\",\"flags\":{},\"segments\":{}}");
    }

    @Test
    void summary() {
        display.summary(new Summary(true, Duration.ofMillis(22_622), Duration.ofMillis(15_048), 44, 3), NOW);
        assertPrinted("{\"type\":\"summary\",\"time\":\"2026-01-02T07:00:01.250Z\",\"ready\":true,"
                + "\"watchedMillis\":22622,\"connectedMillis\":15048,\"changes\":44,\"failures\":3}");
    }

    private void assertPrinted(String... lines) {
        assertEquals(List.of(lines), printed.lines());
    }
}
