package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One fetch inside a budget (R34). */
final class FetchOnceIT {
    private static final Duration BUDGET = Duration.ofSeconds(8);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final VirtualScheduler scheduler = new VirtualScheduler(Instant.parse("2026-01-02T07:00:00Z"));
    private final FakeFlagServer server =
            FakeFlagServer.builder().clock(scheduler::now).start();

    @BeforeEach
    void serve() {
        server.set(TestFlags.flag("a").build());
    }

    @AfterEach
    void close() {
        server.close();
        Sockets.awaitNoThreads();
    }

    private PollingDataSource source(Duration interval) {
        return PollingDataSource.builder(server.uri(), "sdk-key")
                .pollInterval(interval)
                .build();
    }

    private CompletableFuture<ChangeSet> fetch(Duration interval, Duration budget) {
        return source(interval).fetchOnce(budget, scheduler);
    }

    private BudgetExceededException failure(CompletableFuture<ChangeSet> fetch) {
        Sockets.runUntil(scheduler, fetch::isDone);
        ExecutionException e = assertThrows(ExecutionException.class, () -> fetch.get(0, TimeUnit.SECONDS));
        return (BudgetExceededException) e.getCause();
    }

    /** The budget bounds all waits, and zero allows one attempt: this is no fleet. */
    @Test
    void aSpreadIsForThoseWhoStay() throws Exception {
        PollingDataSource source = PollingDataSource.builder(server.uri(), "sdk-key")
                .spread(Duration.ofSeconds(10))
                .random(() -> 0.5)
                .build();
        CompletableFuture<ChangeSet> fetch = source.fetchOnce(Duration.ZERO, scheduler);
        Sockets.runUntil(scheduler, fetch::isDone); // no time passes
        assertEquals(1, fetch.get().items().size());
        Sockets.runUntil(scheduler, () -> scheduler.pending().isEmpty());
    }

    @Test
    void dataOfTheFirstAttempt() throws Exception {
        CompletableFuture<ChangeSet> fetch = fetch(Duration.ofSeconds(30), Duration.ZERO);
        Sockets.runUntil(scheduler, fetch::isDone);
        assertEquals("a", fetch.get().items().get(0).key());
        Sockets.runUntil(scheduler, () -> scheduler.pending().isEmpty()); // its thread may have one word more
        scheduler.advance(Duration.ofDays(1));
        assertEquals(1, server.requests().size());
    }

    @ParameterizedTest
    @CsvSource({
        "5, 5",
        "8, 8",
        "{{httpdate+4s}}, 5",
        "'Fri, 02 Jan 2026 06:00:00 GMT', 1", // past: only the backoff
        "0, 1",
        "'', 1",
        "-1, 1",
        "oops, 1",
    })
    void waitThatFitsIsWaited(String retryAfter, long seconds) throws Exception {
        server.poll().atOnce(script -> script.respond(503).retryAfter(retryAfter));
        CompletableFuture<ChangeSet> fetch = fetch(Duration.ofSeconds(1), BUDGET);
        Sockets.runUntilWaiting(scheduler);
        assertEquals(List.of(Duration.ofSeconds(seconds)), scheduler.pending());
        scheduler.advance(Duration.ofSeconds(seconds));
        Sockets.runUntil(scheduler, fetch::isDone);
        assertEquals(1, fetch.get().items().size());
        assertEquals(2, server.requests().size());
    }

    @ParameterizedTest
    @CsvSource({"9, PT9S", "9999999999999999999999999, PT1M", "{{httpdate+8s}}, PT9S"})
    void waitThatDoesNotFitFailsAtOnceAndSaysWhy(String retryAfter, Duration wait) {
        server.poll().atOnce(script -> script.respond(503).retryAfter(retryAfter));
        BudgetExceededException e = failure(fetch(Duration.ofSeconds(1), BUDGET));
        assertEquals(wait, e.nextWait());
        assertEquals(BUDGET, e.remaining());
        assertEquals(503, e.lastError().httpStatus());
        assertEquals(
                "the next attempt would be in " + wait
                        + ", but PT8S of the budget remains; last error: HTTP status 503",
                e.getMessage());
        assertEquals(List.of(), scheduler.pending()); // it did not wait, and nothing follows
    }

    @Test
    void ownBackoffIsComparedLikeAnyWait() {
        server.poll().atOnce(script -> script.respond(503));
        assertEquals(
                Duration.ofSeconds(30),
                failure(fetch(Duration.ofSeconds(30), BUDGET)).nextWait());
    }

    @Test
    void nanosecondTooMuchDoesNotFitAndWhatPassedIsSubtracted() {
        server.poll().atOnce(script -> script.respond(503).forever());
        CompletableFuture<ChangeSet> fetch = fetch(Duration.ofSeconds(4), BUDGET.minusNanos(1));
        Sockets.runUntilWaiting(scheduler);
        scheduler.advance(Duration.ofSeconds(4));
        BudgetExceededException e = failure(fetch);
        assertEquals(Duration.ofSeconds(4), e.nextWait());
        assertEquals(Duration.ofSeconds(4).minusNanos(1), e.remaining());
    }

    @Test
    void attemptsFillTheBudgetToItsEnd() {
        server.poll().atOnce(script -> script.respond(503).forever());
        CompletableFuture<ChangeSet> fetch = fetch(Duration.ofSeconds(2), BUDGET);
        for (int attempt = 1; attempt <= 4; attempt++) {
            Sockets.runUntilWaiting(scheduler);
            assertFalse(fetch.isDone());
            scheduler.advance(Duration.ofSeconds(2));
        }
        assertEquals(Duration.ZERO, failure(fetch).remaining());
        assertEquals(5, server.requests().size()); // the last one began when nothing was left: equal fits
    }

    @Test
    void negativeBudgetFailsWithoutARequest() {
        BudgetExceededException e = failure(fetch(Duration.ofSeconds(1), Duration.ofSeconds(-1)));
        assertEquals(Duration.ofSeconds(-1), e.remaining());
        assertEquals(
                "the next attempt would be in PT0S, but PT-1S of the budget remains; nothing was tried",
                e.getMessage());
        assertEquals(0, server.requests().size());
    }

    @Test
    void hugeBudgetDoesNotOverflow() throws Exception {
        server.poll().atOnce(script -> script.respond(401));
        CompletableFuture<ChangeSet> fetch = fetch(Duration.ofSeconds(1), Duration.ofSeconds(Long.MAX_VALUE));
        Sockets.runUntilWaiting(scheduler);
        scheduler.advance(Duration.ofHours(1));
        Sockets.runUntil(scheduler, fetch::isDone);
        assertEquals(1, fetch.get().items().size());
    }

    @Test
    void cancellingEndsTheWait() {
        server.poll().atOnce(script -> script.respond(503));
        CompletableFuture<ChangeSet> fetch = fetch(Duration.ofSeconds(1), BUDGET);
        Sockets.runUntilWaiting(scheduler);
        assertTrue(fetch.cancel(true));
        assertEquals(List.of(), scheduler.pending());
    }

    @Test
    void cancellingEndsTheAttempt() throws Exception {
        server.poll().atOnce(script -> script.hang());
        CompletableFuture<ChangeSet> fetch = fetch(Duration.ofSeconds(1), BUDGET);
        scheduler.runDue();
        FakeFlagServer.Request request = server.awaitRequest(LONGEST);
        assertTrue(fetch.cancel(true));
        server.awaitConnectionClosed(request.connectionId(), LONGEST);
    }

    @Test
    void blockingCallReturnsData() throws Exception {
        assertEquals(1, source(Duration.ofMillis(10)).fetchOnce(BUDGET).items().size());
    }

    @Test
    void blockingCallFailsAtOnce() {
        server.poll().atOnce(script -> script.respond(503).retryAfter(9));
        BudgetExceededException e = assertThrows(
                BudgetExceededException.class,
                () -> source(Duration.ofMillis(10)).fetchOnce(BUDGET));
        assertEquals(Duration.ofSeconds(9), e.nextWait());
    }

    @Test
    void interruptEndsTheBlockingCallInAnAttemptAndInAWait() throws Exception {
        server.poll().atOnce(script -> script.hang().then().respond(503).retryAfter(7));
        for (int i = 0; i < 2; i++) {
            LinkedBlockingQueue<Object> outcome = new LinkedBlockingQueue<>();
            Thread caller = new Thread(() -> {
                try {
                    outcome.add(source(Duration.ofMillis(10)).fetchOnce(BUDGET));
                } catch (BudgetExceededException | InterruptedException e) {
                    outcome.add(e);
                }
            });
            caller.start();
            server.awaitRequest(LONGEST);
            caller.interrupt();
            assertEquals(InterruptedException.class, outcome.take().getClass());
            Sockets.awaitNoThreads();
        }
    }
}
