package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.testing.Script;
import java.net.URI;
import java.util.Random;

/**
 * One way in which the service of the chaos soak answers a request badly, or well but oddly. None of them lies: whoever
 * takes from it what the protocol says to take has the truth, or an older truth and a connection that ends soon.
 */
interface ChaosFault {
    /** Adds the answer to the script; it may be more than one. */
    void say(Script script, Scene scene);

    /** What it is called in summaries. */
    String name();

    /**
     * Whether it holds the flags of the moment when it was said, so that none may be changed until it was given: the
     * answers that a client gets never go back.
     */
    boolean holdsFlags();

    /**
     * What an answer is made of. The same decision always makes the same answer.
     *
     * @param random for this answer alone
     * @param truth the flags of this moment
     * @param service where the service is
     * @param elsewhere another origin, to which nothing should be told
     * @param id of this answer
     */
    record Scene(Random random, ChaosTruth truth, URI service, URI elsewhere, String id) {
        @SafeVarargs
        final <T> T any(T... values) {
            return values[random.nextInt(values.length)];
        }
    }
}
