package io.flagfeed.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules of the layout, over the main code of all modules; and for each rule a breach of it that it finds. */
final class ArchitectureTest {
    private static final String DATASOURCE = "io.flagfeed.sdk.datasource.";
    private static final String HERE = "io.flagfeed.cli.."; // where the breaches are
    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.flagfeed");

    private static final Set<String> CLOCKS_AND_SLEEPS = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.Thread.sleep",
            "java.time.Instant.now",
            "java.time.LocalDate.now",
            "java.time.LocalTime.now",
            "java.time.LocalDateTime.now",
            "java.time.OffsetDateTime.now",
            "java.time.ZonedDateTime.now",
            "java.time.Year.now",
            "java.time.Clock.system",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.time.InstantSource.system",
            "java.time.Clock.tick",
            "java.time.Clock.tickMillis",
            "java.time.Clock.tickSeconds",
            "java.time.Clock.tickMinutes",
            "java.util.Calendar.getInstance",
            "java.util.Timer.<init>",
            "java.util.concurrent.CompletableFuture.orTimeout",
            "java.util.concurrent.CompletableFuture.completeOnTimeout",
            "java.util.concurrent.CompletableFuture.delayedExecutor",
            "java.util.concurrent.Executors.newScheduledThreadPool",
            "java.util.concurrent.Executors.newSingleThreadScheduledExecutor",
            "java.util.concurrent.ScheduledThreadPoolExecutor.<init>",
            "java.util.concurrent.TimeUnit.sleep",
            "java.util.concurrent.locks.LockSupport.parkNanos",
            "java.util.concurrent.locks.LockSupport.parkUntil");

    private static final ArchRule ONLY_THE_SYSTEM_SCHEDULER_HAS_TIME = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(SystemScheduler.class.getName())
            .should()
            .accessTargetWhere(describe("reads a clock or sleeps", ArchitectureTest::readsAClockOrSleeps))
            .because("time comes from a Scheduler, so that tests can move it");

    private static final ArchRule ONLY_TRANSPORTS_TOUCH_HTTP = noClasses()
            .that(doNotBelongTo(
                    DATASOURCE + "HttpSettings",
                    DATASOURCE + "HttpClients",
                    DATASOURCE + "HttpEndpoint",
                    DATASOURCE + "HttpExchange",
                    DATASOURCE + "ProxyRefusedException",
                    DATASOURCE + "StreamTransport",
                    DATASOURCE + "PollTransport"))
            .should()
            .dependOnClassesThat(resideInAnyPackage("okhttp3..", "okio..", "com.launchdarkly.."))
            .because("whoever changes the HTTP library changes these and nothing else");

    private static final ArchRule NO_START_WAITS_FOR_LOGGING = noFields()
            .that()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackage("io.flagfeed.sdk.testing..")
            .should()
            .haveRawType(Logger.class)
            .because("a logger is asked for when there is something to say: setting up what logs takes long");

    /** For the retry package; for another one, to see it broken. */
    private static ArchRule standsAlone(String ofPackage) {
        return classes()
                .that()
                .resideInAPackage(ofPackage)
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("io.flagfeed.sdk.retry..", "java..", "org.jspecify.annotations.."))
                .because("it decides in values, and others may use it in a loop of their own");
    }

    /** For the data sources; for another package, to see it broken. */
    private static ArchRule onlyTheLoopSchedules(String inPackage) {
        return noClasses()
                .that()
                .resideInAPackage(inPackage)
                .and(doNotBelongTo(DATASOURCE + "SourceLoop"))
                .should()
                .callMethod(Scheduler.class, "schedule", Duration.class, Runnable.class)
                .because("nobody else tries again");
    }

    @Test
    void onlyTheSystemSchedulerReadsAClockOrSleeps() {
        ONLY_THE_SYSTEM_SCHEDULER_HAS_TIME.check(MAIN);
    }

    @Test
    void onlyTransportsAndHttpSettingsTouchTheHttpLibraries() {
        ONLY_TRANSPORTS_TOUCH_HTTP.check(MAIN);
    }

    @Test
    void retryDependsOnNothingButTheJdk() {
        standsAlone("io.flagfeed.sdk.retry..").check(MAIN);
    }

    @Test
    void onlyTheLoopSchedules() {
        onlyTheLoopSchedules("io.flagfeed.sdk.datasource..").check(MAIN);
    }

    @Test
    void nobodyHoldsALogger() {
        NO_START_WAITS_FOR_LOGGING.check(MAIN);
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of("sdk-core", "sdk-datasource", "sdk-testing", "sdk-cli")) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        assertTrue(sources.size() > 20, "sources found: " + sources);
        return sources;
    }

    @Test
    void nothingPublicLacksAComment() throws IOException {
        assertEquals(List.of(), UndocumentedApi.in(sources()));
    }

    /** Spotless sees to the width of code, and leaves comments alone. */
    @Test
    void commentsAreAsWideAsCode() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Path source : sources()) {
            for (String line : Files.readAllLines(source)) {
                if (line.length() > 120 && line.matches("\\s*(/\\*\\*|\\*|//).*")) {
                    wide.add(source.getFileName() + ": " + line.strip());
                }
            }
        }
        assertEquals(List.of(), wide);
    }

    /** What each rule says of a breach. */
    @Test
    void everyRuleFindsABreachOfIt() {
        assertTrue(breaks(ONLY_THE_SYSTEM_SCHEDULER_HAS_TIME, ReadsClocks.class));
        assertEquals(
                9,
                ONLY_THE_SYSTEM_SCHEDULER_HAS_TIME
                        .evaluate(new ClassFileImporter().importClasses(ReadsClocks.class))
                        .getFailureReport()
                        .getDetails()
                        .size());
        assertTrue(breaks(ONLY_TRANSPORTS_TOUCH_HTTP, TouchesHttp.class));
        assertTrue(breaks(standsAlone(HERE), UsesTheScheduler.class));
        assertTrue(breaks(onlyTheLoopSchedules(HERE), UsesTheScheduler.class));
        assertTrue(breaks(NO_START_WAITS_FOR_LOGGING, HoldsALogger.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "public class A {}",
                "/** A. */ public class A { public void b() {} }",
                "/** A. */ public class A { protected int b; }",
                "/** A. */ public class A { public A() {} }",
                "/** A. */ public interface A { void b(); }",
                "/** A. */ public enum A { B }",
                "/** A. */ public record A(int b) { public int c() { return b; } }",
                "/** A. */ public class A { public static class B {} }",
            })
    void undocumentedApiIsFound(String source) throws IOException {
        assertEquals(1, UndocumentedApi.in("A", source).size(), source);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "class A { public void b() {} }",
                "/** A. */ public class A { void b() {} private int c; private A() {} }",
                "/** A. */ public class A { private A() {} @Override public String toString() { return \"\"; } }",
                "/** A. */ public record A(int b) {}",
                "/** A. */ public enum A { /** B. */ B }",
                "/** A. */ public interface A { /** B. */ void b(); }",
            })
    void documentedOrHiddenApiIsFine(String source) throws IOException {
        assertEquals(List.of(), UndocumentedApi.in("A", source));
    }

    @SuppressWarnings({"unused", "JavaUtilDate"})
    private static final class ReadsClocks {
        void all() throws InterruptedException {
            long now = System.nanoTime() + System.currentTimeMillis();
            Instant instant = Instant.now();
            Date date = new Date();
            InstantSource source = InstantSource.system();
            InstantSource reference = Clock.systemUTC();
            LockSupport.parkNanos(1);
            TimeUnit.SECONDS.sleep(1);
            CompletableFuture<Object> late = new CompletableFuture<>().orTimeout(1, TimeUnit.SECONDS);
        }
    }

    @SuppressWarnings("unused")
    private static final class HoldsALogger {
        private static final Logger LOG = LoggerFactory.getLogger(HoldsALogger.class);
    }

    @SuppressWarnings("unused")
    private static final class TouchesHttp {
        private final OkHttpClient client = new OkHttpClient();
    }

    @SuppressWarnings("unused")
    private static final class UsesTheScheduler {
        Cancellable later(Scheduler scheduler) {
            return scheduler.schedule(Duration.ZERO, () -> {});
        }
    }

    private static boolean breaks(ArchRule rule, Class<?> breach) {
        return rule.evaluate(new ClassFileImporter().importClasses(breach)).hasViolation();
    }

    private static boolean readsAClockOrSleeps(JavaAccess<?> access) {
        String target = access.getTargetOwner().getName() + "." + access.getName();
        boolean newDate = target.equals("java.util.Date.<init>")
                && access.getTarget().getFullName().endsWith("()");
        return newDate || CLOCKS_AND_SLEEPS.contains(target);
    }

    private static DescribedPredicate<JavaClass> doNotBelongTo(String... names) {
        Set<String> allowed = Set.of(names);
        return describe("do not belong to " + allowed, type -> {
            String name = type.getName();
            int nested = name.indexOf('$');
            return !allowed.contains(nested < 0 ? name : name.substring(0, nested));
        });
    }
}
