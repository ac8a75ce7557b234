package io.flagfeed.sidebyside;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.locks.LockSupport;

/** One contestant in this JVM, the service, and what measurements have in common. */
final class Bench {
    /** Commands the service. */
    final Control control;

    /** How many flags the service has. */
    final int flags;

    private final Contestant contestant;
    private final URI service;
    private final String[] keys;
    private long newest;

    private Bench(Contestant contestant, URI service, int flags) throws IOException {
        this.contestant = contestant;
        this.service = service;
        this.flags = flags;
        control = new Control(service);
        newest = control.ask("newest")[0];
        keys = new String[flags];
    }

    /** Arguments: a scenario and a contestant by their constants, the service's address, the number of its flags. */
    public static void main(String[] args) throws Exception {
        ParentWatch.begin();
        Bench bench = new Bench(Contestant.valueOf(args[1]), URI.create(args[2]), Integer.parseInt(args[3]));
        Figures figures = new Figures();
        Scenario.valueOf(args[0]).measurement().measure(bench, figures);
        System.out.println(figures);
        System.exit(0);
    }

    /** Starts a client and does not wait. No flag may be renewed before it is ready. */
    Client start(Feed feed) {
        return contestant.start(service, feed, newest);
    }

    /** Starts a client and waits until it has all flags. */
    Client ready(Feed feed) throws InterruptedException {
        newest = control.ask("newest")[0];
        Client client = start(feed);
        client.awaitReady();
        check(client);
        return client;
    }

    /** That it has the flags. */
    void check(Client client) {
        for (int i = 0; i < flags; i++) {
            if (client.version(key(i)) < FlagData.FIRST_VERSION) {
                throw new IllegalStateException("ready without " + key(i));
            }
        }
    }

    String key(int index) {
        if (keys[index] == null) {
            keys[index] = FlagData.key(index);
        }
        return keys[index];
    }

    /** Which flag has this version. */
    String keyOf(long version) {
        return key(FlagData.indexOf(version, flags));
    }

    /** Waits until a reader sees a version, with a look at every so many nanoseconds. */
    void awaitVersion(Client client, long version, long nanos) {
        String key = keyOf(version);
        while (client.version(key) < version) {
            LockSupport.parkNanos(nanos);
        }
    }

    /** How many patches make a burst: fewer where each may cost more. */
    int burstSize() {
        return Math.min(30_000, Math.max(500, 50_000_000 / flags));
    }

    /** Has the service send patches as fast as it can, and waits for the last: how many came in a second. */
    double burst(Client client) {
        long[] beganAndLast = control.ask("burst " + burstSize());
        awaitVersion(client, beganAndLast[1], 100_000);
        return burstSize() * 1e9 / (System.nanoTime() - beganAndLast[0]);
    }
}
