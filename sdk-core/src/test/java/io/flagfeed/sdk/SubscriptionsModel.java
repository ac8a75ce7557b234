package io.flagfeed.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/**
 * Listeners that come and go while events are told, each event under a lock and the dispatch outside it, as a
 * {@link DataSystem} does. What was told must have been heard once, in order, one at a time.
 */
public class SubscriptionsModel {
    private final Object lock = new Object();
    private final Listeners<List<Integer>> listeners = new Listeners<>(
            Runnable::run,
            () -> new Backlog<>(event -> Backlog.MOST_CHANGES, Joined::new), // the second that waits is merged
            e -> {});
    private final List<Ear> ears = new ArrayList<>(); // guarded by lock
    private int told; // guarded by lock

    private static final class Joined implements Backlog.Merged<List<Integer>> {
        private final List<Integer> all = new ArrayList<>();

        @Override
        public void add(List<Integer> event) {
            all.addAll(event);
        }

        @Override
        public List<Integer> event() {
            return all;
        }
    }

    private static final class Ear {
        final int first;
        final List<Integer> heard = new ArrayList<>();
        boolean listening;
        boolean disturbed;
        boolean left; // guarded by lock

        @Nullable
        Subscription subscription;

        Ear(int first) {
            this.first = first;
        }

        void hear(List<Integer> event) {
            disturbed |= listening;
            listening = true;
            heard.addAll(event);
            listening = false;
        }
    }

    /** Tells the next number. */
    @Operation
    public void tell() {
        synchronized (lock) {
            told++;
            listeners.enqueue(List.of(told));
        }
        listeners.dispatch();
    }

    /** One more listener. */
    @Operation
    public void subscribe() {
        synchronized (lock) {
            Ear ear = new Ear(told + 1);
            ears.add(ear);
            ear.subscription = listeners.add(ear::hear);
        }
    }

    /** One listener fewer, if there is any. */
    @Operation
    public void unsubscribe() {
        Ear leaving = null;
        synchronized (lock) {
            for (Ear ear : ears) {
                if (!ear.left) {
                    leaving = ear;
                }
            }
            if (leaving != null) {
                leaving.left = true;
            }
        }
        if (leaving != null) {
            leaving.subscription.unsubscribe();
        }
    }

    /** When all is quiet. */
    @Validate
    public void everyListenerHeardEverythingOnceAndInOrder() {
        for (Ear ear : ears) {
            assertFalse(ear.disturbed, "two events at a time");
            int last = ear.left ? ear.first + ear.heard.size() - 1 : told;
            assertEquals(IntStream.rangeClosed(ear.first, last).boxed().toList(), ear.heard);
        }
        long staying = ears.stream().filter(ear -> !ear.left).count();
        assertEquals(staying == 0, listeners.isEmpty());
    }
}
