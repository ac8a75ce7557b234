package io.flagfeed.sdk.datasource;

import java.io.IOException;

/** What a service sent in one piece is over the limit, so that reading it was given up. */
@SuppressWarnings("serial") // never serialized
final class PayloadTooLargeException extends IOException {
    PayloadTooLargeException(String what, String option, int limit) {
        super(what + " is larger than " + option + ": " + limit);
    }
}
