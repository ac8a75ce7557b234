package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.FailureClass;
import io.flagfeed.sdk.retry.RetryState;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the log of one run's troubles, each thing once per outage: a WARN when it begins, an ERROR with what to check
 * once a person has to mend something, an ERROR once it has lasted longer than a minute, and an INFO when it ends with
 * how long it took. All the rest is DEBUG.
 */
final class OutageLog {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final String name;
    private final Map<Failure.Kind, Integer> failures = new EnumMap<>(Failure.Kind.class); // since the last success
    private long began; // meaningful while there are failures
    private boolean saidUnexpected;
    private boolean saidLong;
    private boolean saidCapped;

    /** With the name of the source as people know it. */
    OutageLog(String name) {
        this.name = name;
    }

    void failed(Failure failure, Duration wait, RetryState retry, long nanoTime) {
        boolean first = failures.isEmpty();
        if (first) {
            began = nanoTime;
        }
        failures.merge(failure.kind(), 1, Integer::sum);
        if (failure.failureClass() == FailureClass.UNEXPECTED && !saidUnexpected) {
            saidUnexpected = true;
            log().error(
                            "{} failed with {}; check the SDK key and the address. Next attempt in {}",
                            name,
                            failure.message(),
                            wait);
        } else if (first) {
            log().warn("{} failed: {}. Next attempt in {}", name, failure.message(), wait);
        } else {
            log().debug("{} failed again: {}. Next attempt in {}", name, failure.message(), wait);
        }
        if (retry.extended() && retry.attempts() == 1) { // once per entry, however often it is left and entered
            log().info("{} waits minutes between attempts until it has been healthy again", name);
        }
        sayIfLong(Duration.ofNanos(nanoTime - began));
        Duration asked = Duration.ofSeconds(failure.retryAfterSeconds().orElse(0));
        if (asked.compareTo(wait) > 0 && !saidCapped) { // so nothing but the cap has cut it (R30)
            saidCapped = true;
            log().warn("{} was asked to wait {}, which is over the cap, and waits {}", name, asked, wait);
        }
    }

    private void sayIfLong(Duration outage) {
        if (outage.compareTo(LONG) > 0 && !saidLong) {
            saidLong = true;
            String counts = failures.entrySet().stream()
                    .map(kind -> kind.getKey() + " " + kind.getValue())
                    .collect(Collectors.joining(", "));
            log().error("{} has had no success for {}; failures by kind: {}", name, outage, counts);
        }
    }

    /** Something was changed that may mend what fails: if it does not, that is to be said. */
    void restarted() {
        saidUnexpected = false;
    }

    void succeeded(long nanoTime) {
        if (!failures.isEmpty()) {
            int count = failures.values().stream().mapToInt(Integer::intValue).sum();
            log().info("{} works again after {} and {} failures", name, Duration.ofNanos(nanoTime - began), count);
        }
        failures.clear();
        saidUnexpected = false;
        saidLong = false;
        saidCapped = false;
    }

    private static Logger log() {
        return LoggerFactory.getLogger(OutageLog.class);
    }
}
