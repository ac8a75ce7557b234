package io.flagfeed.sidebyside;

import java.io.IOException;

/** Ends this JVM when its standard input ends, which is when who began it has gone: nothing is left behind that spins. */
final class ParentWatch extends Thread {
    private static final int LEFT_ALONE = 3;

    private ParentWatch() {
        super("parent watch");
    }

    static void begin() {
        ParentWatch watch = new ParentWatch();
        watch.setDaemon(true);
        watch.start();
    }

    @Override
    public void run() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            // gone as well
        }
        Runtime.getRuntime().halt(LEFT_ALONE);
    }
}
