package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The flags that are served, and the streams to tell of changes. One lock for both: a stream that opens gets each
 * change either in its first {@code put} or after it, never twice and never not at all. No I/O happens under it.
 */
final class ServedFlags {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition streamsChanged = lock.newCondition();
    private final Map<ItemKey, Item> items = new LinkedHashMap<>(); // with tombstones: they know the last version
    private final Set<OpenStream> streams = new LinkedHashSet<>();
    private @Nullable Document document; // null since the last change until someone asks

    void set(Item item) {
        lock.lock();
        try {
            change(item);
        } finally {
            lock.unlock();
        }
    }

    /** Marks an item as deleted, one version up. */
    void delete(ItemKey key) {
        lock.lock();
        try {
            Item held = items.get(key);
            change(Item.tombstone(key.kind(), key.key(), held == null ? 1 : held.version() + 1));
        } finally {
            lock.unlock();
        }
    }

    void setAll(Collection<Item> all) {
        lock.lock();
        try {
            items.clear();
            all.forEach(item -> items.put(key(item), item));
            document = null;
            if (!streams.isEmpty()) {
                tell(document().put);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the bytes for every open stream. */
    void send(byte[] bytes) {
        lock.lock();
        try {
            tell(bytes);
        } finally {
            lock.unlock();
        }
    }

    /** What a poll gets now. */
    Document current() {
        lock.lock();
        try {
            return document();
        } finally {
            lock.unlock();
        }
    }

    /** Opens a stream, and returns what it has to begin with. */
    Document openServing(OpenStream stream) {
        lock.lock();
        try {
            open(stream);
            return document();
        } finally {
            lock.unlock();
        }
    }

    /** Opens a stream that begins with something else. */
    void open(OpenStream stream) {
        lock.lock();
        try {
            streams.add(stream);
            streamsChanged.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void close(OpenStream stream) {
        lock.lock();
        try {
            if (streams.remove(stream)) {
                streamsChanged.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The open streams, which count as closed from now on. */
    List<OpenStream> closeAll() {
        lock.lock();
        try {
            List<OpenStream> closed = new ArrayList<>(streams);
            streams.clear();
            streamsChanged.signalAll();
            return closed;
        } finally {
            lock.unlock();
        }
    }

    int openStreams() {
        lock.lock();
        try {
            return streams.size();
        } finally {
            lock.unlock();
        }
    }

    void awaitStreams(int expected, Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            long left = timeout.toNanos();
            while (streams.size() != expected) {
                if (left <= 0) {
                    throw new AssertionError("expected " + expected + " open streams, but there were " + streams.size()
                            + " after " + timeout);
                }
                left = streamsChanged.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void change(Item item) {
        items.put(key(item), item);
        document = null;
        if (!streams.isEmpty()) {
            tell(Wire.change(item).getBytes(UTF_8));
        }
    }

    private void tell(byte[] bytes) {
        streams.forEach(stream -> stream.send(bytes));
    }

    private Document document() {
        Document made = document;
        if (made == null) {
            made = new Document(Wire.document(items.values()));
            document = made;
        }
        return made;
    }

    private static ItemKey key(Item item) {
        return new ItemKey(item.kind(), item.key());
    }
}
