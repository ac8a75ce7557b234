package io.flagfeed.cli;

import java.time.Duration;

/**
 * How a watch went.
 *
 * @param ready whether data ever arrived
 * @param watched how long it was watched
 * @param connected how much of that the data were valid
 * @param changes how many changes of flags and segments were seen
 * @param failures how many attempts failed
 */
record Summary(boolean ready, Duration watched, Duration connected, long changes, long failures) {}
