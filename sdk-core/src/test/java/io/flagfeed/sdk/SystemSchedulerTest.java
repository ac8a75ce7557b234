package io.flagfeed.sdk;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On the computer's clocks, with latches. */
@Timeout(20)
class SystemSchedulerTest {
    private final SystemScheduler scheduler = Scheduler.system("scheduler-under-test");
    private final List<Object> ran = new ArrayList<>(); // touched by the scheduler's thread, read after settle()

    @AfterEach
    void close() {
        scheduler.close();
    }

    /** Waits until everything that is due has run. */
    private void settle() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        scheduler.execute(done::countDown);
        assertTrue(done.await(10, SECONDS));
    }

    @Test
    void tasksRunInOrderOneAtATimeOnOneThread() throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            int number = i;
            scheduler.execute(() -> ran.add(number));
        }
        settle();
        assertEquals(IntStream.range(0, 1000).boxed().toList(), ran);
    }

    @Test
    void aTaskNeverRunsInsideTheCallThatHandsItOver() throws InterruptedException {
        scheduler.execute(() -> {
            scheduler.execute(() -> ran.add("inner"));
            scheduler.schedule(Duration.ZERO, () -> ran.add("scheduled"));
            ran.add("outer");
        });
        settle();
        settle();
        assertEquals(List.of("outer", "inner", "scheduled"), ran);
    }

    @Test
    void itsThreadIsADaemonWithAName() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        scheduler.execute(() -> thread.complete(Thread.currentThread()));
        assertEquals("scheduler-under-test", thread.get(10, SECONDS).getName());
        assertTrue(thread.get().isDaemon());
        assertNotSame(Thread.currentThread(), thread.get());
    }

    /** Nor what hangs on it, a closed system for instance, while another waits for an hour. */
    @Test
    void nothingOfATaskThatHasRunIsHeld() throws InterruptedException {
        scheduler.schedule(Duration.ofHours(1), () -> ran.add("never"));
        WeakReference<Object> held = runWithSomething();
        for (int i = 0; i < 200 && held.get() != null; i++) {
            System.gc();
        }
        assertNull(held.get());
    }

    private WeakReference<Object> runWithSomething() throws InterruptedException {
        Object something = new Object();
        CountDownLatch done = new CountDownLatch(1);
        scheduler.execute(() -> {
            boolean unused = something.equals("anything");
            done.countDown();
        });
        assertTrue(done.await(10, SECONDS));
        return new WeakReference<>(something);
    }

    /** No thread idles. */
    @Test
    void itsThreadEndsWhenThereIsNothingToDo() throws Exception {
        CompletableFuture<Thread> first = new CompletableFuture<>();
        CompletableFuture<Thread> second = new CompletableFuture<>();
        scheduler.execute(() -> first.complete(Thread.currentThread()));
        first.get(10, SECONDS).join(10_000);
        assertFalse(first.get().isAlive());
        scheduler.schedule(Duration.ofMillis(1), () -> second.complete(Thread.currentThread()));
        assertNotSame(first.get(), second.get(10, SECONDS));
    }

    /** As long as something waits for its time, and no longer. */
    @Test
    void itsThreadStaysForWhatWaits() throws Exception {
        CompletableFuture<Thread> first = new CompletableFuture<>();
        CompletableFuture<Thread> second = new CompletableFuture<>();
        Cancellable wait = scheduler.schedule(Duration.ofHours(1), () -> ran.add("later"));
        scheduler.execute(() -> first.complete(Thread.currentThread()));
        first.get(10, SECONDS).join(1_500); // longer than it lasts without anything
        assertTrue(first.get().isAlive());
        scheduler.execute(() -> second.complete(Thread.currentThread()));
        assertSame(first.get(), second.get(10, SECONDS));
        wait.cancel();
        first.get().join(10_000);
        assertFalse(first.get().isAlive());
    }

    /** So whoever called may call again, and what it was about happens once. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTaskIsNotTakenWithoutAThread(boolean later) throws Exception {
        Queue<Throwable> refusals = new ArrayDeque<>();
        try (SystemScheduler hindered = Scheduler.systemWith(task -> {
            Throwable refusal = refusals.poll();
            if (refusal instanceof Error error) {
                throw error;
            }
            return refusal == null ? new Thread(task) : null;
        })) {
            Consumer<Runnable> call = task -> {
                if (later) {
                    Cancellable unused = hindered.schedule(Duration.ofNanos(1), task);
                } else {
                    hindered.execute(task);
                }
            };
            refusals.add(new OutOfMemoryError("unable to create native thread, on purpose"));
            refusals.add(new IllegalStateException("no thread"));
            assertThrows(OutOfMemoryError.class, () -> call.accept(() -> ran.add("refused")));
            assertThrows(NullPointerException.class, () -> call.accept(() -> ran.add("refused")));
            CompletableFuture<Thread> done = new CompletableFuture<>();
            call.accept(() -> done.complete(Thread.currentThread()));
            done.get(10, SECONDS).join(10_000); // it ends, so nothing else was there to do
            assertEquals(List.of(), ran);
        }
    }

    @Test
    void itsThreadEndsOnClose() throws Exception {
        CompletableFuture<Thread> found = new CompletableFuture<>();
        scheduler.schedule(Duration.ofHours(1), () -> ran.add("dropped"));
        scheduler.execute(() -> found.complete(Thread.currentThread()));
        Thread thread = found.get(10, SECONDS);
        scheduler.close();
        thread.join(10_000);
        assertFalse(thread.isAlive());
        assertEquals(List.of(), ran);
    }

    @Test
    void aTaskThatThrowsHarmsNoOther() throws InterruptedException {
        scheduler.execute(() -> {
            throw new IllegalStateException("thrown on purpose");
        });
        scheduler.schedule(Duration.ZERO, () -> {
            throw new StackOverflowError("thrown on purpose");
        });
        scheduler.execute(() -> ran.add("next"));
        settle();
        assertEquals(List.of("next"), ran);
    }

    @Test
    void soonerComesBeforeLater() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        // an hour, so that however slow the machine is, the order is not a matter of speed
        Cancellable later = scheduler.schedule(Duration.ofHours(1), () -> ran.add("later"));
        scheduler.schedule(Duration.ofMillis(1), () -> {
            ran.add("sooner");
            done.countDown();
        });
        assertTrue(done.await(10, SECONDS));
        later.cancel();
        assertEquals(List.of("sooner"), ran);
    }

    @Test
    void aDelayIsNeverShortened() throws Exception {
        CompletableFuture<Long> at = new CompletableFuture<>();
        long before = scheduler.nanoTime();
        scheduler.schedule(Duration.ofNanos(1_999_999), () -> at.complete(scheduler.nanoTime()));
        assertTrue(at.get(10, SECONDS) - before >= 1_999_999);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT-2562047788015215H-30M-8S"})
    void noDelayMeansAsSoonAsPossible(Duration delay) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        scheduler.schedule(delay, done::countDown);
        assertTrue(done.await(10, SECONDS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT876000H", "PT2562047H47M16.854775807S", "PT2562048H", "PT2562047788015215H30M7S"})
    void anAbsurdDelayDoesNotOverflow(Duration delay) throws InterruptedException {
        scheduler.schedule(delay, () -> ran.add("overflowed"));
        scheduler.schedule(Duration.ZERO, () -> ran.add("now"));
        scheduler.schedule(delay, () -> ran.add("overflowed"));
        settle();
        assertEquals(List.of("now"), ran);
    }

    @Test
    void aCancelledTaskDoesNotRun() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        scheduler.execute(() -> await(blocked));
        Cancellable task = scheduler.schedule(Duration.ZERO, () -> ran.add("cancelled"));
        task.cancel();
        task.cancel();
        blocked.countDown();
        settle();
        assertEquals(List.of(), ran);
    }

    @Test
    void cancellingWhatRunsDoesNotInterruptIt() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Cancellable task = scheduler.schedule(Duration.ZERO, () -> {
            running.countDown();
            await(cancelled);
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        assertTrue(running.await(10, SECONDS));
        task.cancel();
        cancelled.countDown();
        assertFalse(interrupted.get(10, SECONDS));
        task.cancel(); // long done
    }

    @Test
    void aClosedSchedulerIsSilent() {
        scheduler.close();
        scheduler.close();
        AtomicBoolean run = new AtomicBoolean();
        scheduler.execute(() -> run.set(true));
        Cancellable task = scheduler.schedule(Duration.ZERO, () -> run.set(true));
        task.cancel();
        assertFalse(run.get());
    }

    @Test
    void aTaskMayCloseItsOwnScheduler() throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        scheduler.execute(() -> {
            scheduler.close();
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        assertFalse(interrupted.get(10, SECONDS));
    }

    @Test
    void saysWhetherItIsClosed() {
        assertFalse(scheduler.isClosed());
        scheduler.close();
        assertTrue(scheduler.isClosed());
    }

    @Test
    void itsClocksAreTheComputers() {
        long nanos = scheduler.nanoTime();
        assertTrue(System.nanoTime() - nanos >= 0);
        Instant before = Instant.now().minusSeconds(60);
        assertTrue(scheduler.now().isAfter(before));
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> Scheduler.system(null));
        assertThrows(NullPointerException.class, () -> scheduler.execute(null));
        assertThrows(NullPointerException.class, () -> scheduler.schedule(Duration.ZERO, null));
        assertThrows(NullPointerException.class, () -> scheduler.schedule(null, () -> {}));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(10, SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
