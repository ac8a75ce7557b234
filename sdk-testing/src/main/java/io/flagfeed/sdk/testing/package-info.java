/**
 * What tests of an SDK client need: time that moves when told, a flag service on loopback that fails by script, a data
 * source driven by hand, a sink that remembers, and flags to put in.
 */
@NullMarked
package io.flagfeed.sdk.testing;

import org.jspecify.annotations.NullMarked;
