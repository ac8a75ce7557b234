package io.flagfeed.sidebyside;

/** A client that has been started, as a reader of its flags sees it. */
interface Client extends AutoCloseable {
    /** Waits until the first data set can be read. */
    void awaitReady() throws InterruptedException;

    /** The version of a flag that a reader gets at this moment; less than any flag has if there is none. */
    long version(String key);

    @Override
    void close();
}
