package io.flagfeed.sdk;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/** While this is open, whatever is logged throws an error. */
final class ThrowingLog implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.flagfeed");
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        public synchronized void doAppend(ILoggingEvent event) {
            throw new NoClassDefFoundError("thrown on purpose");
        }

        @Override
        protected void append(ILoggingEvent event) {}
    };

    ThrowingLog() {
        appender.start();
        logger.addAppender(appender);
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
