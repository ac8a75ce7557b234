package io.flagfeed.sdk.testing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** An answer of {@link FakeFlagServer} that waits for the word to be given. May be used from any thread. */
public final class Hold {
    private final Answer answer;
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private final CountDownLatch reached = new CountDownLatch(1);

    Hold(Answer answer) {
        this.answer = answer;
    }

    /** Lets the answer go, and what is repeated of it. Before the request comes it has no effect but that. */
    public void release() {
        released.complete(null);
    }

    /**
     * Waits in real time for the request that is answered with this.
     *
     * @throws AssertionError if it does not come in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void awaitReached(Duration timeout) throws InterruptedException {
        if (!reached.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new AssertionError("no request came to the held answer " + answer + " for " + timeout);
        }
    }

    /** Goes on to the next answer of the script. */
    public Script then() {
        return answer.then();
    }

    CompletableFuture<Void> reach() {
        reached.countDown();
        return released;
    }
}
