package io.flagfeed.sidebyside;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The streams that are open, and the changes that go out over all of them. What is answered are numbers in a line. */
final class Streams {
    private static final long SECOND = 1_000_000_000;
    private static final long HEAD_START = 10_000_000; // until who asked for patches has begun to look for them

    private final ServedData data; // guarded by this, like the streams
    private final Map<Socket, OutputStream> open = new LinkedHashMap<>();
    private Thread pacer = new Thread(); // touched by commands only, which come one at a time, like the next
    private long[] sent = {};

    Streams(ServedData data) {
        this.data = data;
    }

    synchronized int newest() {
        return data.newest();
    }

    synchronized void writeDocument(OutputStream out) throws IOException {
        data.writeDocument(out);
    }

    /** Begins a stream with all data; patches follow. */
    synchronized void open(Socket socket, OutputStream out) throws IOException {
        out.write(ServedData.bytes(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"));
        data.writePut(out);
        out.flush();
        open.put(socket, out);
    }

    synchronized void forget(Socket socket) {
        open.remove(socket);
    }

    /** Sends patches as fast as the sockets take them: when the first was written, and the last one's version. */
    synchronized String burst(int patches) throws IOException {
        long began = System.nanoTime();
        for (int i = 0; i < patches; i++) {
            renewAndWrite();
        }
        flush();
        return began + " " + data.newest();
    }

    /** Begins to send patches at an even rate, where one late does not make others late: the newest version before. */
    int pace(int patches, int perSecond) {
        int before = newest();
        long[] times = new long[patches];
        sent = times;
        pacer = Service.inBackground(() -> send(times, perSecond));
        return before;
    }

    private void send(long[] times, int perSecond) {
        long began = System.nanoTime() + HEAD_START;
        try {
            for (int i = 0; i < times.length; i++) {
                long due = began + i * SECOND / perSecond;
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                synchronized (this) {
                    times[i] = System.nanoTime();
                    renewAndWrite();
                    flush();
                }
            }
        } catch (IOException e) {
            // the client has gone, and with it who waits for the patch
        }
    }

    /** Waits for the last of the paced patches: when each was written. */
    String sent() throws InterruptedException {
        pacer.join();
        StringBuilder line = new StringBuilder();
        for (long nanos : sent) {
            line.append(nanos).append(' ');
        }
        return line.toString();
    }

    /** Renews a flag without telling, and closes all streams: when, and the flag's version. */
    synchronized String cut() throws IOException {
        data.renew();
        long now = System.nanoTime();
        for (Socket socket : open.keySet()) {
            socket.close();
        }
        open.clear();
        return now + " " + data.newest();
    }

    private void renewAndWrite() throws IOException {
        data.renew();
        for (OutputStream stream : open.values()) {
            data.writePatch(stream);
        }
    }

    private void flush() throws IOException {
        for (OutputStream stream : open.values()) {
            stream.flush();
        }
    }
}
