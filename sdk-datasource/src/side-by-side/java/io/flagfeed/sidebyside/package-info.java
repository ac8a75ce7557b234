/**
 * What Flagfeed costs beside another SDK and beside a floor that keeps nothing, all measured in one run against one
 * service. Start at {@link io.flagfeed.sidebyside.SideBySide}; docs/performance.md has the command.
 *
 * <p>Everything that happens in a client's JVM before a first start is written without lambdas and without joining
 * texts: the JDK's machinery for those is part of what a cold start loads, or does not.
 */
@NullMarked
package io.flagfeed.sidebyside;

import org.jspecify.annotations.NullMarked;
