package io.flagfeed.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ListenersTest {
    private final List<String> heard = new ArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    /** Runs what it was given when told. */
    private static final class LaterExecutor implements Executor {
        private final Queue<Runnable> tasks = new ArrayDeque<>();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        int waiting() {
            return tasks.size();
        }

        void run() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }
    }

    private Listeners<String> listeners(Executor executor) {
        return new Listeners<>(executor, () -> new Backlog<>(event -> 1, BacklogTest.Joined::new), failures::add);
    }

    private static void tell(Listeners<String> listeners, String... events) {
        for (String event : events) {
            listeners.enqueue(event);
            listeners.dispatch();
        }
    }

    private Consumer<String> noting(String name) {
        return event -> heard.add(name + event);
    }

    @Test
    void eachHearsEverythingInOrder() {
        Listeners<String> listeners = listeners(Runnable::run);
        listeners.add(noting("a"));
        listeners.add(noting("b"));
        tell(listeners, "1", "2", "3");
        assertEquals(List.of("a1", "b1", "a2", "b2", "a3", "b3"), heard);
    }

    @Test
    void queueingCallsNobody() {
        Listeners<String> listeners = listeners(Runnable::run);
        listeners.add(noting("a"));
        listeners.enqueue("1");
        listeners.enqueue("2");
        assertEquals(List.of(), heard);
        listeners.dispatch();
        listeners.dispatch();
        assertEquals(List.of("a1", "a2"), heard);
    }

    @Test
    void theExecutorIsAskedOnceForAnyNumberOfEvents() {
        LaterExecutor executor = new LaterExecutor();
        Listeners<String> listeners = listeners(executor);
        listeners.add(noting("a"));
        tell(listeners, "1", "2", "3");
        assertEquals(1, executor.waiting());
        executor.run();
        assertEquals(List.of("a1", "a2", "a3"), heard);
        tell(listeners, "4");
        assertEquals(1, executor.waiting());
        executor.run();
        assertEquals(List.of("a1", "a2", "a3", "a4"), heard);
    }

    static Stream<Throwable> throwables() {
        return Stream.of(
                new IllegalStateException("runtime"),
                new StackOverflowError("error"),
                new OutOfMemoryError("error"),
                new IOException("checked, thrown sneakily"));
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void aListenerThatThrowsStaysAndHarmsNobody(Throwable throwable) {
        Listeners<String> listeners = listeners(Runnable::run);
        listeners.add(event -> {
            heard.add("a" + event);
            throw ListenersTest.<RuntimeException>sneaky(throwable);
        });
        listeners.add(noting("b"));
        tell(listeners, "1", "2");
        assertEquals(List.of("a1", "b1", "a2", "b2"), heard);
        assertEquals(List.of(throwable, throwable), failures);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what Kotlin or Lombok do behind one's back
    private static <T extends Throwable> T sneaky(Throwable throwable) throws T {
        throw (T) throwable;
    }

    @Test
    void aListenerAddedTwiceHearsTwiceUntilEachIsEnded() {
        Listeners<String> listeners = listeners(Runnable::run);
        Consumer<String> listener = noting("a");
        Subscription first = listeners.add(listener);
        Subscription second = listeners.add(listener);
        tell(listeners, "1");
        first.unsubscribe();
        first.unsubscribe(); // again: does nothing
        tell(listeners, "2");
        second.unsubscribe();
        tell(listeners, "3");
        assertEquals(List.of("a1", "a1", "a2"), heard);
    }

    @Test
    void aListenerMayEndItselfAndHearsNothingMore() {
        Listeners<String> listeners = listeners(Runnable::run);
        Subscription[] self = new Subscription[1];
        self[0] = listeners.add(event -> {
            heard.add("a" + event);
            self[0].unsubscribe();
        });
        listeners.add(noting("b"));
        listeners.enqueue("1");
        listeners.enqueue("2");
        listeners.dispatch();
        assertEquals(List.of("a1", "b1", "b2"), heard);
    }

    @Test
    void aListenerMayEndAnother() {
        Listeners<String> listeners = listeners(Runnable::run);
        Subscription[] other = new Subscription[1];
        listeners.add(event -> other[0].unsubscribe());
        other[0] = listeners.add(noting("b"));
        tell(listeners, "1", "2");
        assertEquals(List.of(), heard);
    }

    @Test
    void whatWasQueuedForAListenerThatEndedIsDropped() {
        LaterExecutor executor = new LaterExecutor();
        Listeners<String> listeners = listeners(executor);
        Subscription subscription = listeners.add(noting("a"));
        tell(listeners, "1");
        subscription.unsubscribe();
        executor.run();
        assertEquals(List.of(), heard);
    }

    /** An application may keep a subscription for as long as it likes. */
    @Test
    void whatItWasToHearIsNotHeld() {
        LaterExecutor executor = new LaterExecutor();
        Listeners<String> listeners = listeners(executor);
        Subscription subscription = listeners.add(noting("a"));
        WeakReference<String> queued = tellSomething(listeners);
        subscription.unsubscribe();
        for (int i = 0; i < 200 && queued.get() != null; i++) {
            System.gc();
        }
        assertNull(queued.get());
        subscription.unsubscribe(); // which it still can
    }

    private static WeakReference<String> tellSomething(Listeners<String> listeners) {
        String event = "x".repeat(listeners.hashCode() % 7 + 100);
        tell(listeners, event);
        return new WeakReference<>(event);
    }

    @Test
    void aListenerAddedByAnotherHearsWhatComesAfter() {
        Listeners<String> listeners = listeners(Runnable::run);
        boolean[] added = new boolean[1];
        listeners.add(event -> {
            heard.add("a" + event);
            if (!added[0]) {
                added[0] = true;
                listeners.add(noting("b"));
            }
        });
        listeners.enqueue("1");
        listeners.enqueue("2"); // before b is there
        listeners.dispatch();
        tell(listeners, "3");
        assertEquals(List.of("a1", "a2", "a3", "b3"), heard);
    }

    @Test
    void whatAListenerCausesComesAfterWhatItIsHearing() {
        Listeners<String> listeners = listeners(Runnable::run);
        listeners.add(event -> {
            heard.add("begin " + event);
            if (event.equals("1")) {
                tell(listeners, "2");
            }
            heard.add("end " + event);
        });
        tell(listeners, "1");
        assertEquals(List.of("begin 1", "end 1", "begin 2", "end 2"), heard);
    }

    /** The executor is full for a moment: what was missed is told with the next event. */
    @Test
    void aListenerWhoseExecutorRefusedHearsWhatItMissedLater() {
        boolean[] full = new boolean[1];
        Listeners<String> listeners = listeners(refusingWhile(full));
        listeners.add(noting("a"));
        listeners.add(noting("b"));
        tell(listeners, "1");
        full[0] = true;
        tell(listeners, "2");
        assertEquals(List.of("a1", "b1"), heard);
        full[0] = false;
        tell(listeners, "3");
        assertEquals(List.of("a1", "b1", "a2", "a3", "b2", "b3"), heard);
    }

    @Test
    void aLogThatThrowsKeepsNobodyFromHearing() {
        boolean[] full = {true};
        Listeners<String> listeners = listeners(refusingWhile(full));
        listeners.add(noting("a"));
        listeners.add(noting("b"));
        try (ThrowingLog log = new ThrowingLog()) {
            tell(listeners, "1");
        }
        full[0] = false;
        tell(listeners, "2");
        assertEquals(List.of("a1", "a2", "b1", "b2"), heard);
    }

    /** The executor was shut down, or is full for hours: what waits does not grow for ever, and nothing is dropped. */
    @Test
    void aListenerWhoseExecutorRefusesForLongHearsTheRestMerged() {
        boolean[] gone = {true};
        Listeners<String> listeners = listeners(refusingWhile(gone));
        listeners.add(heard::add);
        for (int i = 1; i <= 1003; i++) {
            tell(listeners, "e" + i);
        }
        assertEquals(List.of(), heard);
        gone[0] = false;
        listeners.dispatch();
        assertEquals(1001, heard.size());
        assertEquals(List.of("e1000", "e1001+e1002+e1003"), heard.subList(999, 1001));
    }

    private static Executor refusingWhile(boolean[] refuses) {
        return task -> {
            if (refuses[0]) {
                throw new RejectedExecutionException("no");
            }
            task.run();
        };
    }

    @Test
    void emptyUntilSomebodyListens() {
        Listeners<String> listeners = listeners(Runnable::run);
        assertTrue(listeners.isEmpty());
        Subscription subscription = listeners.add(noting("a"));
        assertFalse(listeners.isEmpty());
        subscription.unsubscribe();
        assertTrue(listeners.isEmpty());
    }
}
