package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** That what the documents show is true: their examples compile, and those that can be run do. */
@Timeout(60)
final class DocumentTest {
    private static final Pattern EXAMPLE =
            Pattern.compile("<!-- (compiled[^>]*) -->\n```java\n(.*?)```", Pattern.DOTALL);
    private static final String AROUND = """
            import static org.junit.jupiter.api.Assertions.*;
            import io.flagfeed.sdk.*;
            import io.flagfeed.sdk.DataSourceStatus.State;
            import io.flagfeed.sdk.datasource.*;
            import io.flagfeed.sdk.retry.*;
            import io.flagfeed.sdk.testing.*;
            import java.net.URI;
            import java.time.*;
            import java.util.*;
            import org.slf4j.Logger;
            public class Example {
                public static void run(String sdkKey, Logger log) throws Exception {
            %s
                }
            }
            """;

    @TempDir
    private Path classes;

    @ParameterizedTest
    @CsvSource({"README.md, 2", "docs/testing.md, 5"})
    void examplesCompileAndRun(String document, int count) throws Exception {
        List<MatchResult> examples = EXAMPLE.matcher(
                        Files.readString(Path.of("..").resolve(document)))
                .results()
                .toList();
        assertEquals(count, examples.size(), "examples in " + document);
        for (MatchResult example : examples) {
            compile(AROUND.formatted(example.group(2)));
            if (example.group(1).contains("run")) {
                run();
            }
        }
    }

    @Test
    void exampleThatDoesNotCompileIsFound() {
        AssertionError e = org.junit.jupiter.api.Assertions.assertThrows(
                AssertionError.class, () -> compile(AROUND.formatted("DataSystem.open();")));
        assertTrue(String.valueOf(e.getMessage()).contains("open()"), e.getMessage());
    }

    @Test
    void readmeStaysOnOnePage() throws IOException {
        assertTrue(Files.readAllLines(Path.of("..", "README.md")).size() <= 80);
    }

    private void compile(String source) {
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

    private void run() throws Exception {
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            loader.loadClass("Example")
                    .getMethod("run", String.class, Logger.class)
                    .invoke(null, "sdk-key", LoggerFactory.getLogger("example"));
        }
    }
}
