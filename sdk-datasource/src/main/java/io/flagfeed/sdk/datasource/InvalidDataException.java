package io.flagfeed.sdk.datasource;

/** Says in one line what is wrong with data that was received, without quoting them. */
@SuppressWarnings("serial") // never serialized
final class InvalidDataException extends Exception {
    InvalidDataException(String message) {
        super(message);
    }
}
