package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.ErrorInfo;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A bounded fetch has given up, because the wait before its next attempt does not fit into what is left of its budget.
 */
@SuppressWarnings("serial") // an ErrorInfo is not serializable, and nobody sends this anywhere
public final class BudgetExceededException extends Exception {
    private final Duration nextWait;
    private final Duration remaining;
    private final @Nullable ErrorInfo lastError;

    BudgetExceededException(Duration nextWait, Duration remaining, @Nullable ErrorInfo lastError) {
        super("the next attempt would be in " + nextWait + ", but " + remaining + " of the budget remains; "
                + (lastError == null ? "nothing was tried" : "last error: " + lastError.message()));
        this.nextWait = nextWait;
        this.remaining = remaining;
        this.lastError = lastError;
    }

    /** How long the wait before the next attempt would have been: the floor of {@code Retry-After} is in it. */
    public Duration nextWait() {
        return nextWait;
    }

    /** What was left of the budget; negative if more time had passed than there was. */
    public Duration remaining() {
        return remaining;
    }

    /** The last failed attempt; null if the budget was negative from the beginning, so that nothing was tried. */
    public @Nullable ErrorInfo lastError() {
        return lastError;
    }
}
