package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

import io.flagfeed.sdk.retry.Failure;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * A failed attempt as a status shows it.
 *
 * @param kind what went wrong
 * @param httpStatus the response's status, or 0 where there was no response to blame
 * @param retryAfterSeconds what the response asked for in {@code Retry-After}, as sent, before any cap (R29)
 * @param message one line for people; it holds no credentials
 * @param time when the failure was noticed, on the wall
 */
public record ErrorInfo(
        Failure.Kind kind, int httpStatus, OptionalLong retryAfterSeconds, String message, Instant time) {
    /** Checks the components; throws {@link NullPointerException} for a null one. */
    public ErrorInfo {
        requireNonNull(kind, "kind");
        requireNonNull(retryAfterSeconds, "retryAfterSeconds");
        requireNonNull(message, "message");
        requireNonNull(time, "time");
    }

    /** Shows a failure that was noticed at the given time. */
    public static ErrorInfo of(Failure failure, Instant time) {
        return new ErrorInfo(
                failure.kind(), failure.httpStatus(), failure.retryAfterSeconds(), failure.message(), time);
    }
}
