package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.Cancellable;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The SDK key: what the service knows the environment by. It can be swapped while sources run, and one may serve many
 * sources. It is shown nowhere. Safe for use by several threads.
 */
public final class Credential {
    private final List<Runnable> onSwap = new CopyOnWriteArrayList<>();

    private volatile Supplier<String> key;

    private Credential(Supplier<String> key) {
        this.key = key;
    }

    /**
     * A key that stays until it is swapped.
     *
     * @throws IllegalArgumentException if it is blank or holds anything but printable ASCII; the message does not show
     *     it
     */
    public static Credential of(String sdkKey) {
        return new Credential(fixed(sdkKey));
    }

    /**
     * A key that is asked for before each attempt, for one that expires or is kept elsewhere.
     *
     * @param provider called on the thread of an attempt, which it may hold up: after {@link
     *     HttpSettings.Builder#firstPayloadTimeout} or {@link HttpSettings.Builder#callTimeout} the attempt has failed,
     *     and then, or when the source ends, the thread is interrupted. One that waits on all the same keeps its
     *     thread. What it throws, and a key that no header can carry, is a failed attempt like any other, and shown
     *     only by its type
     */
    public static Credential provided(Supplier<String> provider) {
        return new Credential(requireNonNull(provider, "provider"));
    }

    /**
     * Goes on with another key. Sources that run end what they are doing, keep their data, forget what has failed with
     * the key before (R15, the long waits too) and begin an attempt with the new one at once, or within {@link
     * SourceBuilder#spread}. A key that is the same as before changes nothing.
     *
     * @throws IllegalArgumentException if it is blank or holds anything but printable ASCII; the message does not show
     *     it
     */
    public void swap(String sdkKey) {
        Supplier<String> next = fixed(sdkKey);
        synchronized (this) {
            if (next.equals(key)) {
                return;
            }
            key = next;
        }
        for (Runnable action : onSwap) {
            try {
                action.run();
            } catch (RuntimeException | Error e) { // a scheduler that was shut down, say: the others go on
                log().error("A source did not hear of a swapped key", e);
            }
        }
    }

    private static Supplier<String> fixed(String sdkKey) {
        return new Fixed(checked("sdkKey", sdkKey));
    }

    /** Runs this at each swap until it is cancelled. Each caller has an action of its own. */
    Cancellable onSwap(Runnable action) {
        onSwap.add(action);
        return () -> onSwap.remove(action);
    }

    /** The key for one attempt. */
    String key() throws NoKeyException {
        Supplier<String> asked = key;
        if (asked instanceof Fixed fixed) {
            return fixed.key;
        }
        String given;
        try {
            given = asked.get();
        } catch (RuntimeException | Error e) {
            throw new NoKeyException(
                    "the provider of the SDK key failed with " + e.getClass().getName());
        }
        try {
            return checked("the SDK key of the provider", given);
        } catch (IllegalArgumentException | NullPointerException e) { // whose messages do not show it
            throw new NoKeyException(String.valueOf(e.getMessage()));
        }
    }

    private static String checked(String what, String sdkKey) {
        if (requireNonNull(sdkKey, what).isBlank()) {
            throw new IllegalArgumentException(what + " is empty");
        }
        return HttpSettings.headerText(what, sdkKey);
    }

    /** That there is one. */
    @Override
    public String toString() {
        return "Credential";
    }

    /** Not a record: those show what they hold. */
    private static final class Fixed implements Supplier<String> {
        private final String key;

        Fixed(String key) {
            this.key = key;
        }

        @Override
        public String get() {
            return key;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Fixed fixed && fixed.key.equals(key);
        }

        @Override
        public int hashCode() {
            return key.hashCode();
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(Credential.class);
    }
}
