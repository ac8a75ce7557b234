package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An application's own OkHttpClient: what of it holds, what does not, and that it survives. */
@Timeout(30)
final class OwnClientIT {
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();
    private final FakeFlagServer server = FakeFlagServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private Cancellable start(Mode mode, OkHttpClient client) {
        HttpSettings http = HttpSettings.builder().client(client).build();
        return mode.source(server.uri(), mode.base, http).start(sink, scheduler);
    }

    private void awaitNews() {
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void itsInterceptorsSeeTheRequestsAndItCanBeUsedAfterwards(Mode mode) throws IOException {
        server.set(TestFlags.flag("a").build());
        AtomicInteger seen = new AtomicInteger();
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(chain -> {
                    seen.incrementAndGet();
                    return chain.proceed(chain.request());
                })
                .build();
        Request request =
                new Request.Builder().url(server.uri() + "/sdk/latest-all").build();
        try (Response response = client.newCall(request).execute()) { // leaves a connection in the client's pool
            assertTrue(response.isSuccessful());
            response.body().bytes();
        }
        Cancellable run = start(mode, client);
        awaitNews();
        sink.takeApplied();
        run.cancel();
        assertEquals(2, seen.get());
        Sockets.await().until(() -> server.openConnections() == 1); // ours is gone, the client's is not
        assertEquals(1, client.connectionPool().idleConnectionCount());
        assertFalse(client.dispatcher().executorService().isShutdown());
        try (Response response = client.newCall(request).execute()) {
            assertTrue(response.isSuccessful());
        }
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }

    /** It would end every stream; for polls it is what the application wants. */
    @Test
    void itsCallTimeoutHoldsForPollsOnly() { // CONN-04
        server.set(TestFlags.flag("a").build());
        OkHttpClient client =
                new OkHttpClient.Builder().callTimeout(Duration.ofMillis(300)).build();
        server.stream().serve().drip(20, Duration.ofMillis(50));
        Cancellable stream = start(Mode.STREAMING, client);
        awaitNews();
        sink.takeApplied();
        server.heartbeat();
        stream.cancel();
        server.poll().serve().drip(1, Duration.ofMillis(50));
        Cancellable polls = start(Mode.POLLING, client);
        awaitNews();
        String message = sink.takeInterrupted().error().message();
        assertEquals("no whole answer within PT0.3S", message);
        polls.cancel();
    }

    @Test
    void itsReadTimeoutHoldsForPollsOnly() {
        OkHttpClient client =
                new OkHttpClient.Builder().readTimeout(Duration.ofMillis(200)).build();
        server.stream().put().pause(Duration.ofMillis(600)).comment("still here");
        Cancellable stream = start(Mode.STREAMING, client);
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 2);
        sink.takeApplied();
        sink.takeConfirmed();
        stream.cancel();
        server.poll().hang().times(2);
        Cancellable polls = start(Mode.POLLING, client);
        awaitNews();
        String message = sink.takeInterrupted().error().message();
        assertTrue(message.startsWith("SocketTimeoutException"), message);
        polls.cancel();
    }

    @ParameterizedTest
    @EnumSource
    void theReadTimeoutOfTheSettingsHoldsBeforeTheClients(Mode mode) {
        assertTimeout("SocketTimeoutException", mode, HttpSettings.builder().readTimeout(Duration.ofMillis(100)));
    }

    @Test
    void theCallTimeoutOfTheSettingsHoldsBeforeTheClients() {
        assertTimeout(
                "no whole answer within PT0.1S",
                Mode.POLLING,
                HttpSettings.builder().callTimeout(Duration.ofMillis(100)));
    }

    private void assertTimeout(String message, Mode mode, HttpSettings.Builder http) {
        OkHttpClient client = new OkHttpClient.Builder()
                .readTimeout(Duration.ofMinutes(20))
                .callTimeout(Duration.ofMinutes(20))
                .build();
        mode.script(server).hang().times(2);
        Cancellable run = mode.source(
                        server.uri(), mode.base, http.client(client).build())
                .start(sink, scheduler);
        awaitNews();
        String told = sink.takeInterrupted().error().message();
        assertTrue(told.startsWith(message), told);
        run.cancel();
    }

    /** An authenticator would answer a 401 by itself, again and again, and a cache would answer for the service. */
    @ParameterizedTest
    @EnumSource
    void itsAuthenticatorAndItsCacheAreLeftOut(Mode mode) throws IOException { // R36
        Path directory = Files.createTempDirectory("flagfeed-cache");
        OkHttpClient client = new OkHttpClient.Builder()
                .cache(new Cache(directory.toFile(), 1_000_000))
                .authenticator((route, response) -> response.request()
                        .newBuilder()
                        .header("Authorization", "another")
                        .build())
                .build();
        mode.script(server)
                .atOnce(script ->
                        script.respond(401).then().redirect(301, "?moved").header("Cache-Control", "max-age=3600"));
        server.poll().serve().noHeader("ETag").header("Cache-Control", "max-age=3600");
        Cancellable run = start(mode, client);
        awaitNews();
        assertEquals(401, sink.takeInterrupted().error().httpStatus());
        assertEquals(1, server.requests().size());
        scheduler.advance(Duration.ofMinutes(5));
        awaitNews();
        sink.takeApplied();
        run.cancel();
        Cancellable again = start(mode, client);
        awaitNews();
        sink.takeApplied();
        again.cancel();
        assertEquals(
                List.of("null", "null", "moved", "null"),
                server.requests().stream()
                        .map(request -> String.valueOf(request.query()))
                        .toList());
        client.cache().delete();
    }

    /** Streams do not queue: a client's limit of requests to one host is not for what lasts. */
    @Test
    void manyStreamsAndPollsOfOneClientAllMakeProgress() { // CONN-12
        server.set(TestFlags.flag("a").build());
        Dispatcher narrow = new Dispatcher();
        narrow.setMaxRequestsPerHost(1);
        narrow.setMaxRequests(1);
        OkHttpClient client = new OkHttpClient.Builder().dispatcher(narrow).build();
        List<Cancellable> runs = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            runs.add(start(Mode.STREAMING, client));
        }
        runs.add(start(Mode.POLLING, client));
        Sockets.runUntil(scheduler, () -> sink.waiting().size() == 7);
        for (int i = 0; i < 7; i++) {
            sink.takeApplied();
        }
        runs.forEach(Cancellable::cancel);
        narrow.executorService().shutdown();
    }

    /** What it throws is the application's affair: the system still ends, and so does its thread. */
    @ParameterizedTest
    @EnumSource
    void itsListenerMayThrowAsACallIsCancelled(Mode mode) throws Exception {
        AtomicInteger cancelled = new AtomicInteger();
        OkHttpClient client = new OkHttpClient.Builder()
                .eventListener(new EventListener() {
                    @Override
                    public void canceled(Call call) {
                        cancelled.incrementAndGet();
                        throw new IllegalStateException("thrown on purpose");
                    }
                })
                .build();
        HttpSettings http = HttpSettings.builder()
                .client(client)
                .firstPayloadTimeout(Duration.ofSeconds(2))
                .callTimeout(Duration.ofSeconds(2))
                .build();
        mode.script(server).hang().forever();
        DataSystem system = DataSystem.builder(mode.source(server.uri(), mode.base, http))
                .scheduler(scheduler)
                .build();
        CompletionStage<DataSourceStatus> ready = system.start();
        Sockets.runUntil(scheduler, () -> system.status().lastError() != null); // the time was up
        int requests = server.requests().size();
        scheduler.advanceToNext();
        Sockets.await().until(() -> server.requests().size() > requests);
        system.close();
        Sockets.await().until(() -> ready.toCompletableFuture().isDone());
        assertTrue(cancelled.get() >= 2, "cancelled " + cancelled);
        Sockets.awaitNoThreads();
    }
}
