package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Response;
import okio.ByteString;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever bytes arrive, the whole way from the response to the snapshot: nothing is thrown, nothing hangs, no change
 * is applied by half, and what is held is what {@link SseModel} and {@link DataModel} say. How the bytes are cut into
 * reads changes nothing.
 *
 * <p>{@code -Dfuzz.rounds=100000} makes more rounds of each mode, {@code -Dfuzz.seed=42} begins with that seed.
 */
final class FuzzTest {
    private static final long ROUNDS = Long.getLong("fuzz.rounds", 200);
    private static final long FIRST_SEED = Long.getLong("fuzz.seed", 1);
    private static final long LONGEST_SECONDS = 20;
    private static final List<ScriptedBody.End> ENDS =
            List.of(ScriptedBody.End.ORDERLY, ScriptedBody.End.BROKEN, ScriptedBody.End.SILENCE);
    private static final URI NOWHERE = URI.create("http://flagfeed.invalid");

    private final BlockingQueue<Thread> attempts = new LinkedBlockingQueue<>();
    private final List<Throwable> uncaught = new ArrayList<>();
    private ScriptedBody next; // handed over by the start of the attempt's thread

    private final Interceptor answer = chain -> {
        Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
        attempts.add(Thread.currentThread());
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(200)
                .message("OK")
                .header("ETag", "\"1\"")
                .body(next)
                .build();
    };
    private final OkHttpClient client =
            new OkHttpClient.Builder().addInterceptor(answer).build();

    /** What one connection brings. */
    private record Exchange(ByteString bytes, ScriptedBody.End end) {
        @Override
        public String toString() {
            return end + " after " + FuzzInput.shown(bytes.toByteArray());
        }
    }

    @ParameterizedTest
    @EnumSource
    void whateverArrivesIsAppliedAsAWholeOrNotAtAll(Mode mode) throws Exception {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
            RandomGenerator random =
                    RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            FuzzInput input = new FuzzInput(random);
            List<Exchange> exchanges = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                ScriptedBody.End end = one(random, i > 0 ? ENDS.subList(0, 2) : ENDS);
                byte[] bytes = mode == Mode.STREAMING ? input.stream() : input.poll();
                exchanges.add(new Exchange(ByteString.of(bytes), end));
            }
            int limit = random.nextInt(10) == 0 ? random.nextInt(1, 400) : 1 << 20;
            int most = 1 << random.nextInt(9);
            try {
                run(mode, exchanges, limit, () -> Integer.MAX_VALUE);
                run(mode, exchanges, limit, () -> random.nextInt(1, most + 1));
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        mode + " with -Dfuzz.seed=" + seed + " -Dfuzz.rounds=1, at most " + limit + " bytes, reads of "
                                + most + ": " + e + "\n" + exchanges.toString().replace(", ", ",\n"),
                        e);
            }
        }
    }

    private static <T> T one(RandomGenerator random, List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private void run(Mode mode, List<Exchange> exchanges, int limit, IntSupplier readSize) throws Exception {
        HttpSettings http =
                HttpSettings.builder().client(client).maxPayloadBytes(limit).build();
        VirtualScheduler scheduler = new VirtualScheduler();
        DataSystem system = DataSystem.builder(mode.source(NOWHERE, mode.base, http))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        List<Map<ItemKey, DataModel.Held>> seen = new ArrayList<>();
        system.onChange(event -> seen.add(DataModel.of(system.snapshot())));
        DataModel model = new DataModel();
        system.start();
        for (Exchange exchange : exchanges) {
            ErrorInfo before = system.status().lastError();
            String type = mode == Mode.STREAMING ? "text/event-stream" : "application/json";
            next = new ScriptedBody(type, exchange.bytes.toByteArray(), readSize, exchange.end);
            if (scheduler.pending().isEmpty()) {
                scheduler.runDue();
            } else {
                scheduler.advanceToNext();
            }
            Thread attempt = Objects.requireNonNull(attempts.poll(LONGEST_SECONDS, TimeUnit.SECONDS), "no attempt");
            Failure.Kind failure = failure(model, mode, exchange, limit);
            if (exchange.end == ScriptedBody.End.SILENCE && failure == null) {
                assertTrue(next.silent.await(LONGEST_SECONDS, TimeUnit.SECONDS), () -> "hangs: " + stack(attempt));
            } else {
                join(attempt);
            }
            scheduler.runDue();
            ErrorInfo error = system.status().lastError();
            if (failure == null) {
                assertEquals(before, error);
            } else {
                assertNotNull(error);
                assertEquals(failure, error.kind(), error.message());
                assertShown(error.message());
            }
            assertEquals(model.seen, seen);
            assertEquals(model.live(), DataModel.of(system.snapshot()));
            if (exchange.end != ScriptedBody.End.SILENCE || failure != null) {
                assertEquals(1, scheduler.pending().size()); // the wait for the next attempt
            }
            if (failure != null) {
                State failed = system.status().lastConfirmed() == null ? State.INITIALIZING : State.INTERRUPTED;
                assertEquals(failed, system.status().state());
            }
            if (exchange.end == ScriptedBody.End.SILENCE) {
                system.close();
                next.closed.countDown();
                join(attempt);
            }
        }
        system.close();
        scheduler.runDue();
        assertEquals(List.of(), scheduler.pending());
        assertNull(attempts.poll());
        assertEquals(List.of(), uncaught);
        assertEquals(model.live(), DataModel.of(system.snapshot()));
    }

    /** Lets the model take what comes; returns what ends the attempt, null for nothing or a poll that was good. */
    private static Failure.Kind failure(DataModel model, Mode mode, Exchange exchange, int limit) {
        model.connected();
        if (mode == Mode.POLLING) {
            if (exchange.bytes.size() > limit) {
                return Failure.Kind.INVALID_DATA;
            } else if (exchange.end != ScriptedBody.End.ORDERLY) {
                return exchange.end == ScriptedBody.End.BROKEN ? Failure.Kind.NETWORK : null;
            }
            return model.poll(exchange.bytes.string(UTF_8)) ? null : Failure.Kind.INVALID_DATA;
        }
        SseModel stream = SseModel.parse(exchange.bytes.toByteArray(), limit);
        for (SseModel.Event event : stream.events) {
            if (!model.event(event)) {
                return Failure.Kind.INVALID_DATA;
            }
        }
        if (stream.tooLarge) {
            return Failure.Kind.INVALID_DATA;
        }
        return exchange.end == ScriptedBody.End.SILENCE ? null : Failure.Kind.NETWORK;
    }

    /** One line, not long, and of what the service sent only names and paths. */
    private static void assertShown(String message) {
        assertTrue(message.length() <= 300 && message.lines().count() == 1, message);
        assertFalse(message.matches("(?s).*[\\p{Cc}\\p{Zl}\\p{Zp}].*"), message);
        String words = message.replaceFirst(" path \\$.*", "").replaceFirst("^(patch|delete) of .*: ", "");
        assertFalse(words.contains(FuzzInput.VALUE), message);
    }

    private static void join(Thread attempt) throws InterruptedException {
        attempt.join(TimeUnit.SECONDS.toMillis(LONGEST_SECONDS));
        assertFalse(attempt.isAlive(), () -> "hangs: " + stack(attempt));
    }

    private static String stack(Thread thread) {
        return Arrays.toString(thread.getStackTrace());
    }
}
