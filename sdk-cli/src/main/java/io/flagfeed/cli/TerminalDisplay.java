package io.flagfeed.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.flagfeed.sdk.ChangeEvent;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Snapshot;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** For people: a line for each thing that happens, in colour where that is wanted. */
final class TerminalDisplay implements Display {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    private final PrintStream out;
    private final Ansi ansi;
    private final ZoneId zone;

    TerminalDisplay(PrintStream out, Ansi ansi, ZoneId zone) {
        this.out = out;
        this.ansi = ansi;
        this.zone = zone;
    }

    @Override
    public void status(DataSourceStatus status, Instant now) {
        StringBuilder line = new StringBuilder();
        line.append(
                switch (status.state()) {
                    case INITIALIZING -> paint("fg(yellow)", "● INITIALIZING");
                    case VALID -> paint("bold,fg(green)", "● VALID");
                    case INTERRUPTED -> paint("bold,fg(red)", "● INTERRUPTED");
                    case OFF -> paint("faint", "● OFF");
                });
        line.append(" since ").append(TIME.format(status.since().atZone(zone)));
        Instant next = status.nextAttempt();
        ErrorInfo error = status.lastError();
        if (next != null && error != null) { // an error that is over is no news
            line.append(": ").append(harmless(error.message()));
            error.retryAfterSeconds()
                    .ifPresent(seconds ->
                            line.append(", Retry-After ").append(seconds).append(" s"));
            line.append("; next attempt in ").append(DurationConverter.toText(Duration.between(now, next)));
        }
        print(now, line.toString());
    }

    @Override
    public void change(ChangeEvent.Change change, Instant now) {
        String word = JsonDisplay.word(change);
        String colour = word.equals("added") ? "fg(green)" : word.equals("deleted") ? "fg(red)" : "fg(cyan)";
        String sign = word.equals("added") ? "+" : word.equals("deleted") ? "-" : "~";
        print(
                now,
                paint(colour, "%s %-7s".formatted(sign, change.kind() == ItemKind.FLAG ? "flag" : "segment"))
                        + " %-28s ".formatted(harmless(change.key()))
                        + paint(colour, "%-7s".formatted(word))
                        + " " + versions(change) + onOff(change.after()));
    }

    @Override
    public void story(String line, Instant now) {
        print(now, paint("faint", "  " + line));
    }

    @Override
    public void snapshot(Snapshot snapshot) {
        out.println(JsonDisplay.snapshotLine(snapshot));
    }

    @Override
    public void summary(Summary summary, Instant now) {
        out.println("Connected %s of %s, %d changes, %d failures%s"
                .formatted(
                        DurationConverter.toText(summary.connected()),
                        DurationConverter.toText(summary.watched()),
                        summary.changes(),
                        summary.failures(),
                        summary.ready() ? "" : "; never became ready"));
    }

    private static String versions(ChangeEvent.Change change) {
        Item before = change.before();
        Item after = change.after();
        if (before != null && after != null) {
            return "v" + before.version() + " → v" + after.version();
        }
        return "v" + (before != null ? before.version() : after != null ? after.version() : 0);
    }

    /** What a flag's {@code on} says; nothing for what has none. */
    private static String onOff(@Nullable Item item) {
        if (item == null || item.kind() != ItemKind.FLAG) {
            return "";
        }
        try {
            JsonElement json = JsonParser.parseString(item.json());
            JsonElement on = json instanceof JsonObject flag ? flag.get("on") : null;
            return on == null || !on.isJsonPrimitive() ? "" : on.getAsBoolean() ? "  on" : "  off";
        } catch (JsonParseException e) {
            return "";
        }
    }

    private void print(Instant now, String line) {
        out.println(paint("faint", TIME.format(now.atZone(zone))) + "  " + line);
    }

    /** Without control characters: keys come from afar, and one could move the cursor or paint over lines. */
    private static String harmless(String text) {
        return text.replaceAll("\\p{Cc}", "?");
    }

    /** Styled, unless colours are off. The text is not read as markup. */
    private String paint(String style, String text) {
        if (!ansi.enabled()) {
            return text;
        }
        Ansi.IStyle[] styles = Ansi.Style.parse(style);
        return Ansi.Style.on(styles) + text + Ansi.Style.off(styles);
    }
}
