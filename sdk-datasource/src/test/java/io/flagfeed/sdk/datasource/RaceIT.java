package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.Snapshot;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.UpdateSink;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.Hold;
import io.flagfeed.sdk.testing.TestFlags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * What may happen at the same moment, a thousand times each, half of them streaming and half polling, on real sockets
 * and in real time. Whichever comes first, only one of them counts. How far apart they are is chance around a span that
 * is steered towards the moment at which either may win; the summary says how often each did.
 *
 * <p>{@code -Drace.rounds=10000} makes more rounds, {@code -Drace.seed=42} other ones.
 */
final class RaceIT {
    private static final int ROUNDS = Integer.getInteger("race.rounds", 1000);
    private static final long SEED = Long.getLong("race.seed", 1);
    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofMillis(2);
    private static final Duration ANSWERED = Duration.ofMillis(5); // a timeout in which an answer can come
    private static final Duration NEVER = Duration.ofMinutes(10);

    private final RandomGenerator random =
            RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);
    private final FakeFlagServer server = FakeFlagServer.start();
    private final SystemScheduler scheduler = Scheduler.system("flagfeed-race");
    private final Map<String, Integer> interleavings = new TreeMap<>();

    @AfterEach
    void close() {
        server.close();
        scheduler.close();
    }

    /** One system, what its sink and its listeners heard, and the threads of its attempts. */
    private final class Round {
        final Mode mode;
        final String name;
        final Queue<String> told = new ConcurrentLinkedQueue<>();
        final Queue<String> toldLate = new ConcurrentLinkedQueue<>();
        final Queue<State> states = new ConcurrentLinkedQueue<>();
        final Queue<Thread> attempts = new ConcurrentLinkedQueue<>();
        final DataSystem system;
        volatile boolean closed;

        Round(int number, HttpSettings.Builder http) {
            mode = number % 2 == 0 ? Mode.STREAMING : Mode.POLLING;
            name = Integer.toString(number);
            OkHttpClient client = CLIENT.newBuilder()
                    .addInterceptor(chain -> {
                        attempts.add(Thread.currentThread());
                        return chain.proceed(chain.request());
                    })
                    .build();
            DataSource source = mode.source(
                    server.uri(),
                    NEVER,
                    http.client(client).header("Round", name).build());
            system = DataSystem.builder((sink, time) -> source.start(new Spy(sink), time))
                    .scheduler(scheduler)
                    .listenerExecutor(Runnable::run)
                    .build();
            system.onStatus(status -> states.add(status.state()));
        }

        /** Between the source and the store. */
        private final class Spy implements UpdateSink {
            private final UpdateSink sink;

            Spy(UpdateSink sink) {
                this.sink = sink;
            }

            private void note(String news) {
                (closed ? toldLate : told).add(news);
            }

            @Override
            public void apply(ChangeSet changes) {
                note("data");
                sink.apply(changes);
            }

            @Override
            public void confirm() {
                note("confirmed");
                sink.confirm();
            }

            @Override
            public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
                note("failure");
                sink.interrupted(error, nextAttemptIn);
            }
        }

        /** Closes, waits until everything that was under way is over, and sees that nothing came of it. */
        void end() throws InterruptedException {
            system.close();
            closed = true;
            DataSourceStatus status = system.status();
            Snapshot snapshot = system.snapshot();
            for (Thread attempt : attempts) {
                attempt.join(LONGEST.toMillis());
                assertFalse(attempt.isAlive(), "the attempt goes on");
            }
            flush();
            assertEquals(State.OFF, status.state());
            assertEquals(status, system.status());
            assertEquals(snapshot, system.snapshot());
            List<State> heard = List.copyOf(states);
            assertEquals(1, Collections.frequency(heard, State.OFF), heard::toString);
            assertEquals(State.OFF, heard.get(heard.size() - 1), heard::toString);
            assertTrue(attempts.size() <= 1, "one attempt");
            assertTrue(told.size() + toldLate.size() <= 1, () -> "one end: " + told + toldLate);
        }
    }

    private static final OkHttpClient CLIENT = new OkHttpClient();

    /** Everything that was handed to the scheduler so far has run. */
    private void flush() throws InterruptedException {
        CountDownLatch reached = new CountDownLatch(1);
        scheduler.execute(reached::countDown);
        assertTrue(reached.await(LONGEST.toSeconds(), TimeUnit.SECONDS));
    }

    /** Burns time: what is measured here in microseconds no waiting can hit. */
    private static void spin(long nanos) {
        long until = System.nanoTime() + nanos;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }

    /** A span around which either of two may be first. */
    private final class Offset {
        private double nanos;

        Offset(Duration guess) {
            nanos = guess.toNanos();
        }

        long next() {
            return (long) (nanos * 2 * random.nextDouble());
        }

        void was(boolean tooLong) {
            nanos = Math.min(Math.max(nanos * (tooLong ? 0.93 : 1.07), 1_000), 1e9);
        }
    }

    private void count(Round round, String interleaving) {
        interleavings.merge(round.mode + " " + interleaving, 1, Integer::sum);
    }

    /** How many requests each round has made, once all are seen: one that was closed is read later than its round. */
    private Map<String, Long> requests() {
        return server.requests().stream()
                .collect(
                        Collectors.groupingBy(request -> request.header("Round").orElseThrow(), Collectors.counting()));
    }

    private void assertAllHit(TestInfo test, String... expected) {
        Sockets.await().until(() -> server.openConnections() == 0);
        requests().forEach((round, requests) -> assertEquals(1, requests, "requests of the attempt in round " + round));
        System.out.println("RaceIT." + test.getTestMethod().orElseThrow().getName() + ", seed " + SEED + ", " + ROUNDS
                + " rounds: " + interleavings);
        for (Mode mode : Mode.values()) {
            for (String interleaving : expected) {
                assertTrue(interleavings.containsKey(mode + " " + interleaving), interleavings::toString);
            }
        }
    }

    @Test
    void closingAndTheAnswer(TestInfo test) throws InterruptedException {
        Map<Mode, Offset> offsets = offsets(Duration.ofNanos(300_000));
        server.set(TestFlags.flag("a").build());
        for (int number = 0; number < ROUNDS; number++) {
            Round round = new Round(number, HttpSettings.builder());
            Hold answer = held(round.mode);
            round.system.start();
            answer.awaitReached(LONGEST);
            answer.release();
            spin(offsets.get(round.mode).next());
            round.end();
            boolean data = round.told.contains("data");
            assertFalse(round.told.contains("failure"), "a failure that was none");
            count(round, data ? "data, closed" : round.toldLate.isEmpty() ? "closed" : "closed, data refused");
            offsets.get(round.mode).was(data);
        }
        assertAllHit(test, "closed", "data, closed");
    }

    @Test
    void closingAndTheTimeout(TestInfo test) throws InterruptedException {
        Map<Mode, Offset> offsets = offsets(TIMEOUT);
        for (int number = 0; number < ROUNDS; number++) {
            Round round = new Round(number, timeouts(TIMEOUT));
            boolean silentAfterTheHeaders = number % 4 == 0;
            round.mode.script(server).atOnce(script -> {
                script.clear();
                (silentAfterTheHeaders ? script.stall() : script.hang()).forever();
            });
            round.system.start();
            spin(offsets.get(round.mode).next());
            round.end();
            boolean failure = round.told.contains("failure");
            assertFalse(round.told.contains("data"), "data from nowhere");
            count(round, failure ? "timeout, closed" : round.toldLate.isEmpty() ? "closed" : "closed, timeout refused");
            offsets.get(round.mode).was(failure);
        }
        assertAllHit(test, "closed", "timeout, closed");
    }

    @Test
    void theAnswerAndTheTimeout(TestInfo test) throws InterruptedException {
        Map<Mode, Offset> offsets = offsets(ANSWERED);
        server.set(TestFlags.flag("a").build());
        for (int number = 0; number < ROUNDS; number++) {
            Round round = new Round(number, timeouts(ANSWERED));
            Hold answer = held(round.mode);
            round.system.start();
            spin(offsets.get(round.mode).next());
            answer.release();
            Sockets.await().until(() -> !round.told.isEmpty());
            flush(); // until it is applied
            round.end();
            boolean failure = round.told.contains("failure");
            count(round, failure ? "timeout" : "data");
            assertEquals(!failure, round.system.snapshot().all(ItemKind.FLAG).containsKey("a"));
            offsets.get(round.mode).was(failure);
        }
        assertAllHit(test, "data", "timeout");
    }

    @Test
    void closingWhileConnecting(TestInfo test) throws InterruptedException {
        List<Round> rounds = new ArrayList<>();
        Map<Mode, Offset> untilRequest = offsets(Duration.ofNanos(300_000));
        Map<Mode, Offset> untilData = offsets(Duration.ofMillis(1));
        server.set(TestFlags.flag("a").build());
        for (int number = 0; number < ROUNDS; number++) {
            Round round = new Round(number, HttpSettings.builder());
            Offset offset = (number / 2 % 2 == 0 ? untilRequest : untilData).get(round.mode);
            long span = offset.next();
            int requests = server.requests().size();
            round.system.start();
            spin(span);
            round.end();
            boolean request = server.requests().size() > requests; // about: it may be that of the round before
            boolean data = round.told.contains("data");
            rounds.add(round);
            offset.was(number / 2 % 2 == 0 ? request : data);
        }
        Sockets.await().until(() -> server.openConnections() == 0);
        Map<String, Long> requestsOf = requests();
        for (Round round : rounds) {
            boolean request = requestsOf.containsKey(round.name);
            count(round, round.told.contains("data") ? "data, closed" : request ? "request, closed" : "closed");
        }
        assertAllHit(test, "closed", "request, closed", "data, closed");
    }

    /** For ever, because a request of the round before may be read late. */
    private Hold held(Mode mode) {
        AtomicReference<Hold> hold = new AtomicReference<>();
        mode.script(server).atOnce(script -> {
            script.clear();
            hold.set(script.serve().forever().hold());
        });
        return hold.get();
    }

    private static HttpSettings.Builder timeouts(Duration timeout) {
        return HttpSettings.builder()
                .firstPayloadTimeout(timeout)
                .readTimeout(NEVER)
                .callTimeout(timeout);
    }

    private Map<Mode, Offset> offsets(Duration guess) {
        return Map.of(Mode.STREAMING, new Offset(guess), Mode.POLLING, new Offset(guess));
    }
}
