package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How to speak HTTP with the service; the same for streaming and polling. Immutable, and one may serve many sources.
 *
 * <p>A duration that makes no sense (null, zero or negative) is replaced by its default, with one WARN (R16).
 */
public final class HttpSettings {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSettings.class);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration CALL_TIMEOUT = Duration.ofMinutes(1);

    /** All defaults. */
    public static final HttpSettings DEFAULT = builder().build();

    private final Duration connectTimeout;
    private final @Nullable Duration readTimeout;
    private final Duration callTimeout;
    private final Map<String, String> headers;

    private HttpSettings(Builder builder) {
        connectTimeout = builder.connectTimeout;
        readTimeout = builder.readTimeout;
        callTimeout = builder.callTimeout;
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers)); // in the order given
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** The longest time for a connection to come about. */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** The longest silence while reading; null means that the kind of source decides. */
    public @Nullable Duration readTimeout() {
        return readTimeout;
    }

    /** The longest time for a poll from its beginning to the end of its answer. */
    public Duration callTimeout() {
        return callTimeout;
    }

    /** Headers sent with every request after the library's own. Unmodifiable. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The settings, of headers only the names: values may be secrets. */
    @Override
    public String toString() {
        return "HttpSettings[connectTimeout=" + connectTimeout + ", readTimeout="
                + (readTimeout == null ? "default" : readTimeout) + ", callTimeout=" + callTimeout + ", headers="
                + headers.keySet() + "]";
    }

    /** The given duration, or the default and a WARN where it makes no sense (R16). */
    static Duration positive(String option, @Nullable Duration value, Duration fallback) {
        if (value != null && isPositive(value)) {
            return value;
        }
        LOG.warn("{} makes no sense as {}: using the default {}", option, value, fallback);
        return fallback;
    }

    private static boolean isPositive(Duration value) {
        return value.compareTo(Duration.ZERO) > 0;
    }

    /** Checks what an HTTP header can carry; the message does not show the text, which may be a secret. */
    static String headerText(String what, String text) {
        requireNonNull(text, what);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~') {
                throw new IllegalArgumentException(
                        what + " holds a character that a header cannot carry: code " + (int) c + " at index " + i);
            }
        }
        return text;
    }

    /** Collects the settings; every setter may be left out. Not safe for use by several threads. */
    public static final class Builder {
        private Duration connectTimeout = CONNECT_TIMEOUT;
        private @Nullable Duration readTimeout;
        private Duration callTimeout = CALL_TIMEOUT;
        private final Map<String, String> headers = new LinkedHashMap<>();

        private Builder() {}

        /** The longest time for a TCP connection to come about. Default: 5 s. */
        public Builder connectTimeout(@Nullable Duration connectTimeout) {
            this.connectTimeout = positive("connectTimeout", connectTimeout, CONNECT_TIMEOUT);
            return this;
        }

        /**
         * The longest silence of the service before an attempt counts as failed. For a stream it has to exceed the
         * time between heartbeats. Default: 5 min for streaming, 10 s for polling.
         */
        public Builder readTimeout(@Nullable Duration readTimeout) {
            if (readTimeout != null && isPositive(readTimeout)) {
                this.readTimeout = readTimeout;
            } else {
                LOG.warn("readTimeout makes no sense as {}: using the default of the source", readTimeout);
                this.readTimeout = null;
            }
            return this;
        }

        /**
         * The longest time for a poll as a whole, so that an answer that trickles in for ever ends too. Streams, which
         * are meant to last, know no such limit. Default: 1 min.
         */
        public Builder callTimeout(@Nullable Duration callTimeout) {
            this.callTimeout = positive("callTimeout", callTimeout, CALL_TIMEOUT);
            return this;
        }

        /**
         * A header for every request. It replaces one of the same name, also one that the library sets. Default: none.
         *
         * @throws IllegalArgumentException if the name is no HTTP token, or the value holds anything but printable
         *     ASCII
         */
        public Builder header(String name, String value) {
            requireNonNull(name, "name");
            if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
                throw new IllegalArgumentException("header name is no HTTP token: " + name);
            }
            headers.put(name, headerText("header " + name, value));
            return this;
        }

        /** The settings. */
        public HttpSettings build() {
            return new HttpSettings(this);
        }
    }
}
