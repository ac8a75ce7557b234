package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** That what the documents show is true: their examples compile, and those that can be run do. */
@Timeout(60)
final class DocumentTest {
    private static final Pattern EXAMPLE =
            Pattern.compile("<!-- (compiled[^>]*) -->\n```java\n(.*?)```", Pattern.DOTALL);
    private static final String IMPORTS = """
            import static org.junit.jupiter.api.Assertions.*;
            import io.flagfeed.sdk.*;
            import io.flagfeed.sdk.DataSourceStatus.State;
            import io.flagfeed.sdk.datasource.*;
            import io.flagfeed.sdk.retry.*;
            import io.flagfeed.sdk.testing.*;
            import java.net.InetSocketAddress;
            import java.net.Proxy;
            import java.net.URI;
            import java.nio.file.Path;
            import java.time.*;
            import java.util.*;
            import org.junit.jupiter.api.Test;
            import org.junit.jupiter.api.extension.ExtendWith;
            import org.slf4j.Logger;
            """;
    private static final Pattern TEST_CLASS = Pattern.compile("^(?:@.*\\R)?final class (\\w+) ");
    private static final String STATEMENTS = """
            public class Example {
                public static void run(String sdkKey, Logger log) throws Exception {
            %s
                }
            }
            """;

    @TempDir
    private Path classes;

    @ParameterizedTest
    @CsvSource({"README.md, 2", "docs/testing.md, 6", "docs/configuration.md, 1"})
    void examplesCompileAndRun(String document, int count) throws Exception {
        List<MatchResult> examples = EXAMPLE.matcher(
                        Files.readString(Path.of("..").resolve(document)))
                .results()
                .toList();
        assertEquals(count, examples.size(), "examples in " + document);
        for (MatchResult example : examples) {
            Matcher testClass = TEST_CLASS.matcher(example.group(2));
            boolean isClass = testClass.find();
            compile(isClass ? example.group(2) : STATEMENTS.formatted(example.group(2)));
            if (example.group(1).contains("run")) {
                if (isClass) {
                    runTests(testClass.group(1));
                } else {
                    runStatements();
                }
            }
        }
    }

    @Test
    void exampleThatDoesNotCompileIsFound() {
        AssertionError e =
                assertThrows(AssertionError.class, () -> compile(STATEMENTS.formatted("DataSystem.open();")));
        assertTrue(String.valueOf(e.getMessage()).contains("open()"), e.getMessage());
    }

    /** A comment that names a rule is of use to those only who can look it up. */
    @Test
    void everyRuleThatCommentsNameIsInTheTable() throws IOException {
        Set<String> rules = found("^\\| (R\\d+) \\| .+ \\|$", Files.readString(Path.of("..", "docs", "retry.md")));
        Set<String> named = new TreeSet<>();
        for (String module : List.of("sdk-core", "sdk-datasource", "sdk-testing")) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    named.addAll(found("\\b(R\\d+)\\b", Files.readString(file)));
                }
            }
        }
        assertTrue(named.size() > 20, named::toString);
        named.removeAll(rules);
        assertEquals(Set.of(), named);
    }

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }

    @Test
    void readmeStaysOnOnePage() throws IOException {
        assertTrue(Files.readAllLines(Path.of("..", "README.md")).size() <= 80);
    }

    /** A test class that does not pass is no example either. */
    @Test
    void testThatFailsIsFound() {
        compile("final class FailingTest { @Test void test() { fail(\"as it says\"); } }");
        AssertionError e = assertThrows(AssertionError.class, () -> runTests("FailingTest"));
        assertTrue(String.valueOf(e.getMessage()).contains("as it says"), e.getMessage());
    }

    private void compile(String code) {
        String source = IMPORTS + code;
        JavaFileObject file = new SimpleJavaFileObject(URI.create("memory:/Example.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
        StringWriter complaints = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-d", classes.toString(), "-classpath", System.getProperty("java.class.path"));
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(complaints, null, null, options, null, List.of(file))
                .call();
        assertTrue(compiled, complaints.toString());
    }

    private void runStatements() throws Exception {
        try (URLClassLoader loader = loader()) {
            loader.loadClass("Example")
                    .getMethod("run", String.class, Logger.class)
                    .invoke(null, "sdk-key", LoggerFactory.getLogger("example"));
        }
    }

    private void runTests(String className) throws Exception {
        try (URLClassLoader loader = loader()) {
            Events tests = EngineTestKit.engine("junit-jupiter")
                    .selectors(selectClass(loader.loadClass(className)))
                    .execute()
                    .testEvents();
            assertEquals(List.of(), tests.failed().list());
            assertEquals(1, tests.succeeded().count(), "tests that passed in " + className);
        }
    }

    private URLClassLoader loader() throws IOException {
        return new URLClassLoader(new URL[] {classes.toUri().toURL()});
    }
}
