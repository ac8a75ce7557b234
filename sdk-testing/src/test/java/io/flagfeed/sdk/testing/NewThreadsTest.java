package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
final class NewThreadsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ForkJoinPool.commonPool-worker-1",
                "ForkJoinPool.commonPool-delayScheduler",
                "CompletableFutureDelayScheduler",
                "HttpClient-1-SelectorManager",
                "HttpClient-12-Worker-3",
                "Keep-Alive-Timer",
                "process reaper",
                "process reaper (pid 4711)",
                "Common-Cleaner",
                "Attach Listener",
                "OkHttp TaskRunner",
                "OkHttp ConnectionPool",
                "OkHttp ConnectionPool connection closer",
                "OkHttp 127.0.0.1 ping",
                "OkHttp Dispatcher",
                "Okio Watchdog",
                "junit-jupiter-timeout-watcher",
                "surefire-forkedjvm-ping-30s"
            })
    void someAreNobodysToEnd(String name) {
        assertEquals(true, NewThreads.isKnown(new Thread(name)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flagfeed",
                "flagfeed-stream",
                "flagfeed-fake-server-1",
                "Thread-0",
                "pool-1-thread-1",
                "ForkJoinPool-1-worker-1", // somebody's own pool
                "OkHttp http://127.0.0.1:41234/...", // a call under way
                "OkHttp https://flags.example.com/...",
                "not a process reaper"
            })
    void othersAreSomebodys(String name) {
        assertEquals(false, NewThreads.isKnown(new Thread(name)));
    }

    @Test
    void onlyWhatBeganLaterAndIsStillAliveIsTold() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        start("before", end);
        NewThreads threads = new NewThreads();
        assertEquals(List.of(), threads.stillAlive(Duration.ZERO));
        start("b", end);
        start("a", end);
        start("Okio Watchdog", end);
        assertEquals(List.of("a", "b"), threads.stillAlive(Duration.ofMillis(5)));
        end.countDown();
        assertEquals(List.of(), threads.stillAlive(Duration.ofSeconds(10)));
    }

    private static void start(String name, CountDownLatch end) {
        Thread thread = new Thread(
                () -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }
}
