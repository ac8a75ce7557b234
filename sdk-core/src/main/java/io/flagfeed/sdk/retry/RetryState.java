package io.flagfeed.sdk.retry;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one running source remembers of its failures, and how long it waits because of them (R1).
 *
 * <p>It holds no clock, thread or timer: the caller says what happened and when, and is told how long to wait. Times
 * are those of a monotonic clock in nanoseconds, such as {@link System#nanoTime()}, and are only ever subtracted.
 * Confine an instance to one thread, and use one instance for each running source.
 *
 * <p>Waits double from an initial one up to a ceiling. There are two such ladders: the normal one, and the extended
 * one that an {@link FailureClass#UNEXPECTED} failure raises and that stays until the source has been healthy again.
 */
public final class RetryState {
    /** The initial delay of a stream where none, or a senseless one, is given: 1 s (R16). */
    public static final Duration DEFAULT_INITIAL_DELAY = Duration.ofSeconds(1);

    /** The poll interval where none, or a senseless one, is given: 30 s (R16). */
    public static final Duration DEFAULT_POLL_INTERVAL = Duration.ofSeconds(30);

    // Means never: the reset rule of the other mode. As a span it is 292 years, as a count it cannot be reached.
    private static final long NEVER = Long.MAX_VALUE;

    private final long configuredInitial;
    private final long normalCeiling;
    private final long extendedInitial;
    private final long extendedCeiling;
    private final long cadence;
    private final long retryAfterCap;
    private final double jitterRatio;
    private final DoubleSupplier random;
    private final long healthyReset;
    private final long goodPolls;

    private long normalInitial; // configuredInitial unless the server asked for more (R42)
    private boolean extended;
    private int attempts; // on the current ladder; saturates
    private boolean healthy; // whether a success came since the last failure
    private long healthySince; // meaningful while healthy
    private long successes; // since the last failure

    private RetryState(
            RetryPolicy policy,
            Duration initial,
            Duration normalCeiling,
            Duration cadence,
            long healthyReset,
            long goodPolls,
            DoubleSupplier random) {
        this.configuredInitial = nanos(initial);
        this.normalInitial = configuredInitial;
        // R2: nothing is cut below what was configured, the bounds are raised instead
        this.normalCeiling = Math.max(nanos(normalCeiling), configuredInitial);
        this.extendedInitial = Math.max(nanos(policy.extendedInitial()), configuredInitial);
        this.extendedCeiling = Math.max(nanos(policy.extendedCeiling()), extendedInitial);
        this.cadence = nanos(cadence);
        this.retryAfterCap = nanos(policy.retryAfterCap());
        this.jitterRatio = policy.jitterRatio();
        this.random = requireNonNull(random, "random");
        this.healthyReset = healthyReset;
        this.goodPolls = goodPolls;
    }

    /**
     * For a stream: waits climb from {@code initialDelay} to the normal ceiling, a success asks for no wait, and the
     * ladder starts afresh after {@link RetryPolicy#healthyReset()} of health (R2, R11).
     *
     * @param policy the numbers
     * @param initialDelay the first wait; null, zero or negative means {@link #DEFAULT_INITIAL_DELAY}, with a WARN
     * @param random gives a number in [0, 1) for each jittered wait; own to this instance (R8)
     */
    public static RetryState forStreaming(RetryPolicy policy, @Nullable Duration initialDelay, DoubleSupplier random) {
        Duration initial = RetryPolicy.positive("initialDelay", initialDelay, DEFAULT_INITIAL_DELAY);
        return new RetryState(
                policy, initial, policy.normalCeiling(), Duration.ZERO, nanos(policy.healthyReset()), NEVER, random);
    }

    /**
     * For polling: the interval is kept after a success and after a {@link FailureClass#NORMAL} failure alike, without
     * jitter, and the extended ladder ends after {@link RetryPolicy#goodPolls()} successes in a row (R2, R9, R12).
     *
     * @param policy the numbers
     * @param pollInterval from the end of a poll to the next; null, zero or negative means
     *     {@link #DEFAULT_POLL_INTERVAL}, with a WARN
     * @param random gives a number in [0, 1) for each jittered wait; own to this instance (R8)
     */
    public static RetryState forPolling(RetryPolicy policy, @Nullable Duration pollInterval, DoubleSupplier random) {
        Duration interval = RetryPolicy.positive("pollInterval", pollInterval, DEFAULT_POLL_INTERVAL);
        return new RetryState(policy, interval, interval, interval, NEVER, policy.goodPolls(), random);
    }

    /**
     * Notes a failed attempt and says how long to wait before the next one, counted from the attempt's end (R6, R37).
     *
     * @param failure what happened
     * @param nanoTime when the failure was detected, which may be earlier than now (R13)
     */
    public Duration recordFailure(Failure failure, long nanoTime) {
        resetIfDue(nanoTime); // before the failure is classified, or a due reset would undo the extended ladder (R6)
        healthy = false;
        successes = 0;
        if (failure.failureClass() == FailureClass.UNEXPECTED && !extended) {
            extended = true;
            attempts = 1;
        } else if (attempts < Integer.MAX_VALUE) {
            attempts++;
        }
        long step = extended ? step(extendedInitial, extendedCeiling) : step(normalInitial, normalCeiling);
        long wait = Math.max(step - jitter(step), cadence);
        // R31, R32: the server's wish is a floor that jitter does not touch; it is not remembered
        return Duration.ofNanos(Math.max(wait, honoured(failure)));
    }

    /**
     * Notes a message of the stream that was handled, or a poll whose answer was accepted (R5), and says how long to
     * wait for the next attempt: zero for a stream, the interval for polling, even while the extended ladder is still
     * raised (R14).
     *
     * @param nanoTime when it happened
     */
    public Duration recordSuccess(long nanoTime) {
        if (!healthy) { // later successes never move the start of a healthy stretch (R11)
            healthy = true;
            healthySince = nanoTime;
        }
        successes++;
        resetIfDue(nanoTime);
        return Duration.ofNanos(cadence);
    }

    /**
     * Takes a stream's {@code retry:} field, in milliseconds (R42): it may lengthen the first wait of the normal
     * ladder, up to the ceiling, and stays until the next one. It cannot shorten what was configured, and the extended
     * ladder does not know it. Polling ignores it.
     */
    public void recordReconnectionTime(long millis) {
        long wanted = Math.max(millis, 0); // a large negative number would wrap round to a large positive one
        long hint = wanted > Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE : wanted * 1_000_000;
        normalInitial = Math.min(Math.max(hint, configuredInitial), normalCeiling);
    }

    /**
     * Forgets all failures, for what brought them about has been changed: the next one is a first one again. A stream's
     * wish for its reconnection time stays.
     */
    public void reset() {
        extended = false;
        attempts = 0;
        healthy = false;
        successes = 0;
    }

    /** Whether the extended ladder is raised: after an unexpected failure, until the source has been healthy. */
    public boolean extended() {
        return extended;
    }

    /** How many failures the current ladder has counted: 1 after the one that raised it, 0 after a reset. */
    public int attempts() {
        return attempts;
    }

    private void resetIfDue(long nanoTime) {
        if (healthy && (nanoTime - healthySince >= healthyReset || successes >= goodPolls)) { // inclusive (R11, R12)
            extended = false;
            attempts = 0;
        }
    }

    /** initial · 2^(attempts−1), at most the ceiling, for any number of attempts (R7). */
    private long step(long initial, long ceiling) {
        long step = initial;
        for (int i = 1; i < attempts && step < ceiling; i++) {
            step = step > ceiling / 2 ? ceiling : 2 * step;
        }
        return step;
    }

    /** In [0, step · ratio); a random source that breaks its promise cannot break ours (R8). */
    private long jitter(long step) {
        double chance;
        try {
            chance = random.getAsDouble();
        } catch (RuntimeException | Error e) {
            chance = 0; // the whole wait: the side on which to err
        }
        double share = Math.min(Math.max(chance, 0), 0x1.fffffffffffffp-1);
        return (long) (share * jitterRatio * step);
    }

    /** What the response asked for, as far as the cap allows (R30). */
    private long honoured(Failure failure) {
        long seconds = failure.retryAfterSeconds().orElse(0);
        long asked = Math.min(Math.max(seconds, 0), RetryAfter.MAX_SECONDS) * 1_000_000_000L;
        return Math.min(asked, retryAfterCap);
    }

    private static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) { // over 292 years
            return Long.MAX_VALUE;
        }
    }
}
