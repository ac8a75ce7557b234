/**
 * What flag data is, where it comes from, how it is held, and how fresh it is.
 *
 * <p>Start at {@link io.flagfeed.sdk.DataSystem}: it runs a {@link io.flagfeed.sdk.DataSource}, keeps what arrives as
 * an immutable {@link io.flagfeed.sdk.Snapshot}, says how things stand as a
 * {@link io.flagfeed.sdk.DataSourceStatus}, and tells listeners what changed.
 */
@NullMarked
package io.flagfeed.sdk;

import org.jspecify.annotations.NullMarked;
