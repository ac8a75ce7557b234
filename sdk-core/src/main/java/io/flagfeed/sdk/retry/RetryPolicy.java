package io.flagfeed.sdk.retry;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of the retry rules. Every default suits a service with many clients; most embedders change none.
 *
 * <p>A value that makes no sense (null, zero or negative; for the jitter ratio anything outside 0 to 0.5) is replaced
 * by its default, with one WARN that names the option and the default (R16). This package depends on the JDK alone, so
 * that line goes through {@link System.Logger}, named after this class. A positive value is kept however small, and
 * a bound below what a source was configured to wait is raised, never the wait cut (R2).
 *
 * @param normalCeiling the longest wait of the normal ladder; default 30 s
 * @param extendedInitial the first wait of the extended ladder; default 5 min
 * @param extendedCeiling the longest wait of the extended ladder; default 1 h
 * @param healthyReset how long a stream has to have been healthy for its ladder to start afresh (R11); default 60 s
 * @param goodPolls how many polls in a row have to succeed for the same (R12); default 2
 * @param jitterRatio the largest part of a wait that chance may take off (R8), 0 to 0.5; 0 means none; default 0.5
 * @param retryAfterCap the longest {@code Retry-After} that is honoured (R30), 1 s to 2,147,483,647 s, and moved to
 *     the nearer of these when outside; default 60 s
 */
public record RetryPolicy(
        Duration normalCeiling,
        Duration extendedInitial,
        Duration extendedCeiling,
        Duration healthyReset,
        int goodPolls,
        double jitterRatio,
        Duration retryAfterCap) {

    private static final Duration NORMAL_CEILING = Duration.ofSeconds(30);
    private static final Duration EXTENDED_INITIAL = Duration.ofMinutes(5);
    private static final Duration EXTENDED_CEILING = Duration.ofHours(1);
    private static final Duration HEALTHY_RESET = Duration.ofSeconds(60);
    private static final int GOOD_POLLS = 2;
    private static final double JITTER_RATIO = 0.5;
    private static final Duration RETRY_AFTER_CAP = Duration.ofSeconds(60);

    /** All defaults. */
    public static final RetryPolicy DEFAULT = builder().build();

    /** Replaces what makes no sense by its default, as the class comment says. */
    public RetryPolicy {
        normalCeiling = positive("normalCeiling", normalCeiling, NORMAL_CEILING);
        extendedInitial = positive("extendedInitial", extendedInitial, EXTENDED_INITIAL);
        extendedCeiling = positive("extendedCeiling", extendedCeiling, EXTENDED_CEILING);
        healthyReset = positive("healthyReset", healthyReset, HEALTHY_RESET);
        if (goodPolls < 1) {
            warn("goodPolls", goodPolls, GOOD_POLLS);
            goodPolls = GOOD_POLLS;
        }
        if (!(jitterRatio >= 0 && jitterRatio <= 0.5)) { // written so that NaN fails too
            warn("jitterRatio", jitterRatio, JITTER_RATIO);
            jitterRatio = JITTER_RATIO;
        }
        retryAfterCap = clamp(
                positive("retryAfterCap", retryAfterCap, RETRY_AFTER_CAP),
                Duration.ofSeconds(1),
                Duration.ofSeconds(RetryAfter.MAX_SECONDS));
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** The given duration, or the default and a WARN where it makes no sense (R16). */
    static Duration positive(String option, @Nullable Duration value, Duration fallback) {
        if (value != null && value.compareTo(Duration.ZERO) > 0) {
            return value;
        }
        warn(option, value, fallback);
        return fallback;
    }

    private static void warn(String option, @Nullable Object value, Object fallback) {
        // not as a pattern with arguments: that would write the numbers by the custom of the place, and rounded
        System.getLogger(RetryPolicy.class.getName())
                .log(
                        System.Logger.Level.WARNING,
                        option + " makes no sense as " + value + ": using the default " + fallback);
    }

    private static Duration clamp(Duration value, Duration least, Duration most) {
        return value.compareTo(least) < 0 ? least : value.compareTo(most) > 0 ? most : value;
    }

    /** Collects the numbers; every setter may be left out. Not safe for use by several threads. */
    public static final class Builder {
        private Duration normalCeiling = NORMAL_CEILING;
        private Duration extendedInitial = EXTENDED_INITIAL;
        private Duration extendedCeiling = EXTENDED_CEILING;
        private Duration healthyReset = HEALTHY_RESET;
        private int goodPolls = GOOD_POLLS;
        private double jitterRatio = JITTER_RATIO;
        private Duration retryAfterCap = RETRY_AFTER_CAP;

        private Builder() {}

        /** The longest wait of the normal ladder, which only streams climb. Default: 30 s. */
        public Builder normalCeiling(@Nullable Duration normalCeiling) {
            this.normalCeiling = positive("normalCeiling", normalCeiling, NORMAL_CEILING);
            return this;
        }

        /** The first wait after a failure that a person has to mend. Default: 5 min. */
        public Builder extendedInitial(@Nullable Duration extendedInitial) {
            this.extendedInitial = positive("extendedInitial", extendedInitial, EXTENDED_INITIAL);
            return this;
        }

        /** The longest wait after failures that a person has to mend. Default: 1 h. */
        public Builder extendedCeiling(@Nullable Duration extendedCeiling) {
            this.extendedCeiling = positive("extendedCeiling", extendedCeiling, EXTENDED_CEILING);
            return this;
        }

        /**
         * How long a stream has to stay healthy, from its first message, before old failures count no more. Default: 60
         * s.
         */
        public Builder healthyReset(@Nullable Duration healthyReset) {
            this.healthyReset = positive("healthyReset", healthyReset, HEALTHY_RESET);
            return this;
        }

        /** How many polls in a row have to succeed before old failures count no more. Default: 2. */
        public Builder goodPolls(int goodPolls) {
            this.goodPolls = goodPolls;
            return this;
        }

        /** The largest part of a wait that chance may take off, 0 to 0.5. Default: 0.5. */
        public Builder jitterRatio(double jitterRatio) {
            this.jitterRatio = jitterRatio;
            return this;
        }

        /** The longest {@code Retry-After} that is honoured; longer ones are cut to it. Default: 60 s. */
        public Builder retryAfterCap(@Nullable Duration retryAfterCap) {
            this.retryAfterCap = positive("retryAfterCap", retryAfterCap, RETRY_AFTER_CAP);
            return this;
        }

        /** The policy. */
        public RetryPolicy build() {
            return new RetryPolicy(
                    normalCeiling,
                    extendedInitial,
                    extendedCeiling,
                    healthyReset,
                    goodPolls,
                    jitterRatio,
                    retryAfterCap);
        }
    }
}
