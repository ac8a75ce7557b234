package io.flagfeed.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSourceStatus.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That closing says all there is to say, whatever goes on at that moment and whoever throws. */
@Timeout(30)
final class DataSystemEndTest {
    private final List<UpdateSink> sinks = new ArrayList<>();
    private final BlockingQueue<State> heard = new LinkedBlockingQueue<>();

    private State next() throws InterruptedException {
        return heard.poll(20, TimeUnit.SECONDS);
    }

    /** A thread that is about to hand on what a listener is to hear may have waited for a thread until now. */
    @Test
    void whatIsBeingHandedOnIsHeard() throws Exception {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch made = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        DataSource source = (sink, scheduler) -> {
            sinks.add(sink);
            return () -> {};
        };
        DataSystem system = DataSystem.builder(source)
                .scheduler(new ByHand())
                .threadFactory(task -> {
                    if (first.getAndSet(false)) {
                        making.countDown();
                        awaitUninterruptibly(made);
                    }
                    Thread thread = new Thread(task);
                    thread.setDaemon(true);
                    return thread;
                })
                .build();
        system.onStatus(status -> heard.add(status.state()));
        system.start();
        Thread news = new Thread(() -> sinks.get(0).apply(ChangeSet.full(List.of())));
        news.start();
        making.await();
        system.close();
        made.countDown();
        news.join();
        assertEquals(State.VALID, next());
        assertEquals(State.OFF, next());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void sourceThatCannotBeCancelledKeepsNobodyWaiting() throws Exception {
        DataSource source = (sink, scheduler) -> () -> {
            throw new IllegalStateException("thrown on purpose");
        };
        DataSystem system = DataSystem.builder(source).scheduler(new ByHand()).build();
        system.onStatus(status -> heard.add(status.state()));
        CountDownLatch done = new CountDownLatch(1);
        system.start().thenAccept(status -> done.countDown());
        assertThrows(IllegalStateException.class, system::close);
        assertEquals(State.OFF, next());
        assertTrue(done.await(20, TimeUnit.SECONDS));
        assertEquals(State.OFF, system.status().state());
        system.close();
        system.awaitReady(Duration.ofDays(1)); // does not wait
    }
}
