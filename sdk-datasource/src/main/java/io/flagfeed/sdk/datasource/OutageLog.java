package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.FailureClass;
import io.flagfeed.sdk.retry.RetryState;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the log of one run's troubles: a line when they begin, one when they end with how long they took, and the rest
 * at DEBUG (R43). What a person has to mend is an ERROR each time; such attempts are minutes apart.
 */
final class OutageLog {
    private static final Logger LOG = LoggerFactory.getLogger(OutageLog.class);

    private final String name;
    private int failures; // since the last success
    private long began; // meaningful while there are failures
    private boolean saidCapped;

    /** With the name of the source as people know it. */
    OutageLog(String name) {
        this.name = name;
    }

    void failed(Failure failure, Duration wait, RetryState retry, long nanoTime) {
        if (failures++ == 0) {
            began = nanoTime;
        }
        if (failure.failureClass() == FailureClass.UNEXPECTED) {
            LOG.error(
                    "{} failed with {}; check the SDK key and the address. Next attempt in {}",
                    name,
                    failure.message(),
                    wait);
        } else if (failures == 1) {
            LOG.warn("{} failed: {}. Next attempt in {}", name, failure.message(), wait);
        } else {
            LOG.debug("{} failed again: {}. Next attempt in {}", name, failure.message(), wait);
        }
        if (retry.extended() && retry.attempts() == 1) { // once per entry, however often it is left and entered
            LOG.info("{} waits minutes between attempts until it has been healthy again", name);
        }
        Duration asked = Duration.ofSeconds(failure.retryAfterSeconds().orElse(0));
        if (asked.compareTo(wait) > 0 && !saidCapped) { // so nothing but the cap has cut it (R30)
            saidCapped = true;
            LOG.warn("{} was asked to wait {}, which is over the cap, and waits {}", name, asked, wait);
        }
    }

    void succeeded(long nanoTime) {
        if (failures > 0) {
            LOG.info("{} works again after {} and {} failures", name, Duration.ofNanos(nanoTime - began), failures);
        }
        failures = 0;
        saidCapped = false;
    }
}
