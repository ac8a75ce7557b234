package io.flagfeed.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The end of a command: its time is up, its story is told, or somebody pressed Ctrl-C. After Ctrl-C the JVM waits for
 * the command to say its last words, and exits with 0, for that is how a watch ends.
 */
final class Ending implements AutoCloseable {
    private static final long LONGEST_GOODBYE_SECONDS = 5;

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupted, "flagfeed-ctrl-c");

    Ending() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Ends the command, from any thread. */
    void now() {
        wanted.countDown();
    }

    void await() throws InterruptedException {
        wanted.await();
    }

    /** The command has said its last words. */
    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is shutting down already, and the hook is waiting for us
        }
    }

    private void interrupted() {
        now();
        try {
            if (done.await(LONGEST_GOODBYE_SECONDS, TimeUnit.SECONDS)) {
                System.out.flush();
                Runtime.getRuntime().halt(0); // a shutdown by signal has no other way to an exit code of its own
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
