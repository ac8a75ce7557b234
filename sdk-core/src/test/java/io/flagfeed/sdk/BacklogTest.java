package io.flagfeed.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BacklogTest {
    /** Shows what was merged. */
    static final class Joined implements Backlog.Merged<String> {
        private final StringJoiner all = new StringJoiner("+");

        @Override
        public void add(String event) {
            all.add(event);
        }

        @Override
        public @Nullable String event() {
            return all.toString().equals("nothing") ? null : all.toString();
        }
    }

    private static Backlog<String> ofLength() {
        return new Backlog<>(String::length, Joined::new);
    }

    /** The next, merged or not. */
    private static <E> E next(Backlog<E> backlog) {
        E event = backlog.poll();
        Backlog.Merged<E> merged = event == null ? backlog.pollMerged() : null;
        return merged == null ? event : merged.event();
    }

    private static <E> List<E> drain(Backlog<E> backlog) {
        List<E> all = new ArrayList<>();
        for (E event = next(backlog); event != null; event = next(backlog)) {
            all.add(event);
        }
        assertTrue(backlog.isEmpty());
        return all;
    }

    @Test
    void whatFitsComesOutAsItWentIn() {
        Backlog<String> backlog = ofLength();
        assertTrue(backlog.isEmpty());
        assertNull(next(backlog));
        backlog.add("a".repeat(600));
        backlog.add("b".repeat(400));
        assertFalse(backlog.isEmpty());
        assertEquals(List.of("a".repeat(600), "b".repeat(400)), drain(backlog));
    }

    @Test
    void whatIsTooMuchIsMergedUntilTheListenerGetsThere() {
        Backlog<String> backlog = ofLength();
        backlog.add("a".repeat(600));
        backlog.add("b".repeat(401));
        backlog.add("c"); // would fit, but comes after what does not
        assertEquals("a".repeat(600), next(backlog));
        backlog.add("d");
        assertFalse(backlog.isEmpty());
        assertEquals("b".repeat(401) + "+c+d", next(backlog));
        backlog.add("e");
        assertEquals(List.of("e"), drain(backlog));
    }

    @Test
    void oneThatIsTooMuchByItselfIsTakenWhileThereIsNothingElse() {
        Backlog<String> backlog = ofLength();
        backlog.add("a".repeat(5000));
        backlog.add("b");
        backlog.add("c");
        assertEquals(List.of("a".repeat(5000), "b+c"), drain(backlog));
    }

    @Test
    void whatCameToNothingIsNotTold() {
        Backlog<String> backlog = ofLength();
        backlog.add("a".repeat(1000));
        backlog.add("nothing");
        next(backlog);
        assertFalse(backlog.isEmpty());
        assertNull(next(backlog));
        assertTrue(backlog.isEmpty());
    }

    @Test
    void ofTooManyStatusesTheLatestCounts() {
        List<DataSourceStatus> statuses = IntStream.range(0, 1500)
                .mapToObj(i -> new DataSourceStatus(
                        i == 1499 ? State.OFF : State.VALID, Instant.ofEpochSecond(i), null, null, null))
                .toList();
        Backlog<DataSourceStatus> backlog = Backlog.ofStatuses();
        statuses.forEach(backlog::add);
        List<DataSourceStatus> told = drain(backlog);
        assertEquals(statuses.subList(0, 1000), told.subList(0, 1000));
        assertEquals(1001, told.size());
        assertSame(statuses.get(1499), told.get(1000));
    }
}
