package io.flagfeed.cli;

/** Where the library's log goes: nowhere, or to stderr on request, so that it does not mix with what is shown. */
final class Logging {
    private Logging() {}

    /** Has to run before the first logger is made, that is before any class of the library is used. */
    static void configure(boolean verbose) {
        setIfAbsent("org.slf4j.simpleLogger.defaultLogLevel", verbose ? "debug" : "off");
        setIfAbsent("org.slf4j.simpleLogger.showDateTime", "true");
        setIfAbsent("org.slf4j.simpleLogger.dateTimeFormat", "HH:mm:ss.SSS");
    }

    private static void setIfAbsent(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }
}
