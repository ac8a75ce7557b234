package io.flagfeed.sdk;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.util.LoggingLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Lincheck looks for an order of steps that breaks what the models promise: it makes up scenarios of calls by two or
 * three threads, the same ones each time, and runs each again and again. As a model checker it decides itself which
 * thread makes the next step; under stress the threads run as they like, on the real memory.
 *
 * <p>It rewrites classes while it works, so it has a JVM of its own, and no log: see the pom.
 */
@Tag("interleavings")
class InterleavingsTest {
    // Values, pure functions of values, and what is not ours: no step of these can be seen by another thread.
    private static final List<String> NOT_SHARED = List.of(
            "java.time.",
            "java.util.ArrayDeque",
            "java.util.ArrayList",
            "java.util.ImmutableCollections",
            "java.util.Optional",
            "java.util.stream.",
            "org.slf4j.",
            "org.junit.",
            "io.flagfeed.sdk.ChangeEvent",
            "io.flagfeed.sdk.ChangeSet",
            "io.flagfeed.sdk.Changes",
            "io.flagfeed.sdk.DataSourceStatus",
            "io.flagfeed.sdk.ErrorInfo",
            "io.flagfeed.sdk.Item",
            "io.flagfeed.sdk.References",
            "io.flagfeed.sdk.Snapshot",
            "io.flagfeed.sdk.StatusMachine",
            "io.flagfeed.sdk.retry.");

    private static final int TIMES = Integer.getInteger("interleavings.times", 1); // more for a search

    private static ModelCheckingOptions modelChecking() {
        return new ModelCheckingOptions()
                .addGuarantee(forClasses((String name) -> NOT_SHARED.stream().anyMatch(name::startsWith))
                        .allMethods()
                        .ignore());
    }

    /** Checks, and holds the test to the numbers that the documents give. */
    private static void explore(Class<?> model, Options<?, ?> options, int scenarios, int runs) {
        int runsOfEach = runs * TIMES;
        Explored.runs(); // of a test before that failed
        options.invocationsPerIteration(runsOfEach)
                .verifier(Explored.class)
                .logLevel(LoggingLevel.ERROR)
                .check(model);
        assertEquals(Collections.nCopies(scenarios, runsOfEach), Explored.runs());
    }

    /** Scenarios of Lincheck's own. */
    private static void explore(
            Class<?> model, Options<?, ?> options, int scenarios, int threads, int calls, int runs) {
        options.iterations(scenarios)
                .threads(threads)
                .actorsBefore(1)
                .actorsPerThread(calls)
                .actorsAfter(0);
        explore(model, options, scenarios, runs);
    }

    /** Scenarios of ours. */
    private static void explore(Class<?> model, Options<?, ?> options, int runs, List<ExecutionScenario> scenarios) {
        options.iterations(0);
        scenarios.forEach(options::addCustomScenario);
        explore(model, options, scenarios.size(), runs);
    }

    @Test
    void listenersThatComeAndGoHearEverythingOnceAndInOrder() {
        explore(SubscriptionsModel.class, modelChecking(), 20, 2, 3, 200);
    }

    @Test
    void listenersHearWhatTwoThreadsTellAtTheSameMoment() {
        explore(
                SubscriptionsModel.class,
                modelChecking(),
                600,
                List.of(scenario(SubscriptionsModel.class, "subscribe", "tell", "tell")));
    }

    @Test
    void aChangeSetIsSeenWholeOrNotAtAll() {
        explore(PublicationModel.class, modelChecking(), 10, 2, 3, 100);
    }

    @Test
    void afterCloseNothingRunsOrMovesWhateverWasUnderWay() {
        explore(LifecycleModel.class, modelChecking(), 12, 2, 3, 100);
    }

    @Test
    void threeThreadsStartFeedAndClose() {
        explore(LifecycleModel.class, modelChecking(), 6, 3, 2, 100);
    }

    @Test
    void whoeverWaitsIsLetGo() {
        Class<?> model = WaitersModel.class;
        explore(
                model,
                modelChecking().sequentialSpecification(WaitersModel.OneByOne.class),
                100,
                List.of(
                        scenario(model, "start", "await", "put"),
                        scenario(model, "start", "await", "close"),
                        scenario(model, "", "await", "start put"),
                        scenario(model, "", "await", "start", "close"),
                        scenario(model, "start", "await", "put", "close"),
                        scenario(model, "start", "await", "await", "put close")));
    }

    @Test
    void onTheirOwnThreadsSystemsStartAndCloseUnderStress() {
        explore(LifecycleModel.OnItsOwnThreads.class, new StressOptions(), 10, 2, 3, 100);
    }

    @Test
    void underStressAChangeSetIsSeenWholeOrNotAtAll() {
        explore(PublicationModel.class, new StressOptions(), 10, 2, 3, 100);
    }

    @Test
    void underStressListenersHearEverythingOnceAndInOrder() {
        explore(SubscriptionsModel.class, new StressOptions(), 10, 2, 3, 300);
    }

    /** The calls before, and those of each thread. */
    private static ExecutionScenario scenario(Class<?> model, String before, String... threads) {
        return new ExecutionScenario(
                calls(model, before),
                Stream.of(threads).map(names -> calls(model, names)).toList(),
                List.of(),
                end(model));
    }

    private static List<Actor> calls(Class<?> model, String names) {
        return Stream.of(names.split(" "))
                .filter(name -> !name.isEmpty())
                .map(name -> new Actor(method(model, method -> method.getName().equals(name)), List.of()))
                .toList();
    }

    /** What must be true when all is quiet. */
    private static Actor end(Class<?> model) {
        return new Actor(method(model, method -> method.isAnnotationPresent(Validate.class)), List.of());
    }

    private static Method method(Class<?> model, Predicate<Method> which) {
        return Stream.of(model.getDeclaredMethods()).filter(which).findFirst().orElseThrow();
    }
}
