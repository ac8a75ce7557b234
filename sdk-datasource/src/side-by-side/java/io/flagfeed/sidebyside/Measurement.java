package io.flagfeed.sidebyside;

/** What is done with one contestant in a JVM of its own. */
interface Measurement {
    /** Measures, and tells what it found. */
    void measure(Bench bench, Figures figures) throws Exception;
}
