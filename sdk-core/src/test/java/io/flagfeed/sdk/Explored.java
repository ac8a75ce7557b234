package io.flagfeed.sdk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.verifier.LinearizabilityVerifier;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;

/** Lincheck's judgement of whether the results fit some order of the calls, and a count of what it has judged. */
public final class Explored implements Verifier {
    // Lincheck makes the verifier, from one thread: there is no other way to ask it how much it has done.
    private static final Map<ExecutionScenario, Integer> RUNS = new LinkedHashMap<>();

    private final Verifier linearizability;

    /** For the class whose calls, one after another, are right by definition. */
    public Explored(Class<?> sequential) {
        linearizability = new LinearizabilityVerifier(sequential);
    }

    @Override
    public boolean verifyResults(ExecutionScenario scenario, ExecutionResult results) {
        RUNS.merge(scenario, 1, Integer::sum);
        return linearizability.verifyResults(scenario, results);
    }

    /** How often each scenario was run since the last time this was asked, each time in another way. */
    static List<Integer> runs() {
        List<Integer> runs = new ArrayList<>(RUNS.values());
        RUNS.clear();
        return runs;
    }
}
