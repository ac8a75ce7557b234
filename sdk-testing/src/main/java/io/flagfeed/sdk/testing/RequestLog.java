package io.flagfeed.sdk.testing;

import io.flagfeed.sdk.testing.FakeFlagServer.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The requests that came, in order, and waiting for them. */
final class RequestLog {
    private static final int SHOWN = 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final List<Request> requests = new ArrayList<>();
    private int awaited; // how many of them awaitNext has returned
    private long count; // of all that came, the forgotten ones too

    void add(Request request) {
        lock.lock();
        try {
            requests.add(request);
            count++;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    List<Request> all() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }

    /** Waiting goes on with what comes after. */
    void forget() {
        lock.lock();
        try {
            requests.clear();
            awaited = 0;
        } finally {
            lock.unlock();
        }
    }

    /** The oldest request that this has not returned before. */
    Request awaitNext(Duration timeout) throws InterruptedException {
        return await(timeout, "no further request", () -> {
            return awaited < requests.size() ? requests.get(awaited++) : null;
        });
    }

    /** The first request of all that is such. */
    Request awaitFirst(Predicate<Request> such, Duration timeout) throws InterruptedException {
        return await(timeout, "no such request", () -> {
            return requests.stream().filter(such).findFirst().orElse(null);
        });
    }

    List<Request> awaitCount(int count, Duration timeout) throws InterruptedException {
        return await(timeout, "fewer than " + count + " requests", () -> {
            return requests.size() >= count ? List.copyOf(requests) : null;
        });
    }

    private <T> T await(Duration timeout, String complaint, Supplier<@Nullable T> search) throws InterruptedException {
        lock.lock();
        try {
            long left = timeout.toNanos();
            while (true) {
                T found = search.get();
                if (found != null) {
                    return found;
                }
                if (left <= 0) {
                    throw new AssertionError(complaint + " in " + timeout + ", but " + whatCame());
                }
                left = arrived.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private String whatCame() {
        if (requests.isEmpty()) {
            return "none came at all";
        }
        int first = Math.max(requests.size() - SHOWN, 0);
        return requests.size()
                + " came:"
                + (first > 0 ? " (the last " + SHOWN + ")" : "")
                + requests.subList(first, requests.size()).stream()
                        .map(request -> "\n  " + request)
                        .collect(Collectors.joining());
    }

    /** All requests, a line for each. */
    @Override
    public String toString() {
        return all().stream().map(Request::toString).collect(Collectors.joining("\n"));
    }
}
