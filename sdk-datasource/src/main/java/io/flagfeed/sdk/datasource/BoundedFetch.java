package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.UpdateSink;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The sink of a run that ends with the first data, or as soon as the next wait does not fit into a budget (R34). The
 * run itself is one like any other, so that its waits follow the same rules.
 */
final class BoundedFetch implements UpdateSink {
    private final CompletableFuture<ChangeSet> result = new CompletableFuture<>();
    private final Duration budget;
    private final Scheduler scheduler;
    private final long began;

    private BoundedFetch(Duration budget, Scheduler scheduler) {
        this.budget = budget;
        this.scheduler = scheduler;
        this.began = scheduler.nanoTime();
    }

    static CompletableFuture<ChangeSet> start(DataSource source, Duration budget, Scheduler scheduler) {
        if (budget.isNegative()) {
            return CompletableFuture.failedFuture(new BudgetExceededException(Duration.ZERO, budget, null));
        }
        BoundedFetch fetch = new BoundedFetch(budget, scheduler);
        Cancellable run = source.start(fetch, scheduler);
        CompletableFuture<ChangeSet> result = fetch.result;
        // whatever completes it, the caller's cancelling too; inside interrupted, so before the wait begins
        CompletableFuture<ChangeSet> unused = result.whenComplete((changes, error) -> run.cancel());
        return result;
    }

    @Override
    public void apply(ChangeSet changes) {
        result.complete(changes);
    }

    @Override
    public void confirm() {
        // what is held is current, but nothing is held before the end
    }

    @Override
    public void interrupted(ErrorInfo error, Duration nextAttemptIn) {
        Duration remaining = budget.minusNanos(scheduler.nanoTime() - began);
        if (nextAttemptIn.compareTo(remaining) > 0) { // equal fits
            result.completeExceptionally(new BudgetExceededException(nextAttemptIn, remaining, error));
        }
    }
}
