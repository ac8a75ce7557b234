package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.datasource.Chaos.Chosen;
import io.flagfeed.sdk.datasource.Chaos.Round;
import io.flagfeed.sdk.datasource.Chaos.Step;
import io.flagfeed.sdk.datasource.ChaosFault.Scene;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Script;
import io.flagfeed.sdk.testing.TestFlags;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * The soak: clients of both modes live with a service that does every wrong thing there is while its flags change, and
 * after each storm hold exactly what it holds.
 *
 * <p>{@code -Dchaos.duration=PT10M} (or seconds) says for how long, {@code -Dchaos.seed} repeats what the service does,
 * and {@code -Dchaos.log=DEBUG} writes the library's log.
 */
final class ChaosIT {
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration SETTLES = Duration.ofMillis(300); // twice what a client waits for an answer
    private static final Duration HEARTBEAT = Duration.ofMillis(30);
    private static final List<Mode> CLIENTS = List.of(Mode.STREAMING, Mode.POLLING, Mode.STREAMING, Mode.POLLING);
    private static final int STREAMING = 2;
    private static final int POLLING = 2;

    private final long seed =
            Long.getLong("chaos.seed", ThreadLocalRandom.current().nextLong());
    private final Chaos chaos = new Chaos(seed);
    private final FakeFlagServer server =
            FakeFlagServer.builder().heartbeatEvery(HEARTBEAT).start();
    private final FakeFlagServer elsewhere = FakeFlagServer.start();
    private final SystemScheduler shared = Scheduler.system("flagfeed-chaos-shared");
    private final SystemScheduler readers = Scheduler.system("flagfeed-chaos-readers");
    private final Logger log = (Logger) LoggerFactory.getLogger("io.flagfeed");

    private final ChaosTruth truth = new ChaosTruth();
    private final Queue<String> complaints = new ConcurrentLinkedQueue<>();
    private final List<ChaosClient> clients = new ArrayList<>();
    private final List<ChaosClient> closed = new ArrayList<>();
    private final Map<String, Integer> faults = new TreeMap<>(); // how often each occurred
    private int begun; // how many clients in all
    private final Map<Failure.Kind, Integer> failures = new EnumMap<>(Failure.Kind.class); // as clients were told
    private long requests;
    private long changes;
    private String where = "at the start";

    @BeforeEach
    void quiet() {
        // each of thousands of failures would be some lines of log
        log.setLevel(Level.toLevel(System.getProperty("chaos.log"), Level.OFF));
    }

    @AfterEach
    void close() {
        clients.forEach(ChaosClient::close);
        server.close();
        elsewhere.close();
        shared.close();
        readers.close();
        log.setLevel(Level.DEBUG);
    }

    @Test
    void afterEachStormTheClientsHoldWhatTheServiceHolds() {
        Duration duration = duration(System.getProperty("chaos.duration", "PT2M"));
        String repeat = "-Dchaos.seed=" + seed;
        System.out.println("Chaos: " + duration + ", to repeat what the service does: " + repeat);
        try {
            soak(duration);
        } catch (Throwable e) {
            throw new AssertionError("Chaos went wrong " + where + ". To repeat what the service did: " + repeat, e);
        }
    }

    private void soak(Duration duration) {
        long began = readers.nanoTime();
        server.setAll(truth.items());
        elsewhere.set(TestFlags.flag("lie").build()); // whoever goes there is told what is not so
        for (int i = 0; i < CLIENTS.size(); i++) {
            clients.add(begin(i));
        }
        int rounds = 0;
        while (rounds == 0 || readers.nanoTime() - began < duration.toNanos()) {
            Round round = chaos.round(rounds, CLIENTS.size());
            for (int i = 0; i < round.storm().size(); i++) {
                where = "in round " + rounds + ", step " + i + ": "
                        + round.storm().get(i);
                storm(round.storm().get(i), rounds + "." + i);
            }
            where = "in the calm after round " + rounds + ": " + round.storm();
            calm(round);
            rounds++;
        }
        where = "at the end";
        end(chaos.round(rounds, CLIENTS.size()).storm().get(0));
        System.out.println("Chaos: " + rounds + " rounds, " + requests + " requests, " + changes + " change events, "
                + failures + " failures, "
                + begun + " clients, "
                + faults.values().stream().mapToInt(n -> n).sum() + " faults " + faults);
        if (rounds >= Chaos.ROUNDS_FOR_ALL) {
            assertEquals(List.of(), neverOccurred());
        }
        assertTrue(rounds >= Chaos.ROUNDS_FOR_ALL || duration.compareTo(Duration.ofMinutes(2)) < 0, "too few rounds");
    }

    private ChaosClient begin(int index) {
        Mode mode = CLIENTS.get(index);
        boolean plain = index < CLIENTS.size() / 2;
        ChaosClient client = new ChaosClient(
                mode + "-" + ++begun, ChaosClient.source(mode, server), !plain, plain ? null : shared, complaints);
        client.start(readers);
        return client;
    }

    // ---- a storm

    private void storm(Step step, String id) {
        // apart, so that what is live finds the same flags each time, however fast the answers were asked for
        int half = step.edits().size() / 2;
        Deque<ChaosTruth.Edit> edits = new ArrayDeque<>(step.edits().subList(0, half));
        Deque<ChaosTruth.Edit> liveEdits =
                new ArrayDeque<>(step.edits().subList(half, step.edits().size()));
        if (step.holdsFlags()) {
            edits.forEach(edit -> truth.edit(edit, server));
            edits.clear();
        }
        say("stream ", server.stream(), step.stream(), id);
        say("poll ", server.poll(), step.poll(), id);
        happen(step.kick());
        if (step.replaced() >= 0) {
            replace(step.replaced());
        }
        awaitAllGiven(edits);
        for (Chosen<ChaosLiveFault> fault : step.live()) {
            for (int i = 0; i < 3 && !liveEdits.isEmpty(); i++) {
                truth.edit(liveEdits.remove(), server);
            }
            within(SETTLES, () -> server.openStreams() == STREAMING);
            happen(fault);
        }
        liveEdits.forEach(edit -> truth.edit(edit, server));
        assertEquals(List.of(), List.copyOf(complaints));
    }

    private void say(String mode, Script script, List<Chosen<ChaosFault>> answers, String id) {
        script.atOnce(words -> {
            for (int i = 0; i < answers.size(); i++) {
                Chosen<ChaosFault> answer = answers.get(i);
                answer.what().say(words, scene(answer.random(), mode.charAt(0) + id + "." + i));
                faults.merge(mode + answer, 1, Integer::sum);
            }
        });
    }

    private void happen(Chosen<ChaosLiveFault> fault) {
        int asked = server.streamRequests().size();
        int open = server.openStreams();
        fault.what().happen(server, scene(fault.random(), "live"));
        if (fault.what().isToBeLeft()) {
            await(LONGEST)
                    .alias("every stream is left after " + fault)
                    .until(() -> server.streamRequests().size() >= asked + open);
        }
        faults.merge("live " + fault, 1, Integer::sum);
        if (fault.what().isOutage()) {
            within(SETTLES, () -> clients.stream().noneMatch(ChaosClient::isValid));
            server.refuse(); // who hangs in a black hole, too
            server.accept();
        }
    }

    private Scene scene(Random random, String id) {
        return new Scene(random, truth, server.uri(), elsewhere.uri(), id);
    }

    private void replace(int index) {
        ChaosClient old = clients.get(index);
        old.close();
        closed.add(old);
        clients.set(index, begin(index));
    }

    /** Waits until each answer was given to somebody, and makes all these edits meanwhile. */
    private void awaitAllGiven(Deque<ChaosTruth.Edit> edits) {
        int[] last = {0, 0}; // how many were left, and how often in a row
        await(LONGEST).alias("every answer is asked for").until(() -> {
            if (!edits.isEmpty()) {
                truth.edit(edits.remove(), server);
            }
            List<String> left = server.stream().pending();
            last[1] = left.size() == last[0] ? last[1] + 1 : 0;
            last[0] = left.size();
            if (!left.isEmpty() && last[1] > 150) { // somebody got a stream just before the answers were there
                last[1] = 0;
                server.dropStreams();
            }
            return left.isEmpty() && server.poll().pending().isEmpty() && edits.isEmpty();
        });
    }

    // ---- a calm

    private void calm(Round round) {
        round.calmAfter().forEach(this::happen);
        awaitTruth();
        round.calmEdits().forEach(edit -> truth.edit(edit, server));
        awaitTruth();
        replace(round.replaced());
        awaitTruth();
        assertEquals(List.of(), List.copyOf(complaints));
        await(LONGEST).untilAsserted(() -> assertEquals("", troubleAfterClosing()));
        forgetClosed();
        requests += server.requests().size();
        server.forgetRequests();
        assertNothingToldElsewhere();
    }

    private void forgetClosed() {
        for (ChaosClient client : closed) {
            changes += client.changes();
            client.failures().forEach((kind, times) -> failures.merge(kind, times, Integer::sum));
        }
        closed.clear();
    }

    /**
     * A stream of comments on which a live event came, before any data, is one that has begun to send events: it lasts,
     * and says nothing more. So what is not well for long loses its stream, if it has one.
     */
    private void awaitTruth() {
        int[] looks = {0};
        await(LONGEST).untilAsserted(() -> {
            String trouble = trouble();
            if (!trouble.isEmpty() && ++looks[0] % 300 == 0) {
                server.dropStreams();
            }
            assertEquals("", trouble);
        });
    }

    private String trouble() {
        for (ChaosClient client : clients) {
            String trouble = client.trouble(truth);
            if (!trouble.isEmpty()) {
                return trouble;
            }
        }
        int streams = server.openStreams();
        int connections = server.openConnections();
        int elsewhereToo = elsewhere.openConnections();
        long streamThreads = threads("flagfeed-stream");
        long pollThreads = threads("flagfeed-poll");
        boolean well = streams == STREAMING
                && connections >= STREAMING
                && connections <= STREAMING + POLLING
                && elsewhereToo <= STREAMING + POLLING
                && streamThreads == STREAMING
                && pollThreads <= POLLING;
        return well
                ? ""
                : streams + " streams, " + connections + " connections, " + elsewhereToo + " elsewhere, "
                        + streamThreads + " threads of streams, " + pollThreads + " of polls, of " + STREAMING
                        + " streaming and " + POLLING + " polling clients";
    }

    private String troubleAfterClosing() {
        return closed.stream()
                .map(ChaosClient::troubleAfterClosing)
                .filter(trouble -> !trouble.isEmpty())
                .findFirst()
                .orElse("");
    }

    private void assertNothingToldElsewhere() {
        assertEquals(List.of(), elsewhere.requests());
    }

    // ---- the end

    /** Everybody is closed in the middle of a storm. */
    private void end(Step step) {
        say("stream ", server.stream(), step.stream(), "end");
        say("poll ", server.poll(), step.poll(), "end");
        happen(step.kick());
        within(Duration.ofMillis(20), () -> server.stream().pending().isEmpty());
        clients.forEach(ChaosClient::close);
        closed.addAll(clients);
        clients.clear();
        readers.close();
        shared.close();
        await(LONGEST).untilAsserted(() -> assertEquals("", troubleAfterClosing()));
        await(LONGEST).untilAsserted(() -> {
            assertEquals(0, server.openConnections());
            assertEquals(0, elsewhere.openConnections());
        });
        Sockets.awaitNoThreads();
        requests += server.requests().size();
        assertEquals("", troubleAfterClosing());
        assertEquals(List.of(), List.copyOf(complaints));
        forgetClosed();
    }

    private List<String> neverOccurred() {
        List<String> never = new ArrayList<>();
        for (ChaosCommonFault fault : ChaosCommonFault.values()) {
            never.add("stream " + fault);
            never.add("poll " + fault);
        }
        for (ChaosStreamFault fault : ChaosStreamFault.values()) {
            never.add("stream " + fault);
        }
        for (ChaosPollFault fault : ChaosPollFault.values()) {
            never.add("poll " + fault);
        }
        for (ChaosLiveFault fault : ChaosLiveFault.values()) {
            never.add("live " + fault);
        }
        never.removeAll(faults.keySet());
        return never;
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .count();
    }

    private static ConditionFactory await(Duration longest) {
        return Awaitility.await().atMost(longest).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
    }

    /** Gives something the time to come about, and goes on without it otherwise. */
    private static void within(Duration longest, Callable<Boolean> condition) {
        try {
            await(longest).until(condition);
        } catch (ConditionTimeoutException e) {
            // it does not matter
        }
    }

    private static Duration duration(String text) {
        return text.matches("[0-9]+") ? Duration.ofSeconds(Long.parseLong(text)) : Duration.parse(text);
    }
}
