package io.flagfeed.sdk.retry;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * Why an attempt ended without the SDK having asked for it (R4).
 *
 * @param kind what went wrong
 * @param failureClass which ladder the retry climbs
 * @param httpStatus the response's status, or 0 where there was no response to blame
 * @param retryAfterSeconds what the response asked for in {@code Retry-After}, as sent (R29); empty if it did not
 * @param message one line for people; it holds no credentials
 */
public record Failure(
        Kind kind, FailureClass failureClass, int httpStatus, OptionalLong retryAfterSeconds, String message) {

    /** What went wrong. */
    public enum Kind {
        /** No usable response: connect, TLS, read or time-out trouble, or a stream that ended. */
        NETWORK,
        /** A response whose status says no. */
        HTTP_STATUS,
        /** A response whose content cannot be used. */
        INVALID_DATA,
        /** Anything else: an unchecked exception or an {@link Error} during the attempt. */
        UNKNOWN
    }

    /** Checks the components; throws {@link NullPointerException} for a null one. */
    public Failure {
        requireNonNull(kind, "kind");
        requireNonNull(failureClass, "failureClass");
        requireNonNull(retryAfterSeconds, "retryAfterSeconds");
        requireNonNull(message, "message");
    }

    /**
     * A response that cannot be used because of its status.
     *
     * @param status the HTTP status, which decides the class
     * @param retryAfterSeconds the parsed {@code Retry-After} of that response, uncapped
     */
    public static Failure httpStatus(int status, OptionalLong retryAfterSeconds) {
        return new Failure(
                Kind.HTTP_STATUS,
                FailureClass.ofHttpStatus(status),
                status,
                retryAfterSeconds,
                "HTTP status " + status);
    }

    /** Transport trouble, TLS included; always {@link FailureClass#NORMAL} (R3). */
    public static Failure network(String message) {
        return normal(Kind.NETWORK, message);
    }

    /** Content that does not parse or does not fit the protocol; always {@link FailureClass#NORMAL} (R3). */
    public static Failure invalidData(String message) {
        return normal(Kind.INVALID_DATA, message);
    }

    /** An unforeseen exception of the client itself; always {@link FailureClass#NORMAL} (R3). */
    public static Failure unknown(String message) {
        return normal(Kind.UNKNOWN, message);
    }

    private static Failure normal(Kind kind, String message) {
        return new Failure(kind, FailureClass.NORMAL, 0, OptionalLong.empty(), message);
    }
}
