/** The {@code flagfeed} command. It uses the library as any embedder would. */
@NullMarked
package io.flagfeed.cli;

import org.jspecify.annotations.NullMarked;
