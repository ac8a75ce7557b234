package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.datasource.Chaos.Chosen;
import io.flagfeed.sdk.datasource.Chaos.Round;
import io.flagfeed.sdk.datasource.ChaosTruth.Edit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the soak's service decides, without a service. */
final class ChaosTest {
    private static List<Round> rounds(long seed, int count) {
        Chaos chaos = new Chaos(seed);
        List<Round> rounds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rounds.add(chaos.round(i, 4));
        }
        return rounds;
    }

    @Test
    void sameSeedDecidesTheSameInWhateverOrderItIsAsked() {
        assertEquals(rounds(7, 20), rounds(7, 20));
        assertEquals(rounds(7, 20).get(19), new Chaos(7).round(19, 4));
        assertNotEquals(rounds(7, 1), rounds(8, 1));
        assertNotEquals(rounds(7, 2).get(0), rounds(7, 2).get(1));
    }

    @Test
    void everyFaultOccursEarly() {
        for (long seed = 0; seed < 100; seed++) {
            List<Round> rounds = rounds(seed, Chaos.ROUNDS_FOR_ALL);
            Set<ChaosFault> common = Set.of(ChaosCommonFault.values());
            assertTrue(occurring(rounds, Chaos.Step::stream).containsAll(common));
            assertTrue(occurring(rounds, Chaos.Step::stream).containsAll(Arrays.asList(ChaosStreamFault.values())));
            assertTrue(occurring(rounds, Chaos.Step::poll).containsAll(common));
            assertTrue(occurring(rounds, Chaos.Step::poll).containsAll(Arrays.asList(ChaosPollFault.values())));
            assertTrue(occurring(rounds, Chaos.Step::live).containsAll(Arrays.asList(ChaosLiveFault.values())));
        }
    }

    private static <T> Set<T> occurring(List<Round> rounds, Function<Chaos.Step, List<Chosen<T>>> faults) {
        Set<T> occurring = new HashSet<>();
        for (Round round : rounds) {
            round.storm().forEach(step -> faults.apply(step).forEach(chosen -> occurring.add(chosen.what())));
        }
        return occurring;
    }

    @Test
    void versionsOnlyGoUpAndTheAnchorStays() {
        Map<ItemKey, Long> versions = new HashMap<>();
        ChaosItems.KEYS.forEach(key -> versions.put(key, ChaosItems.version(key, 0, 0)));
        for (Round round : rounds(1, 1000)) {
            List<Edit> edits = Stream.concat(
                            round.storm().stream().map(Chaos.Step::edits), Stream.of(round.calmEdits()))
                    .flatMap(Collection::stream)
                    .toList();
            for (Edit edit : edits) {
                assertTrue(edit.version() > versions.put(edit.key(), edit.version()), edit::toString);
                assertTrue(!edit.delete() || !edit.key().equals(ChaosItems.ANCHOR));
            }
        }
        assertTrue(versions.values().stream().anyMatch(version -> version < 0));
        assertTrue(versions.values().stream().anyMatch(version -> version > 1L << 32));
    }
}
