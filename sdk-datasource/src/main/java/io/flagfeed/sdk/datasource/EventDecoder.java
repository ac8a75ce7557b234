package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.ChangeSet;
import org.jspecify.annotations.Nullable;

/** Turns the events of one attempt into change sets. Used on that attempt's thread only. */
@FunctionalInterface
interface EventDecoder {
    /**
     * What the event means for the data.
     *
     * @return the changes, or null if there is nothing to apply
     * @throws InvalidDataException if the event does not keep to the protocol, so that what is held may be wrong
     */
    @Nullable
    ChangeSet decode(String event, String data) throws InvalidDataException;
}
