/**
 * When to try again: failure classes, backoff, and the {@code Retry-After} field.
 *
 * <p>Everything here decides in values: time and chance come in as arguments, nothing waits, and nothing but the JDK
 * is needed. The rules are numbered R1 to R45 in comments and explained in {@code docs/retry.md}.
 */
@NullMarked
package io.flagfeed.sdk.retry;

import org.jspecify.annotations.NullMarked;
