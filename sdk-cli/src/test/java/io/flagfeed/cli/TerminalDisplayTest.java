package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeEvent.Change;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Snapshot;
import io.flagfeed.sdk.retry.Failure;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Help.Ansi;

final class TerminalDisplayTest {
    private static final Instant SINCE = Instant.parse("2026-01-02T07:00:00Z");
    private static final Instant NOW = Instant.parse("2026-01-02T07:00:01.250Z");
    private static final ZoneId ZONE = ZoneId.of("Asia/Kolkata"); // half an hour off everybody else

    private final Printed printed = new Printed();
    private final TerminalDisplay plain = new TerminalDisplay(printed.out, Ansi.OFF, ZONE);
    private final TerminalDisplay coloured = new TerminalDisplay(printed.out, Ansi.ON, ZONE);

    @Test
    void statusesSaySinceWhenAndWhyAndWhenNext() {
        ErrorInfo error = ErrorInfo.of(Failure.httpStatus(503, OptionalLong.of(3)), NOW);
        ErrorInfo cut = ErrorInfo.of(Failure.network("the service ended the stream"), NOW);
        plain.status(new DataSourceStatus(State.INITIALIZING, SINCE, null, null, null), NOW);
        plain.status(new DataSourceStatus(State.INTERRUPTED, SINCE, error, SINCE, NOW.plusMillis(3500)), NOW);
        plain.status(new DataSourceStatus(State.INTERRUPTED, SINCE, cut, SINCE, NOW.plusMillis(85)), NOW);
        plain.status(new DataSourceStatus(State.VALID, SINCE, error, SINCE, null), NOW);
        plain.status(new DataSourceStatus(State.OFF, SINCE, error, SINCE, null), NOW);
        assertPrinted(
                "12:30:01.250  ● INITIALIZING since 12:30:00.000",
                "12:30:01.250  ● INTERRUPTED since 12:30:00.000: HTTP status 503, Retry-After 3 s; next attempt in 3.5 s",
                "12:30:01.250  ● INTERRUPTED since 12:30:00.000: the service ended the stream; next attempt in 85 ms",
                "12:30:01.250  ● VALID since 12:30:00.000",
                "12:30:01.250  ● OFF since 12:30:00.000");
    }

    @Test
    void changesSayWhatAndWhichVersionsAndOnOrOff() {
        Item on = Item.of(ItemKind.FLAG, "new-checkout", 1, "{\"on\":true}");
        Item off = Item.of(ItemKind.FLAG, "new-checkout", 2, "{\"on\":false}");
        Item segment = Item.of(ItemKind.SEGMENT, "staff", 7, "{\"on\":true}");
        plain.change(new Change(ItemKind.FLAG, "new-checkout", null, on, null), NOW);
        plain.change(new Change(ItemKind.FLAG, "new-checkout", on, off, null), NOW);
        plain.change(new Change(ItemKind.FLAG, "new-checkout", off, null, null), NOW);
        plain.change(new Change(ItemKind.SEGMENT, "staff", null, segment, null), NOW);
        assertPrinted(
                "12:30:01.250  + flag    new-checkout                 added   v1  on",
                "12:30:01.250  ~ flag    new-checkout                 changed v1 → v2  off",
                "12:30:01.250  - flag    new-checkout                 deleted v2",
                "12:30:01.250  + segment staff                        added   v7");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"{\"key\":\"a\"}", "{\"on\":null}", "{\"on\":[1]}", "[]", "no JSON {", "''"})
    void flagThatDoesNotSayWhetherItIsOnIsShownWithout(String json) {
        plain.change(new Change(ItemKind.FLAG, "a", null, Item.of(ItemKind.FLAG, "a", 1, json), null), NOW);
        assertPrinted("12:30:01.250  + flag    a                            added   v1");
    }

    @Test
    void storyAndSnapshotAndSummary() {
        plain.story("a flag is retired", NOW);
        plain.snapshot(Snapshot.EMPTY);
        plain.summary(new Summary(true, Duration.ofMillis(62_000), Duration.ofMillis(15_048), 44, 3), NOW);
        plain.summary(new Summary(false, Duration.ofMillis(500), Duration.ZERO, 0, 1), NOW);
        assertPrinted(
                "12:30:01.250    a flag is retired",
                "{\"type\":\"snapshot\",\"flags\":{},\"segments\":{}}",
                "Connected 15.0 s of 1 min 2 s, 44 changes, 3 failures",
                "Connected 0 ms of 500 ms, 0 changes, 1 failures; never became ready");
    }

    @Test
    void coloursAreAroundTheSameText() {
        coloured.status(new DataSourceStatus(State.VALID, SINCE, null, SINCE, null), NOW);
        coloured.change(
                new Change(ItemKind.FLAG, "@|red a|@", null, Item.of(ItemKind.FLAG, "a", 1, "{\"on\":true}"), null),
                NOW);
        List<String> lines = printed.lines();
        assertEquals(
                List.of(
                        "12:30:01.250  ● VALID since 12:30:00.000",
                        "12:30:01.250  + flag    @|red a|@                    added   v1  on"),
                lines.stream()
                        .map(line -> line.replaceAll("\u001b\\[[0-9;]*m", ""))
                        .toList());
        assertTrue(lines.get(0).contains("\u001b[32m● VALID\u001b["), lines.get(0));
        assertTrue(lines.get(1).contains("\u001b[32m+ flag "), lines.get(1));
    }

    /** A key comes from afar: it must not move the cursor of those who watch. */
    @Test
    void controlCharactersFromAfarAreNotPrinted() {
        String evil = "a\u001b[2J\r\n\u009bb";
        plain.change(new Change(ItemKind.FLAG, evil, null, Item.of(ItemKind.FLAG, evil, 1, "{}"), null), NOW);
        plain.status(
                new DataSourceStatus(
                        State.INTERRUPTED, SINCE, ErrorInfo.of(Failure.network(evil), NOW), SINCE, NOW.plusMillis(85)),
                NOW);
        assertEquals(2, printed.lines().size());
        assertFalse(printed.text().replace("\n", "").chars().anyMatch(Character::isISOControl), printed.text());
    }

    private void assertPrinted(String... lines) {
        assertEquals(List.of(lines), printed.lines());
    }
}
