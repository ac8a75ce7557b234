package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.datasource.HeaderNames;
import io.flagfeed.sdk.datasource.HttpSettings;
import io.flagfeed.sdk.datasource.SourceBuilder;
import io.flagfeed.sdk.retry.RetryPolicy;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** That the tables of docs/configuration.md are what the builders take, and what their comments say of defaults. */
final class ConfigurationTest {
    private static final Pattern SECTION =
            Pattern.compile("^## (\\w+)\\R(.*?)(?=^## |\\z)", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern ROW = Pattern.compile("^\\| `(\\w+)` \\| (.+?) \\| (.+?) \\|$", Pattern.MULTILINE);
    private static final Pattern DOCUMENTED_OPTION =
            Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s*public (?:Builder|B) (\\w+)\\(", Pattern.DOTALL);

    static Stream<Class<?>> builders() {
        return Stream.concat(
                BuilderShapeTest.builders().stream()
                        .filter(builder -> !builder.getName().contains(".testing.")),
                Stream.of(SourceBuilder.class));
    }

    private static String title(Class<?> builder) {
        Class<?> of = builder.getEnclosingClass();
        return of == null ? builder.getSimpleName() : of.getSimpleName();
    }

    /** Option to default, as the document says. */
    private static Map<String, Map<String, String>> tables() throws IOException {
        Map<String, Map<String, String>> tables = new LinkedHashMap<>();
        Matcher section = SECTION.matcher(Files.readString(Path.of("..", "docs", "configuration.md")));
        while (section.find()) {
            Map<String, String> rows = new TreeMap<>();
            Matcher row = ROW.matcher(section.group(2));
            while (row.find()) {
                assertTrue(row.group(3).length() > 3, row::group);
                rows.put(row.group(1), row.group(2));
            }
            tables.put(section.group(1), rows);
        }
        return tables;
    }

    /** Option to default, as the comment of the method says. */
    private static Map<String, String> documented(Class<?> builder) throws IOException {
        Class<?> file = builder.getEnclosingClass() == null ? builder : builder.getEnclosingClass();
        String module = file.getName().contains(".datasource.") ? "sdk-datasource" : "sdk-core";
        String source = Files.readString(
                Path.of("..", module, "src", "main", "java", file.getName().replace('.', '/') + ".java"));
        Map<String, String> defaults = new TreeMap<>();
        Matcher option = DOCUMENTED_OPTION.matcher(source);
        while (option.find()) {
            if (option.group(2).equals("toBuilder")) {
                continue;
            }
            String comment = option.group(1).replaceAll("\\R\\s*\\*? ?", " ").replaceAll("\\s+", " ");
            Matcher found = Pattern.compile("Default: (.*?)\\.( @.*)? ?$").matcher(comment.strip());
            assertTrue(found.find(), () -> option.group(2) + " does not end in its default: " + comment);
            defaults.put(option.group(2), plain(found.group(1)));
        }
        return defaults;
    }

    private static String plain(String javadoc) {
        return javadoc.replaceAll("\\{@code ([^}]*)\\}", "$1")
                .replaceAll("\\{@link #?([^}]*)\\}", "$1")
                .replace('#', '.');
    }

    private static boolean isOwn(Class<?> builder, Method option) {
        return builder == SourceBuilder.class || option.getDeclaringClass() != SourceBuilder.class;
    }

    @ParameterizedTest
    @MethodSource("builders")
    void tableHasEveryOptionWithTheDefaultOfItsComment(Class<?> builder) throws IOException {
        Map<String, String> table = tables().getOrDefault(title(builder), Map.of());
        assertEquals(documented(builder), table);
        String[] options = BuilderShapeTest.options(builder).stream()
                .filter(option -> isOwn(builder, option))
                .map(Method::getName)
                .sorted()
                .toArray(String[]::new);
        assertEquals(Arrays.toString(options), table.keySet().toString());
    }

    /** What the comments say is what the code does, as far as the settings show a value. */
    @Test
    void defaultsAreTheValuesThatSettingsHave() throws ReflectiveOperationException, IOException {
        Map<String, Map<String, String>> tables = tables();
        int compared = 0;
        for (Object settings : new Object[] {HttpSettings.DEFAULT, HeaderNames.DEFAULT, RetryPolicy.DEFAULT}) {
            for (Map.Entry<String, String> row :
                    tables.get(settings.getClass().getSimpleName()).entrySet()) {
                Object value = value(settings, row.getKey());
                if (value instanceof Duration || value instanceof Number || value instanceof String) {
                    assertEquals(shown(value, row.getValue()), row.getValue().replaceFirst(",.*", ""), row::getKey);
                    compared++;
                }
            }
        }
        assertTrue(compared >= 15, "compared " + compared);
    }

    private static @Nullable Object value(Object settings, String option) throws ReflectiveOperationException {
        return Stream.of(settings.getClass().getMethods())
                        .anyMatch(method -> method.getName().equals(option))
                ? settings.getClass().getMethod(option).invoke(settings)
                : null;
    }

    /** In the words of the document. */
    private static String shown(Object value, String row) {
        if (value instanceof Duration duration) {
            long seconds = duration.toSeconds();
            if (row.endsWith(" h")) {
                return seconds / 3600 + " h";
            }
            return row.endsWith(" min") ? seconds / 60 + " min" : seconds + " s";
        } else if (value instanceof Integer bytes && row.equals("maxPayloadBytes")) {
            return bytes == HttpSettings.DEFAULT.maxPayloadBytes() ? row : String.valueOf(bytes);
        } else if (value instanceof Integer bytes && bytes >= 1 << 30) {
            return (bytes >> 30) + " GiB";
        } else if (value instanceof Integer bytes && bytes >= 1024) {
            return (bytes >> 10) + " KiB";
        }
        return value.toString();
    }
}
