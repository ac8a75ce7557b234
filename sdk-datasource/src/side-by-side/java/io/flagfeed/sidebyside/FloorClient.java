package io.flagfeed.sidebyside;

import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.Call;
import okhttp3.ConnectionSpec;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * What no client can go below: bare OkHttp with Gson reading past the data, of which nothing is kept. So it has no
 * flags either, and takes for the version of any flag the newest one there is, which it knows by counting the events.
 */
final class FloorClient implements Client, Runnable {
    private final OkHttpClient http = new OkHttpClient.Builder()
            .connectionSpecs(List.of(ConnectionSpec.CLEARTEXT)) // or it would read all trusted certificates
            .readTimeout(5, TimeUnit.MINUTES)
            .build();
    private final boolean streaming;
    private final String url;
    private final long pauseMillis;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final AtomicLong newest;
    private @Nullable String entityTag; // of the thread's alone
    private volatile boolean closed;
    private volatile @Nullable Call call;

    /** The newest version at this moment is that of the data it gets first. */
    FloorClient(URI service, Feed feed, long newest) {
        this.newest = new AtomicLong(newest);
        streaming = feed == Feed.STREAM;
        url = service.resolve(streaming ? "/all" : "/sdk/latest-all").toString();
        pauseMillis = streaming ? Feed.RETRY.toMillis() : feed.interval.toMillis();
        Thread thread = new Thread(this, "floor");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                try {
                    exchange();
                } catch (IOException e) {
                    // cut, or closed
                }
                Thread.sleep(pauseMillis);
            }
        } catch (InterruptedException e) {
            // nobody does that
        }
    }

    private void exchange() throws IOException {
        Request.Builder request = new Request.Builder().url(url);
        if (entityTag != null) {
            request.header("If-None-Match", entityTag);
        }
        Call next = http.newCall(request.build());
        call = next;
        try (Response response = next.execute()) {
            if (response.code() != HttpURLConnection.HTTP_NOT_MODIFIED) {
                Line line = new Line(response.body().source());
                if (streaming) {
                    readEvents(response.body().source(), line);
                } else {
                    new JsonReader(line).skipValue();
                    entityTag = response.header("ETag");
                    ready.countDown();
                }
            }
        }
    }

    /** Each event is a line with its name, one with its data, and an empty one. */
    private void readEvents(BufferedSource source, Line line) throws IOException {
        while (!closed) {
            source.readUtf8LineStrict();
            source.skip("data: ".length());
            new JsonReader(line.next()).skipValue();
            line.skipRest();
            source.readUtf8LineStrict();
            if (ready.getCount() == 0) {
                newest.incrementAndGet(); // a patch, or all data after a cut, which renews one flag
            }
            ready.countDown();
        }
    }

    @Override
    public void awaitReady() throws InterruptedException {
        ready.await();
    }

    @Override
    public long version(String key) {
        return newest.get();
    }

    @Override
    public void close() {
        closed = true;
        Call last = call;
        if (last != null) {
            last.cancel();
        }
        http.dispatcher().executorService().shutdown();
        http.connectionPool().evictAll();
    }
}
