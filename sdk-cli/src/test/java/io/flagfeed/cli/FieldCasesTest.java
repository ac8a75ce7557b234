package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** That every case from the field has a test, as {@code docs/field-cases.md} says it has. */
final class FieldCasesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern ID = Pattern.compile("^[A-Z]+-\\d+", Pattern.MULTILINE);
    private static final Pattern ROW = Pattern.compile("^\\| ([A-Z]+-\\d+) \\| (.*) \\|$", Pattern.MULTILINE);
    private static final Pattern TEST = Pattern.compile("`(\\w+)(?:#(\\w+))?`");

    @Test
    void everyCaseHasATestAndEveryTestExists() throws IOException {
        List<String> ids = ID.matcher(Files.readString(ROOT.resolve("sdk-testing/src/test/resources/field-cases.txt")))
                .results()
                .map(MatchResult::group)
                .toList();
        assertEquals(68, ids.size());
        assertEquals(List.of(), faults(Files.readString(ROOT.resolve("docs/field-cases.md")), ids, testSources()));
    }

    @Test
    void whatIsMissingIsFound() {
        String table =
                "| A-01 | `ATest#a`, `BTest` |\n| A-02 | |\n| A-03 | none |\n| A-04 | `ATest#b`, `CTest` |\n| B-01 | `ATest` |\n";
        assertEquals(
                List.of(
                        "A-03 has no test",
                        "A-04 names ATest#b, which does not exist",
                        "A-04 names CTest, which does not exist",
                        "B-01 is no case",
                        "A-02 has no row",
                        "A-05 has no row"),
                faults(
                        table,
                        List.of("A-01", "A-02", "A-03", "A-04", "A-05"),
                        Map.of("ATest", "@Test void a() {} void b() {}", "BTest", "")));
    }

    private static List<String> faults(String table, List<String> ids, Map<String, String> sources) {
        List<String> faults = new ArrayList<>();
        Map<String, String> rows = new LinkedHashMap<>();
        ROW.matcher(table).results().forEach(row -> rows.put(row.group(1), row.group(2)));
        rows.forEach((id, tests) -> {
            if (!ids.contains(id)) {
                faults.add(id + " is no case");
            } else if (!TEST.matcher(tests).find()) {
                faults.add(id + " has no test");
            }
            TEST.matcher(tests)
                    .results()
                    .filter(test -> !exists(test, sources))
                    .forEach(test ->
                            faults.add(id + " names " + test.group().replace("`", "") + ", which does not exist"));
        });
        ids.stream().filter(id -> !rows.containsKey(id)).forEach(id -> faults.add(id + " has no row"));
        return faults;
    }

    private static boolean exists(MatchResult test, Map<String, String> sources) {
        String source = sources.get(test.group(1));
        return source != null
                && (test.group(2) == null
                        || Pattern.compile(
                                        "@(?:Parameterized|Repeated)?Test\\b(?:(?!\\bvoid ).)*\\bvoid " + test.group(2)
                                                + "\\(",
                                        Pattern.DOTALL)
                                .matcher(source)
                                .find());
    }

    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (String module : List.of("sdk-core", "sdk-datasource", "sdk-testing", "sdk-cli")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    String name = file.getFileName().toString();
                    sources.put(name.substring(0, name.length() - ".java".length()), Files.readString(file));
                }
            }
        }
        return sources;
    }
}
