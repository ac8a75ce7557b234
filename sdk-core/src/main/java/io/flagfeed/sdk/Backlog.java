package io.flagfeed.sdk;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one listener has not heard yet, in order. It is bounded: beyond a thousand changes the newest events are merged
 * into one, which goes on being merged until the listener gets there. Nothing is dropped, and adding costs what the
 * added event costs, however much there is already. Not safe for use by several threads.
 */
final class Backlog<E> {
    static final int MOST_CHANGES = 1000;

    private final ToIntFunction<E> weight;
    private final Supplier<Merged<E>> merging;
    private final Queue<E> events = new ArrayDeque<>();
    private int queued; // the weight of these
    private @Nullable Merged<E> rest; // null unless there was more

    /**
     * An empty one.
     *
     * @param weight how many changes an event is
     * @param merging makes something to merge events into
     */
    Backlog(ToIntFunction<E> weight, Supplier<Merged<E>> merging) {
        this.weight = weight;
        this.merging = merging;
    }

    /** Several events as one. */
    interface Merged<E> {
        /** Adds one that came after the others. */
        void add(E event);

        /** What they come to, or null if that is nothing. May take long where they are many. */
        @Nullable
        E event();
    }

    static Backlog<ChangeEvent> ofChanges() {
        return new Backlog<>(event -> event.changes().size(), MergedChanges::new);
    }

    /** Of statuses the latest is all that counts once there are too many. */
    static Backlog<DataSourceStatus> ofStatuses() {
        return new Backlog<>(status -> 1, Latest::new);
    }

    void add(E event) {
        if (rest == null && (events.isEmpty() || queued + weight.applyAsInt(event) <= MOST_CHANGES)) {
            events.add(event);
            queued += weight.applyAsInt(event);
            return;
        }
        if (rest == null) {
            rest = merging.get();
        }
        rest.add(event);
    }

    /** Takes out the next one; null if there is none but what is merged. */
    @Nullable
    E poll() {
        E event = events.poll();
        if (event != null) {
            queued -= weight.applyAsInt(event);
        }
        return event;
    }

    /** Takes out what was merged, once there is nothing before it; null if there is none. */
    @Nullable
    Merged<E> pollMerged() {
        Merged<E> merged = rest;
        rest = null;
        return merged;
    }

    /** Nobody is going to hear of it. */
    void clear() {
        events.clear();
        queued = 0;
        rest = null;
    }

    boolean isEmpty() {
        return events.isEmpty() && rest == null;
    }

    private static final class Latest<E> implements Merged<E> {
        private @Nullable E latest;

        @Override
        public void add(E event) {
            latest = event;
        }

        @Override
        public @Nullable E event() {
            return latest;
        }
    }
}
