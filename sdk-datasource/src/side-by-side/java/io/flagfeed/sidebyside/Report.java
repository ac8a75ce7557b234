package io.flagfeed.sidebyside;

import com.google.gson.JsonObject;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables, in Markdown: one for each scenario, with a row for each figure and a column for each contestant. */
final class Report {
    private final Map<Scenario, Map<Row, Map<Contestant, List<Double>>>> tables = new EnumMap<>(Scenario.class);
    private final Map<Integer, Integer> dataBytes = new LinkedHashMap<>();

    /** How large the data of so many flags are. */
    void data(int flags, int bytes) {
        dataBytes.put(flags, bytes);
    }

    /** What one measurement has found. */
    void add(Scenario scenario, int flags, Contestant contestant, JsonObject figures) {
        Map<Row, Map<Contestant, List<Double>>> table = tables.computeIfAbsent(scenario, none -> new LinkedHashMap<>());
        figures.entrySet()
                .forEach(figure -> table.computeIfAbsent(
                                new Row(flags, figure.getKey()), none -> new EnumMap<>(Contestant.class))
                        .computeIfAbsent(contestant, none -> new ArrayList<>())
                        .add(figure.getValue().getAsDouble()));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(machine());
        tables.forEach((scenario, table) -> {
            List<Contestant> contestants = scenario.contestants();
            text.append("\n## ").append(scenario).append("\n\n").append(scenario.title);
            text.append(". Median [least–greatest].\n\n| flags | |");
            contestants.forEach(
                    contestant -> text.append(' ').append(contestant.title).append(" |"));
            text.append(" Flagfeed ÷ LaunchDarkly | Flagfeed ÷ floor |\n|")
                    .append("---|".repeat(4 + contestants.size()));
            table.forEach((row, cells) -> {
                text.append(String.format(Locale.ROOT, "\n| %,d | %s |", row.flags, row.figure));
                contestants.forEach(contestant -> text.append(cell(cells.get(contestant))));
                text.append(ratio(cells, Contestant.LAUNCHDARKLY)).append(ratio(cells, Contestant.FLOOR));
            });
            text.append('\n');
        });
        return text.toString();
    }

    private String machine() {
        StringBuilder text = new StringBuilder();
        text.append(Runtime.getRuntime().availableProcessors()).append(" cores, ");
        for (String property : List.of("os.name", "os.version", "os.arch", "java.vm.name", "java.vm.version")) {
            text.append(System.getProperty(property)).append(property.equals("os.arch") ? ", " : " ");
        }
        text.append(String.format(
                Locale.ROOT,
                "(clients and service alike), load at the end %.1f.",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        text.append(" Service: ").append(String.join(" ", Arena.SERVICE_FLAGS)).append('.');
        dataBytes.forEach((flags, bytes) -> text.append(String.format(
                Locale.ROOT,
                " With %,d flags: %.1f MB of JSON, clients with %s.",
                flags,
                bytes / 1e6,
                String.join(" ", Arena.clientFlags(flags)))));
        return text.append('\n').toString();
    }

    private static String cell(@Nullable List<Double> values) {
        return values == null
                ? " |"
                : " " + number(Figures.median(values)) + " [" + number(Collections.min(values)) + "–"
                        + number(Collections.max(values)) + "] |";
    }

    private static String ratio(Map<Contestant, List<Double>> cells, Contestant other) {
        List<Double> ours = cells.get(Contestant.FLAGFEED);
        List<Double> theirs = cells.get(other);
        return ours == null || theirs == null || Figures.median(theirs) <= 0
                ? " |"
                : " " + number(Figures.median(ours) / Figures.median(theirs)) + " |";
    }

    /** Three digits or more. */
    private static String number(double value) {
        double size = Math.abs(value);
        return String.format(
                Locale.ROOT,
                size >= 100 || size == 0 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3g",
                value);
    }

    private record Row(int flags, String figure) {}
}
