/**
 * Metrics of a system for those who have Micrometer; the library needs it for nothing.
 */
@NullMarked
package io.flagfeed.sdk.micrometer;

import org.jspecify.annotations.NullMarked;
