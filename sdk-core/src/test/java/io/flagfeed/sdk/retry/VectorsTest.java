package io.flagfeed.sdk.retry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs every row of the vectors. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class VectorsTest {
    private static final String VECTORS = "io.flagfeed.sdk.retry.Vectors#";

    // as close to 1 as a random source in [0, 1) may come
    private static final double ALMOST_ONE = Math.nextDown(1.0);
    private static final Duration TOLERANCE = Duration.ofNanos(1_000);

    private static final List<Object> RUN = new ArrayList<>();

    @ParameterizedTest
    @MethodSource(VECTORS + "retryAfter")
    void retryAfter(Vectors.RetryAfterRow row) {
        assertEquals(row.expected(), row.parsed());
        RUN.add(row);
    }

    @ParameterizedTest
    @MethodSource(VECTORS + "classification")
    void classification(Vectors.ClassificationRow row) {
        assertEquals(row.expected(), FailureClass.ofHttpStatus(row.status()));
        RUN.add(row);
    }

    @ParameterizedTest
    @MethodSource(VECTORS + "waits")
    void waits(Vectors.WaitsRow row) {
        assertEquals(row.expectedWithoutJitter(), row.run(() -> 0));
        assertNear(row.expectedInfimum(), row.run(() -> ALMOST_ONE));
        RUN.add(row);
    }

    @Test
    @Order(Integer.MAX_VALUE)
    @Tag("whole-class")
    void everyRowOfTheFilesWasRun() {
        assertAll(
                () -> assertEquals(Vectors.rowsIn("retry-after.json"), run(Vectors.RetryAfterRow.class)),
                () -> assertEquals(Vectors.rowsIn("classification.json"), run(Vectors.ClassificationRow.class)),
                () -> assertEquals(Vectors.rowsIn("waits.json"), run(Vectors.WaitsRow.class)));
    }

    private static long run(Class<?> rows) {
        return RUN.stream().filter(rows::isInstance).count();
    }

    /** The rows came from a folder beside the repository: where it exists, the copies have to keep up with it. */
    @ParameterizedTest
    @ValueSource(strings = {"retry-after.json", "classification.json", "waits.json"})
    void theCopyIsUpToDate(String file) throws IOException {
        Path original = sharedVectors().resolve(file);
        assertEquals(Files.readString(original, UTF_8), Vectors.text(file));
    }

    @Test
    void noFileOfTheFolderIsForgotten() throws IOException {
        try (Stream<Path> files = Files.list(sharedVectors())) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .sorted()
                    .toList();
            assertEquals(List.of("classification.json", "retry-after.json", "waits.json"), names);
        }
    }

    private static Path sharedVectors() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path vectors = folder.resolve("shared").resolve("vectors");
            if (Files.isDirectory(vectors)) {
                return vectors;
            }
        }
        return abort("no folder shared/vectors above or beside this one");
    }

    /** The infimum is never reached: a wait is longer, and not by much. */
    static void assertNear(List<Duration> infimum, List<Duration> waits) {
        assertEquals(infimum.size(), waits.size());
        for (int i = 0; i < waits.size(); i++) {
            Duration above = waits.get(i).minus(infimum.get(i));
            assertTrue(
                    !above.isNegative() && above.compareTo(TOLERANCE) <= 0,
                    "expected just above " + infimum + " but was " + waits);
        }
    }
}
