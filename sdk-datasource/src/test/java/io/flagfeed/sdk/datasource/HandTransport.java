package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flagfeed.sdk.Cancellable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transport whose attempts are played by the test. */
final class HandTransport implements Transport {
    final List<Attempt> attempts = new ArrayList<>();
    int closed;

    @Nullable
    RuntimeException refusal;

    @Override
    public Cancellable attempt(@Nullable String held, Receiver receiver) {
        Attempt attempt = new Attempt(held, receiver);
        attempts.add(attempt);
        if (refusal != null) {
            throw refusal;
        }
        return attempt;
    }

    @Override
    public void close() {
        closed++;
    }

    /** The only attempt that was made since the last call, by its number from 1. */
    Attempt attempt(int number) {
        assertEquals(number, attempts.size(), "attempts");
        return attempts.get(number - 1);
    }

    static final class Attempt implements Cancellable {
        final @Nullable String held;
        final Receiver receiver;
        int cancelled;

        Attempt(@Nullable String held, Receiver receiver) {
            this.held = held;
            this.receiver = receiver;
        }

        @Override
        public void cancel() {
            cancelled++;
        }
    }
}
