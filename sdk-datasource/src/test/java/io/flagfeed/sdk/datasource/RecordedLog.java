package io.flagfeed.sdk.datasource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** The lines that the library logs while this is open. */
final class RecordedLog implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.flagfeed");
    private final ListAppender<ILoggingEvent> appender;

    RecordedLog() {
        this(new ListAppender<>());
    }

    private RecordedLog(ListAppender<ILoggingEvent> appender) {
        this.appender = appender;
        appender.start();
        logger.addAppender(appender);
    }

    /** One that throws an error at each line once it has it. */
    static RecordedLog thatThrows() {
        return new RecordedLog(new ListAppender<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                list.add(event);
                throw new NoClassDefFoundError("thrown on purpose");
            }
        });
    }

    /** Level and message of each line from a level on. */
    List<String> lines(Level least) {
        return List.copyOf(appender.list).stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(least))
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** The texts from a level on, before anything is put in for the braces. */
    Set<String> texts(Level least) {
        return List.copyOf(appender.list).stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(least))
                .map(ILoggingEvent::getMessage)
                .collect(Collectors.toSet());
    }

    /** How many lines from a level on come with a stack trace. */
    long stackTraces(Level least) {
        return List.copyOf(appender.list).stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(least) && event.getThrowableProxy() != null)
                .count();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
