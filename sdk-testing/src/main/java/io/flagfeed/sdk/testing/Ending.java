package io.flagfeed.sdk.testing;

/** What happens when everything an answer has to send is sent. */
enum Ending {
    /** The stream stays open and gets what the server sends to all streams. */
    STAY,
    /** The response ends as HTTP says; the connection can be used again. */
    END,
    /** The connection is closed (FIN), whatever HTTP says is still missing. */
    DROP,
    /** The connection is reset (RST). */
    RESET,
    /** Nothing more is sent and nothing closed. */
    STALL
}
