/**
 * Streaming and polling over HTTP.
 *
 * <p>{@link io.flagfeed.sdk.datasource.StreamingDataSource} and {@link io.flagfeed.sdk.datasource.PollingDataSource}
 * are recipes for a {@link io.flagfeed.sdk.DataSystem}. Inside, one loop serves both: a transport turns bytes into
 * events, a decoder turns events into change sets, and the loop alone decides when to try again.
 */
@NullMarked
package io.flagfeed.sdk.datasource;

import org.jspecify.annotations.NullMarked;
