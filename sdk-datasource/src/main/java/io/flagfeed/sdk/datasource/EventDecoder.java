package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.ChangeSet;
import java.io.Reader;
import java.io.StringReader;
import org.jspecify.annotations.Nullable;

/** Turns the events of one attempt into change sets. Used on that attempt's thread only. */
@FunctionalInterface
interface EventDecoder {
    /**
     * What the event means for the data.
     *
     * @param data is read as far as it matters; what that throws comes out as an {@link java.io.UncheckedIOException}
     * @return the changes, or null if there is nothing to apply
     * @throws InvalidDataException if the event does not keep to the protocol, so that what is held may be wrong
     */
    @Nullable
    ChangeSet decode(String event, Reader data) throws InvalidDataException;

    /** The same of data that are there as a whole. */
    default @Nullable ChangeSet decode(String event, String data) throws InvalidDataException {
        return decode(event, new StringReader(data));
    }
}
