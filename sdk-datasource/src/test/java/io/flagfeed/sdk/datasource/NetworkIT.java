package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocketFactory;
import okhttp3.Dns;
import okhttp3.Protocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a source gets to the service, how much it takes from it, and what the service calls the environment. */
@Timeout(30)
final class NetworkIT {
    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final RecordingSink sink = new RecordingSink();

    @AfterEach
    void close() {
        server.close();
    }

    private Cancellable start(Mode mode, URI uri, HttpSettings.Builder http) {
        Cancellable run = mode.source(uri, mode.base, http.build()).start(sink, scheduler);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        return run;
    }

    private URI named(String host) {
        return URI.create("http://" + host + ":" + server.uri().getPort());
    }

    private void assertAppliedAndCancel(Cancellable run) {
        sink.takeApplied();
        run.cancel();
    }

    // ---- names

    @ParameterizedTest
    @EnumSource
    void addressesComeFromTheGivenDns(Mode mode) {
        server.set(TestFlags.flag("a").build());
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Dns dns = host -> {
            asked.add(host);
            return List.of(InetAddress.getLoopbackAddress());
        };
        assertAppliedAndCancel(
                start(mode, named("flags.example"), HttpSettings.builder().dns(dns)));
        assertEquals(List.of("flags.example"), asked);
        FakeFlagServer.Request request = server.requests().get(0);
        assertEquals(
                "flags.example:" + server.uri().getPort(),
                request.header("Host").orElseThrow());
    }

    static Stream<Dns> brokenDns() {
        return Stream.of(
                host -> {
                    throw new UnknownHostException(host);
                },
                host -> List.of(),
                host -> {
                    throw new IllegalStateException("s3cret");
                },
                host -> null);
    }

    @ParameterizedTest
    @MethodSource("brokenDns")
    void dnsThatFailsIsAFailedAttempt(Dns dns) {
        for (Mode mode : Mode.values()) {
            Cancellable run =
                    start(mode, named("flags.example"), HttpSettings.builder().dns(dns));
            RecordingSink.News.Interrupted news = sink.takeInterrupted();
            assertEquals(mode.base, news.nextAttemptIn());
            assertTrue(!news.error().message().contains("s3cret"), news::toString);
            run.cancel();
        }
    }

    /** Nobody can interrupt one: the attempt is over all the same, and the next begins. */
    @ParameterizedTest
    @EnumSource
    void lookUpThatTakesForEverIsAFailedAttempt(Mode mode) {
        server.set(TestFlags.flag("a").build());
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Dns dns = host -> {
            if (asked.incrementAndGet() == 1) {
                awaitUninterruptibly(end);
            }
            return List.of(InetAddress.getLoopbackAddress());
        };
        Duration limit = Duration.ofSeconds(2);
        Cancellable run = start(
                mode,
                named("flags.example"),
                HttpSettings.builder().dns(dns).firstPayloadTimeout(limit).callTimeout(limit));
        assertEquals(
                mode == Mode.STREAMING ? "no headers within PT2S" : "no whole answer within PT2S",
                sink.takeInterrupted().error().message());
        scheduler.advanceToNext();
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        sink.takeApplied();
        end.countDown();
        run.cancel();
        Sockets.awaitNoThreads();
        scheduler.runDue();
        sink.assertExhausted(); // of the first there is nothing more to tell
    }

    /** Each of those that hang keeps a thread: there is an end to how many. */
    @Test
    void whatNeverComesBackDoesNotTakeAllThreads() {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Dns dns = host -> {
            asked.incrementAndGet();
            awaitUninterruptibly(end);
            return List.of(InetAddress.getLoopbackAddress());
        };
        Duration limit = Duration.ofMillis(5);
        Cancellable run = start(
                Mode.POLLING,
                named("flags.example"),
                HttpSettings.builder().dns(dns).callTimeout(limit));
        String message = sink.takeInterrupted().error().message();
        while (message.startsWith("no whole answer")) {
            scheduler.advanceToNext();
            Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
            message = sink.takeInterrupted().error().message();
        }
        assertEquals("100 attempts before this one have not come back", message);
        assertTrue(asked.get() <= 100, "asked " + asked);
        end.countDown();
        Sockets.await().until(() -> Sockets.threads().isEmpty());
        server.set(TestFlags.flag("a").build());
        scheduler.advanceToNext(); // and goes on by itself
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        run.cancel();
    }

    private static void awaitUninterruptibly(CountDownLatch end) {
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException e) {
                // goes on
            }
        }
    }

    private Dns addresses(String... numbers) {
        return host -> {
            List<InetAddress> addresses = new ArrayList<>();
            for (String number : numbers) {
                addresses.add(InetAddress.getByName(number));
            }
            return addresses;
        };
    }

    @ParameterizedTest
    @EnumSource
    void whereNobodyListensAtOneAddressTheNextIsAsked(Mode mode) {
        server.set(TestFlags.flag("a").build());
        Dns dns = addresses("127.0.0.2", "127.0.0.1");
        assertAppliedAndCancel(
                start(mode, named("flags.example"), HttpSettings.builder().dns(dns)));
    }

    /** Behind all of them may be the same service, which has just shown that it cannot bear more (R36). */
    @ParameterizedTest
    @EnumSource
    void whatGotNoAnswerAtOneAddressIsNotSentToTheNext(Mode mode) {
        mode.script(server).drop().forever();
        Dns dns = addresses("127.0.0.1", "127.0.0.1", "127.0.0.1");
        Cancellable run =
                start(mode, named("flags.example"), HttpSettings.builder().dns(dns));
        String message = sink.takeInterrupted().error().message();
        assertTrue(message.startsWith("IOException: unexpected end of stream"), message);
        assertEquals(1, server.requests().size());
        run.cancel();
    }

    /** A service that says that it has not begun (HTTP/2) is asked once more, wherever that is, and no further. */
    @ParameterizedTest
    @EnumSource
    void whatWasNotBegunIsSentOnceMore(Mode mode) {
        try (RefusingHttp2 refusing = new RefusingHttp2()) {
            Dns dns = addresses("127.0.0.1", "127.0.0.1", "127.0.0.1");
            HttpSettings.Builder http = HttpSettings.builder().dns(dns).protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
            Cancellable run = start(mode, URI.create("http://flags.example:" + refusing.port()), http);
            String message = sink.takeInterrupted().error().message();
            assertEquals("StreamResetException: stream was reset: REFUSED_STREAM", message);
            assertEquals(2, refusing.requests());
            run.cancel();
        }
    }

    @ParameterizedTest
    @EnumSource
    void byDefaultThePlatformFindsThem(Mode mode) {
        server.set(TestFlags.flag("a").build());
        assertAppliedAndCancel(start(mode, named("localhost"), HttpSettings.builder()));
    }

    // ---- sockets

    /** Closing the run still closes them. */
    @ParameterizedTest
    @EnumSource
    void socketsComeFromTheGivenFactory(Mode mode) {
        server.set(TestFlags.flag("a").build());
        AtomicInteger made = new AtomicInteger();
        WatchedSockets sockets = new WatchedSockets(made::incrementAndGet);
        Cancellable run = start(mode, server.uri(), HttpSettings.builder().socketFactory(sockets));
        sink.takeApplied();
        assertEquals(1, made.get());
        run.cancel();
        Sockets.await().until(() -> server.openConnections() == 0);
    }

    // ---- proxies

    private static ProxySelector selector(Function<URI, List<Proxy>> choice) {
        return new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                return choice.apply(uri);
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException e) {}
        };
    }

    @ParameterizedTest
    @EnumSource
    void proxyComesFromTheGivenSelector(Mode mode) {
        server.set(TestFlags.flag("a").build());
        try (TestProxy proxy = new TestProxy(null)) {
            TcpRelay wire = new TcpRelay(proxy.port());
            Proxy through =
                    new Proxy(Proxy.Type.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), wire.port()));
            List<String> asked = Collections.synchronizedList(new ArrayList<>());
            ProxySelector selector = selector(uri -> {
                asked.add(uri.getHost());
                return List.of(through);
            });
            assertAppliedAndCancel(
                    start(mode, server.uri(), HttpSettings.builder().proxySelector(selector)));
            assertEquals(1, wire.accepted());
            assertEquals(List.of("127.0.0.1"), asked);
            // the later of the two holds
            HttpSettings.Builder direct =
                    HttpSettings.builder().proxySelector(selector).proxy(Proxy.NO_PROXY);
            assertAppliedAndCancel(start(mode, server.uri(), direct));
            assertEquals(1, wire.accepted());
            HttpSettings.Builder selected =
                    HttpSettings.builder().proxy(Proxy.NO_PROXY).proxySelector(selector);
            assertAppliedAndCancel(start(mode, server.uri(), selected));
            assertEquals(2, wire.accepted());
            wire.close();
        }
    }

    static Stream<ProxySelector> brokenSelectors() {
        return Stream.of(
                selector(uri -> {
                    throw new IllegalStateException("s3cret");
                }),
                selector(uri ->
                        List.of(new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved("x.invalid", 1)))));
    }

    @ParameterizedTest
    @MethodSource("brokenSelectors")
    void selectorThatFailsIsAFailedAttempt(ProxySelector selector) {
        for (Mode mode : Mode.values()) {
            Cancellable run = start(mode, server.uri(), HttpSettings.builder().proxySelector(selector));
            RecordingSink.News.Interrupted news = sink.takeInterrupted();
            assertEquals(mode.base, news.nextAttemptIn());
            assertTrue(!news.error().message().contains("s3cret"), news::toString);
            run.cancel();
        }
    }

    // ---- protocols

    @Test
    void refusesProtocolsThatNobodySpeaks() {
        String rule = "protocols are neither HTTP_1_1 with or without HTTP_2, nor H2_PRIOR_KNOWLEDGE alone: ";
        List<List<Protocol>> refused = List.of(
                List.of(),
                List.of(Protocol.HTTP_2),
                List.of(Protocol.HTTP_1_0, Protocol.HTTP_1_1),
                List.of(Protocol.H2_PRIOR_KNOWLEDGE, Protocol.HTTP_1_1),
                List.of(Protocol.QUIC));
        for (List<Protocol> protocols : refused) {
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class, () -> HttpSettings.builder().protocols(protocols));
            assertEquals(rule + protocols.stream().map(Enum::name).toList(), e.getMessage());
        }
    }

    @Test
    void refusesWhatCannotWork() {
        HttpSettings known = HttpSettings.builder()
                .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
                .build();
        StreamingDataSource.Builder secure = StreamingDataSource.builder(URI.create("https://flags.example"), "key")
                .http(known);
        assertEquals(
                "protocols are for plain http only: [H2_PRIOR_KNOWLEDGE]",
                assertThrows(IllegalArgumentException.class, secure::build).getMessage());
        assertEquals(
                "socketFactory makes sockets of TLS: TlsSettings are for that",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> HttpSettings.builder().socketFactory(SSLSocketFactory.getDefault()))
                        .getMessage());
        assertEquals(
                "username holds a colon",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> HttpSettings.builder().proxyAuthentication("a:b", "x"))
                        .getMessage());
    }

    // ---- limits

    @ParameterizedTest
    @CsvSource({"STREAMING, 2000", "POLLING, 2000", "STREAMING, 1999", "POLLING, 1999"})
    void headersOverTheLimitAreAFailure(Mode mode, int limit) {
        server.set(TestFlags.flag("a").build());
        mode.script(server)
                .atOnce(script -> script.serve()
                        .noHeader("ETag")
                        .header("X-Long", "x".repeat(1500))
                        .forever());
        int others = headerBytesOfAnAnswer(mode) - 1500;
        HttpSettings.Builder http = HttpSettings.builder().maxHeaderBytes(limit - 500 + others);
        Cancellable run = start(mode, server.uri(), http);
        if (limit == 2000) {
            sink.takeApplied();
        } else {
            RecordingSink.News.Interrupted news = sink.takeInterrupted();
            assertEquals(Failure.Kind.INVALID_DATA, news.error().kind());
            assertEquals(
                    "the header of the answer is larger than maxHeaderBytes: " + (1499 + others),
                    news.error().message());
            assertEquals(mode.base, news.nextAttemptIn());
        }
        assertEquals(2, server.requests().size());
        run.cancel();
    }

    /** As the client counts them; by a client of its own. */
    private int headerBytesOfAnAnswer(Mode mode) {
        AtomicInteger bytes = new AtomicInteger();
        okhttp3.OkHttpClient counting = new okhttp3.OkHttpClient.Builder()
                .addNetworkInterceptor(chain -> {
                    okhttp3.Response response = chain.proceed(chain.request());
                    bytes.set((int) response.headers().byteCount());
                    return response;
                })
                .build();
        Cancellable run = start(mode, server.uri(), HttpSettings.builder().client(counting));
        assertAppliedAndCancel(run);
        return bytes.get();
    }

    /** What OkHttp itself does not read is a failure as well, and no more. */
    @ParameterizedTest
    @EnumSource
    void headersWithoutEndAreAFailure(Mode mode) {
        mode.script(server).atOnce(script -> script.serve().header("X-Long", "x".repeat(300_000)));
        Cancellable run = start(mode, server.uri(), HttpSettings.builder());
        assertEquals(Failure.Kind.NETWORK, sink.takeInterrupted().error().kind());
        run.cancel();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 262_145, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void refusesHeaderLimit(int bytes) {
        assertEquals(
                "maxHeaderBytes is not between 1 and 262144: " + bytes,
                assertThrows(
                                IllegalArgumentException.class,
                                () -> HttpSettings.builder().maxHeaderBytes(bytes))
                        .getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesEventLimit(int bytes) {
        assertEquals(
                "maxEventBytes <= 0: " + bytes,
                assertThrows(
                                IllegalArgumentException.class,
                                () -> HttpSettings.builder().maxEventBytes(bytes))
                        .getMessage());
    }

    /** Each mode has its limit; without one for events they have that of payloads. */
    @ParameterizedTest
    @CsvSource({
        "STREAMING, 100000, 2000, false",
        "STREAMING, 2000, 100000, true",
        "STREAMING, 2000, , false",
        "POLLING, 100000, 2000, true",
        "POLLING, 2000, 100000, false",
    })
    void eventsAndPollsHaveLimitsOfTheirOwn(Mode mode, int payload, Integer event, boolean applied) {
        server.set(TestFlags.flag("a").variations("x".repeat(5000), "y").build());
        HttpSettings.Builder http = HttpSettings.builder().maxPayloadBytes(payload);
        if (event != null) {
            http.maxEventBytes(event);
        }
        Cancellable run = start(mode, server.uri(), http);
        if (applied) {
            sink.takeApplied();
        } else {
            ErrorInfo error = sink.takeInterrupted().error();
            assertEquals(
                    mode == Mode.STREAMING
                            ? "an event is larger than maxEventBytes: 2000"
                            : "the answer is larger than maxPayloadBytes: 2000",
                    error.message());
        }
        run.cancel();
    }

    // ---- the environment

    private DataSystem system(Mode mode, HttpSettings http) {
        return DataSystem.builder(mode.source(server.uri(), mode.base, http))
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void environmentOfTheLastGoodResponseIsInTheStatus(Mode mode) {
        server.set(TestFlags.flag("a").build());
        mode.script(server)
                .atOnce(script -> script.respond(503)
                        .header("X-LD-EnvID", "of-a-bad-one")
                        .then()
                        .serve()
                        .header("x-ld-envid", "env-12345")
                        .end()
                        .then()
                        .respond(500)
                        .header("X-LD-EnvID", "of-another")
                        .then()
                        .serve()
                        .noHeader("ETag")
                        .end());
        DataSystem system = system(mode, HttpSettings.DEFAULT);
        List<String> told = new ArrayList<>();
        system.onStatus(status -> told.add(status.state() + " " + status.environmentId()));
        system.start();
        for (int attempt = 1; attempt <= 4; attempt++) {
            int count = attempt;
            Sockets.runUntil(scheduler, () -> server.requests().size() == count && settled(mode, system, count));
            String expected = attempt == 2 || attempt == 3 ? "env-12345" : null;
            assertEquals(expected, system.status().environmentId());
            scheduler.advanceToNext();
        }
        assertTrue(told.contains("VALID env-12345"), told::toString); // with the first data already
        assertNull(system.status().environmentId());
        system.close();
        assertEquals(State.OFF, system.status().state());
    }

    /** Whether what came of an attempt has been dealt with: a wait of the mode's own is pending. */
    private boolean settled(Mode mode, DataSystem system, int attempt) {
        boolean waits = Sockets.isWaiting(scheduler) && scheduler.pending().size() == 1;
        boolean good = attempt % 2 == 0;
        boolean failedInTheEnd = mode == Mode.STREAMING || !good;
        boolean expected = failedInTheEnd
                ? system.status().nextAttempt() != null
                : system.status().state() == State.VALID;
        return waits && expected;
    }

    /** Status 200 alone makes no good answer: a login page has it, too. */
    @ParameterizedTest
    @EnumSource
    void environmentOfAnAnswerThatIsNoGoodCountsForNothing(Mode mode) {
        server.set(TestFlags.flag("a").build());
        mode.script(server).atOnce(script -> {
            script.serve().header("X-LD-EnvID", "env-1").end().then();
            if (mode == Mode.STREAMING) {
                script.event("put", "{").header("X-LD-EnvID", "env-9");
            } else {
                script.body("text/html", "<p>").header("X-LD-EnvID", "env-9");
            }
        });
        DataSystem system = system(mode, HttpSettings.DEFAULT);
        system.start();
        Sockets.runUntil(scheduler, () -> system.status().lastConfirmed() != null);
        Sockets.runUntil(scheduler, () -> scheduler.pending().equals(List.of(mode.base)));
        scheduler.advance(mode.base);
        Sockets.runUntil(
                scheduler,
                () -> system.status().lastError() != null
                        && system.status().lastError().kind() == Failure.Kind.INVALID_DATA);
        assertEquals("env-1", system.status().environmentId());
        system.close();
    }

    /** Something on the way may answer that nothing has changed, and know no more. */
    @Test
    void unchangedPollWithoutTheHeaderKeepsIt() {
        server.set(TestFlags.flag("a").build());
        server.poll()
                .atOnce(script -> script.serve()
                        .header("X-LD-EnvID", "env-1")
                        .then()
                        .respond(304)
                        .then()
                        .respond(304)
                        .header("X-LD-EnvID", "env-2"));
        DataSystem system = system(Mode.POLLING, HttpSettings.DEFAULT);
        system.start();
        List<String> seen = new ArrayList<>();
        for (int poll = 1; poll <= 3; poll++) {
            int count = poll;
            Sockets.runUntil(scheduler, () -> server.requests().size() == count && Sockets.isWaiting(scheduler));
            seen.add(system.status().environmentId());
            scheduler.advanceToNext();
        }
        assertEquals(List.of("env-1", "env-1", "env-2"), seen);
        system.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\u0001b", "caf\u00e9"})
    void environmentThatCannotBeShownIsNone(String id) {
        server.set(TestFlags.flag("a").build());
        for (Mode mode : Mode.values()) {
            mode.script(server).atOnce(script -> script.serve().header("X-LD-EnvID", id));
            assertNull(environment(mode, HttpSettings.DEFAULT));
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherServicesCallItDifferently(Mode mode) {
        server.set(TestFlags.flag("a").build());
        mode.script(server)
                .atOnce(script -> script.serve()
                        .header("X-Environment", "mine")
                        .header("X-LD-EnvID", "theirs")
                        .times(2));
        HeaderNames.Builder names = HeaderNames.builder();
        assertEquals(
                "mine",
                environment(
                        mode,
                        HttpSettings.builder()
                                .headerNames(
                                        names.environmentId("X-Environment").build())
                                .build()));
        assertNull(environment(
                mode,
                HttpSettings.builder()
                        .headerNames(names.environmentId(null).build())
                        .build()));
    }

    private String environment(Mode mode, HttpSettings http) {
        DataSystem system = system(mode, http);
        system.start();
        Sockets.runUntil(scheduler, () -> system.status().state() == State.VALID);
        String id = system.status().environmentId();
        system.close();
        return id;
    }
}
