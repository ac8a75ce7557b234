package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import org.jspecify.annotations.Nullable;

/** Makes attempts to get data, each when told. It never tries again by itself and waits for nothing but the network. */
interface Transport {
    /**
     * Begins one attempt in the background and returns at once.
     *
     * @param held what the service called the data that are held (see {@link Receiver#event}), or null if none are
     * @param receiver hears of the attempt, on the attempt's own thread, until it has heard that the attempt ended
     * @return ends the attempt, also while it is connecting
     */
    Cancellable attempt(@Nullable String held, Receiver receiver);

    /** Closes whatever connections there are, for there will be no more attempts. Returns at once. */
    void close();
}
