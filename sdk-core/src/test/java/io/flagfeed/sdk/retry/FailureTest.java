package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FailureTest {
    private static final OptionalLong NONE = OptionalLong.empty();

    @Test
    void aStatusDecidesTheClassAndKeepsWhatTheServerAsked() {
        assertEquals(
                new Failure(
                        Failure.Kind.HTTP_STATUS,
                        FailureClass.UNEXPECTED,
                        401,
                        OptionalLong.of(600),
                        "HTTP status 401"),
                Failure.httpStatus(401, OptionalLong.of(600)));
        assertEquals(
                new Failure(Failure.Kind.HTTP_STATUS, FailureClass.NORMAL, 503, NONE, "HTTP status 503"),
                Failure.httpStatus(503, NONE));
    }

    // R3: TLS and bad data too
    @Test
    void everythingElseIsNormalAndHasNoStatus() {
        assertEquals(
                new Failure(Failure.Kind.NETWORK, FailureClass.NORMAL, 0, NONE, "reset"), Failure.network("reset"));
        assertEquals(
                new Failure(Failure.Kind.INVALID_DATA, FailureClass.NORMAL, 0, NONE, "no JSON"),
                Failure.invalidData("no JSON"));
        assertEquals(new Failure(Failure.Kind.UNKNOWN, FailureClass.NORMAL, 0, NONE, "oops"), Failure.unknown("oops"));
    }

    @Test
    void nullIsRefused() {
        Failure.Kind kind = Failure.Kind.NETWORK;
        FailureClass normal = FailureClass.NORMAL;
        assertThrows(NullPointerException.class, () -> new Failure(null, normal, 0, NONE, ""));
        assertThrows(NullPointerException.class, () -> new Failure(kind, null, 0, NONE, ""));
        assertThrows(NullPointerException.class, () -> new Failure(kind, normal, 0, null, ""));
        assertThrows(NullPointerException.class, () -> new Failure(kind, normal, 0, NONE, null));
        assertThrows(NullPointerException.class, () -> Failure.httpStatus(500, null));
        assertThrows(NullPointerException.class, () -> Failure.network(null));
    }
}
