package io.flagfeed.sdk.datasource;

/** There is no key for an attempt; the message, which shows no key, says why. */
@SuppressWarnings("serial") // never serialized
final class NoKeyException extends Exception {
    NoKeyException(String message) {
        super(message);
    }
}
