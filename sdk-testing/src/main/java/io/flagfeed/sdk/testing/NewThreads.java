package io.flagfeed.sdk.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The threads that have begun since this was made, but for those that are nobody's to end. */
final class NewThreads {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(2);

    /**
     * What the JDK, OkHttp and Okio begin once and keep for the whole JVM or until they idle, and the test runners'.
     */
    private static final Pattern KNOWN = Pattern.compile(String.join(
            "|",
            "ForkJoinPool\\.commonPool-.*",
            "CompletableFutureDelayScheduler",
            "HttpClient-\\d+-.*", // Java 17 cannot close a java.net.http.HttpClient
            "Keep-Alive-.*",
            "process reaper.*",
            "Common-Cleaner|Attach Listener|Signal Dispatcher|Finalizer|Reference Handler|Notification Thread",
            "C[12] CompilerThread.*",
            "OkHttp (?!https?:).*", // with an address it is a call under way
            "Okio Watchdog",
            "junit-.*|surefire-.*"));

    private final Set<Thread> before = alive();

    /** The names of those that are still alive after a while, in order; waits no longer than for the last of them. */
    List<String> stillAlive(Duration longest) throws InterruptedException {
        List<Thread> left = new ArrayList<>(alive());
        left.removeAll(before);
        CountDownLatch pause = new CountDownLatch(1);
        for (long looks = longest.dividedBy(BETWEEN_LOOKS); ; looks--) {
            left.removeIf(thread -> !thread.isAlive() || isKnown(thread)); // again: OkHttp's change their names
            if (left.isEmpty() || looks <= 0) {
                return left.stream().map(Thread::getName).sorted().toList();
            }
            boolean unused = pause.await(BETWEEN_LOOKS.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    static boolean isKnown(Thread thread) {
        String type = thread.getClass().getName();
        return type.startsWith("jdk.internal.") // its cleaners, and what carries virtual threads
                || type.startsWith("org.junit.") // tests that run side by side
                || KNOWN.matcher(thread.getName()).matches();
    }

    private static Set<Thread> alive() {
        return Thread.getAllStackTraces().keySet();
    }
}
