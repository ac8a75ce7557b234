package io.flagfeed.sidebyside;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes all threads of this JVM have allocated so far, those that have ended too: a client may begin a thread
 * for each poll.
 *
 * <p>JDK 21 and later know that, to the byte. Before, it is found from the heap: what is used now, and what each
 * collection has freed until now. Then it is exact to a region of the heap, a megabyte or two, for each collection, and
 * lacks what a concurrent cycle frees by itself.
 */
final class Allocation implements NotificationListener {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final @Nullable Method TOTAL = totalOfThreads();

    private final Set<String> heapPools = new HashSet<>();
    private final AtomicLong freed = new AtomicLong();
    private final AtomicLong collectionsHeardOf = new AtomicLong();
    private final long collectionsBefore;

    Allocation() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                heapPools.add(pool.getName());
            }
        }
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector).addNotificationListener(this, null, null);
        }
        collectionsBefore = collections();
    }

    private static @Nullable Method totalOfThreads() {
        try {
            return ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
        } catch (NoSuchMethodException e) {
            return null; // before JDK 21
        }
    }

    /** Bytes since the JVM began, or since some moment: for measuring, by subtraction. */
    long bytes() throws InterruptedException {
        if (TOTAL != null) {
            try {
                return (Long) TOTAL.invoke(THREADS);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("the JDK has this method", e);
            }
        }
        while (true) { // collections are told of a little later, by another thread
            long collections = collections();
            long bytes = freed.get() + used();
            if (collectionsHeardOf.get() + collectionsBefore == collections && collections == collections()) {
                return bytes;
            }
            Thread.sleep(1);
        }
    }

    /** Bytes that the calling thread has allocated, on any JDK to the byte. */
    static long ofThisThread() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    @Override
    public void handleNotification(Notification notification, @Nullable Object handback) {
        if (notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            var gc = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
                    .getGcInfo();
            freed.addAndGet(inHeap(gc.getMemoryUsageBeforeGc()) - inHeap(gc.getMemoryUsageAfterGc()));
            collectionsHeardOf.incrementAndGet();
        }
    }

    private long inHeap(Map<String, MemoryUsage> pools) {
        long bytes = 0;
        for (String pool : heapPools) {
            bytes += pools.get(pool).getUsed();
        }
        return bytes;
    }

    private static long used() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += collector.getCollectionCount();
        }
        return count;
    }

    /** What stays in use, in bytes: collects twice, since what a first collection has found may free more. */
    static long heapAfterCollection() throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            System.gc();
            Thread.sleep(100);
        }
        return used();
    }
}
