package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the policy says through {@link System.Logger}, which is java.util.logging unless something else is set up. */
final class WarningLog extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger(RetryPolicy.class.getName());
    private final List<LogRecord> records = new ArrayList<>();

    WarningLog() {
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    List<LogRecord> records() {
        return List.copyOf(records);
    }

    /** Exactly one WARN has come, and this is its text. */
    void assertOne(String option, String value, String fallback) {
        assertEquals(List.of(option + " makes no sense as " + value + ": using the default " + fallback), messages());
        assertEquals(Level.WARNING, records.get(0).getLevel());
    }

    void assertNothing() {
        assertEquals(List.of(), messages());
    }

    private List<String> messages() {
        return records.stream().map(new SimpleFormatter()::formatMessage).toList();
    }

    @Override
    public void publish(LogRecord record) {
        records.add(record);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
