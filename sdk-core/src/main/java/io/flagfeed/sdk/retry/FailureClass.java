package io.flagfeed.sdk.retry;

/** How much patience a failure asks for (R3). Whatever the class, the next attempt always comes. */
public enum FailureClass {
    /** Passing trouble: overload, a broken connection, bad data. Retried on the normal ladder. */
    NORMAL,

    /** Something a person has to mend, such as a wrong key. Retried on the extended ladder, in minutes. */
    UNEXPECTED;

    /**
     * The class of an HTTP status: {@link #UNEXPECTED} for 400 to 499 except 400, 408 and 429, {@link #NORMAL} for
     * every other number, even one that is no HTTP status at all (R3).
     */
    public static FailureClass ofHttpStatus(int status) {
        if (status == 400 || status == 408 || status == 429) {
            return NORMAL;
        }
        return status >= 400 && status <= 499 ? UNEXPECTED : NORMAL;
    }
}
