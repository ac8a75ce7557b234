package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flagfeed.sdk.ChangeSet;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Turns the events of one attempt into change sets. Used on that attempt's thread only. */
@FunctionalInterface
interface EventDecoder {
    /**
     * What the event means for the data.
     *
     * @param data text in UTF-8 (RFC 8259, section 8.1); it is read as far as it matters; what that throws comes out as
     *     an {@link java.io.UncheckedIOException}
     * @return the changes, or null if there is nothing to apply
     * @throws InvalidDataException if the event does not keep to the protocol, so that what is held may be wrong
     */
    @Nullable
    ChangeSet decode(String event, InputStream data) throws InvalidDataException;

    /** The same of data that are there as a whole. */
    default @Nullable ChangeSet decode(String event, String data) throws InvalidDataException {
        return decode(event, new ByteArrayInputStream(data.getBytes(UTF_8)));
    }
}
