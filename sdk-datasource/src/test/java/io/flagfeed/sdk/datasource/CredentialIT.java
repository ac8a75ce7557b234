package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import ch.qos.logback.classic.Level;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.RecordingSink;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys that stay, keys that are asked for, and keys that are swapped while a source runs. */
@Timeout(30)
final class CredentialIT {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final FakeFlagServer server = FakeFlagServer.start();
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final List<DataSystem> systems = new ArrayList<>();

    @AfterEach
    void close() {
        systems.forEach(DataSystem::close);
        server.close();
    }

    private static SourceBuilder<?> builder(Mode mode, URI uri, Credential credential) {
        ServiceEndpoints endpoints = ServiceEndpoints.relay(uri);
        return mode == Mode.STREAMING
                ? StreamingDataSource.builder(endpoints, credential)
                : PollingDataSource.builder(endpoints, credential);
    }

    private DataSystem start(Mode mode, Credential credential) {
        return start(builder(mode, server.uri(), credential).random(() -> 0).build());
    }

    private DataSystem start(DataSource source) {
        DataSystem system = DataSystem.builder(source)
                .scheduler(scheduler)
                .listenerExecutor(Runnable::run)
                .build();
        systems.add(system);
        system.start();
        return system;
    }

    private void awaitKeys(String... keys) {
        Sockets.runUntil(scheduler, () -> server.requests().size() >= keys.length);
        assertEquals(
                List.of(keys),
                server.requests().stream()
                        .map(request -> request.header("Authorization").orElse("none"))
                        .toList());
    }

    private void awaitState(DataSystem system, State state) {
        Sockets.runUntil(scheduler, () -> system.status().state() == state);
    }

    /** The stream or the pause between polls is ended; what is held stays readable at every moment. */
    @ParameterizedTest
    @EnumSource
    void swapReconnectsAtOnceAndKeepsTheData(Mode mode) throws Exception {
        server.set(TestFlags.flag("a").build());
        Credential credential = Credential.of("key-1");
        DataSystem system = start(mode, credential);
        awaitState(system, State.VALID);
        List<State> states = new ArrayList<>();
        system.onStatus(status -> states.add(status.state()));
        if (mode == Mode.POLLING) {
            Sockets.runUntilWaiting(scheduler);
        }
        mode.script(server).hang(); // so that nothing new arrives
        credential.swap("key-2");
        awaitKeys("key-1", "key-2"); // without a moment of waiting
        assertEquals(State.VALID, system.status().state());
        assertEquals(List.of(), states);
        assertTrue(system.get(ItemKind.FLAG, "a").isPresent());
        if (mode == Mode.STREAMING) {
            server.awaitConnectionClosed(server.requests().get(0).connectionId(), LONGEST);
        }
    }

    /** With another key the tag would be that of another environment's data. */
    @Test
    void swapForgetsTheEntityTag() {
        server.set(TestFlags.flag("a").build());
        Credential credential = Credential.of("key-1");
        DataSystem system = start(Mode.POLLING, credential);
        awaitState(system, State.VALID);
        Sockets.runUntilWaiting(scheduler);
        scheduler.advanceToNext();
        awaitKeys("key-1", "key-1");
        Sockets.runUntilWaiting(scheduler);
        credential.swap("key-2");
        awaitKeys("key-1", "key-1", "key-2");
        assertEquals(
                List.of(false, true, false),
                server.requests().stream()
                        .map(request -> request.header("If-None-Match").isPresent())
                        .toList());
    }

    /** The wait after a bad key is minutes: a good one ends it, and the next failure is a first one. */
    @ParameterizedTest
    @EnumSource
    void swapEndsTheLongWaitsOfABadKey(Mode mode) {
        server.set(TestFlags.flag("a").build());
        server.require("good");
        Credential credential = Credential.of("bad");
        DataSystem system = start(mode, credential);
        Sockets.runUntilWaiting(scheduler);
        scheduler.advanceToNext();
        awaitKeys("bad", "bad");
        Sockets.runUntilWaiting(scheduler);
        assertEquals(List.of(Duration.ofMinutes(10)), scheduler.pending());
        mode.script(server).respond(503);
        credential.swap("good");
        awaitKeys("bad", "bad", "good");
        Sockets.runUntilWaiting(scheduler);
        assertEquals(List.of(mode.base), scheduler.pending()); // of the ladder that a 503 begins
        scheduler.advanceToNext();
        awaitState(system, State.VALID);
    }

    @ParameterizedTest
    @EnumSource
    void anotherBadKeyIsSaidAgain(Mode mode) {
        server.require("good");
        Credential credential = Credential.of("bad");
        try (RecordedLog log = new RecordedLog()) {
            start(mode, credential);
            Sockets.runUntilWaiting(scheduler);
            credential.swap("worse");
            Sockets.runUntil(scheduler, () -> server.requests().size() == 2);
            Sockets.runUntilWaiting(scheduler);
            assertEquals(
                    List.of("ERROR", "INFO", "INFO", "ERROR", "INFO"),
                    log.lines(Level.INFO).stream()
                            .map(line -> line.substring(0, line.indexOf(' ')))
                            .toList());
            assertTrue(log.lines(Level.INFO).stream().anyMatch(line -> line.endsWith(" goes on with another key")));
        }
    }

    /** Virtual time in which something happens at the very moment that the first task is handed over. */
    private static final class Meddling implements Scheduler {
        private final VirtualScheduler time;
        private final Runnable first;
        private boolean done;

        Meddling(VirtualScheduler time, Runnable first) {
            this.time = time;
            this.first = first;
        }

        @Override
        public void execute(Runnable task) {
            boolean now = !done;
            done = true;
            if (now) {
                first.run();
            }
            time.execute(task);
        }

        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Instant now() {
            return time.now();
        }
    }

    @ParameterizedTest
    @EnumSource
    void swapDuringTheStartLeavesOneAttempt(Mode mode) {
        server.set(TestFlags.flag("a").build());
        Credential credential = Credential.of("key-1");
        Scheduler meddling = new Meddling(scheduler, () -> credential.swap("key-2"));
        RecordingSink sink = new RecordingSink();
        Cancellable run = builder(mode, server.uri(), credential).build().start(sink, meddling);
        Sockets.runUntil(scheduler, () -> !sink.waiting().isEmpty());
        if (mode == Mode.POLLING) {
            Sockets.runUntilWaiting(scheduler);
        }
        awaitKeys("key-2");
        assertEquals(1, sink.waiting().size());
        run.cancel();
        Sockets.await().until(() -> server.openConnections() == 0);
        Sockets.runUntil(scheduler, () -> scheduler.pending().isEmpty()); // its thread may have one word more
    }

    /** The caller may start again, and has nothing to cancel of what was refused. */
    @ParameterizedTest
    @EnumSource
    void startThatThrowsLeavesNothingBehind(Mode mode) {
        server.set(TestFlags.flag("a").build());
        Credential credential = Credential.of("key-1");
        Scheduler meddling = new Meddling(scheduler, () -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        DataSystem system = DataSystem.builder(
                        builder(mode, server.uri(), credential).build())
                .scheduler(meddling)
                .build();
        systems.add(system);
        assertThrows(OutOfMemoryError.class, system::start);
        system.start();
        awaitState(system, State.VALID);
        if (mode == Mode.POLLING) {
            Sockets.runUntilWaiting(scheduler);
        }
        credential.swap("key-2");
        awaitKeys("key-1", "key-2");
    }

    @ParameterizedTest
    @EnumSource
    void sourceThatCannotHearOfItKeepsNoOtherFromTheNewKey(Mode mode) {
        server.set(TestFlags.flag("a").build());
        Credential credential = Credential.of("key-1");
        Cancellable deaf = credential.onSwap(() -> {
            throw new RejectedExecutionException("shut down");
        });
        awaitState(start(mode, credential), State.VALID);
        if (mode == Mode.POLLING) {
            Sockets.runUntilWaiting(scheduler);
        }
        credential.swap("key-2");
        awaitKeys("key-1", "key-2");
        deaf.cancel();
    }

    /** When the next attempt comes is what the status says, also after the wait was changed. */
    @ParameterizedTest
    @EnumSource
    void swapWithinASpreadMovesTheNextAttempt(Mode mode) {
        server.require("good");
        Credential credential = Credential.of("bad");
        DataSystem system = start(builder(mode, server.uri(), credential)
                .random(() -> 0.5)
                .spread(Duration.ofSeconds(30))
                .build());
        Sockets.runUntil(scheduler, () -> !scheduler.pending().isEmpty());
        scheduler.advance(Duration.ofSeconds(15));
        Sockets.runUntil(scheduler, () -> system.status().nextAttempt() != null);
        credential.swap("good");
        scheduler.runDue();
        assertEquals(scheduler.now().plusSeconds(15), system.status().nextAttempt());
        assertEquals(List.of(Duration.ofSeconds(15)), scheduler.pending());
    }

    @ParameterizedTest
    @EnumSource
    void sameKeyAgainChangesNothing(Mode mode) {
        server.set(TestFlags.flag("a").build());
        Credential credential = Credential.of("key-1");
        awaitState(start(mode, credential), State.VALID);
        List<Duration> pending = scheduler.pending();
        credential.swap("key-1");
        assertEquals(pending, scheduler.pending());
        scheduler.runDue();
        awaitKeys("key-1");
    }

    @Test
    void oneSwapReachesAllSourcesAndNoneThatHasEnded() {
        server.set(TestFlags.flag("a").build());
        Credential credential = Credential.of("key-1");
        DataSystem ended = start(Mode.STREAMING, credential);
        awaitState(ended, State.VALID);
        ended.close();
        awaitState(start(Mode.STREAMING, credential), State.VALID);
        awaitState(start(Mode.POLLING, credential), State.VALID);
        credential.swap("key-2");
        awaitKeys("key-1", "key-1", "key-1", "key-2", "key-2");
        credential.swap("key-3");
        awaitKeys("key-1", "key-1", "key-1", "key-2", "key-2", "key-3", "key-3");
    }

    @ParameterizedTest
    @EnumSource
    void providerIsAskedForEachAttempt(Mode mode) {
        Iterator<String> keys = List.of("key-1", "key-2", "key-3").iterator();
        mode.script(server).respond(503).times(3);
        start(mode, Credential.provided(keys::next));
        for (int i = 0; i < 2; i++) {
            Sockets.runUntilWaiting(scheduler);
            scheduler.advanceToNext();
        }
        awaitKeys("key-1", "key-2", "key-3");
    }

    /** The tag may be of another environment's data. It is sent again once there are data of the new key. */
    @Test
    void entityTagIsSentWithTheKeyOnlyThatItCameWith() {
        server.set(TestFlags.flag("a").build());
        Iterator<String> keys = List.of("env-a", "env-b", "env-b", "env-a").iterator();
        start(Mode.POLLING, Credential.provided(keys::next));
        for (int i = 0; i < 3; i++) {
            Sockets.runUntilWaiting(scheduler);
            scheduler.advanceToNext();
        }
        awaitKeys("env-a", "env-b", "env-b", "env-a");
        assertEquals(
                List.of(false, false, true, false),
                server.requests().stream()
                        .map(request -> request.header("If-None-Match").isPresent())
                        .toList());
    }

    /** In a read of a socket, say, which no interrupt ends. The source goes on without it. */
    @ParameterizedTest
    @EnumSource
    void providerThatNeverReturnsIsAFailedAttempt(Mode mode) {
        CountDownLatch end = new CountDownLatch(1);
        HttpSettings http = HttpSettings.builder()
                .firstPayloadTimeout(Duration.ofMillis(50))
                .callTimeout(Duration.ofMillis(50))
                .build();
        Credential stubborn = Credential.provided(() -> {
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    // goes on
                }
            }
            return "too late";
        });
        DataSystem system = start(
                builder(mode, server.uri(), stubborn).http(http).random(() -> 0).build());
        Sockets.runUntil(scheduler, () -> system.status().lastError() != null);
        assertEquals(List.of(mode.base), scheduler.pending());
        scheduler.advanceToNext();
        Instant first = system.status().lastError().time();
        Sockets.runUntil(scheduler, () -> system.status().lastError().time().isAfter(first));
        end.countDown();
        system.close();
        Sockets.awaitNoThreads();
        assertEquals(List.of(), server.requests());
    }

    @ParameterizedTest
    @EnumSource
    void swapTakesThePlaceOfAProvider(Mode mode) {
        server.set(TestFlags.flag("a").build());
        Credential credential = Credential.provided(() -> "provided");
        awaitState(start(mode, credential), State.VALID);
        credential.swap("swapped");
        awaitKeys("provided", "swapped");
    }

    static Stream<Arguments> providersWithoutAKey() {
        return Stream.of(Mode.values())
                .flatMap(mode -> Stream.of(
                        without(mode, "null", () -> null, "the SDK key of the provider"),
                        without(mode, "blank", () -> " ", "the SDK key of the provider is empty"),
                        without(
                                mode,
                                "line end",
                                () -> "s3cret\n",
                                "the SDK key of the provider holds a character that a header cannot carry: code 10 at index 6"),
                        without(
                                mode,
                                "exception",
                                () -> {
                                    throw new IllegalStateException("s3cret");
                                },
                                "the provider of the SDK key failed with java.lang.IllegalStateException"),
                        without(
                                mode,
                                "error",
                                () -> {
                                    throw new StackOverflowError("s3cret");
                                },
                                "the provider of the SDK key failed with java.lang.StackOverflowError")));
    }

    private static Arguments without(Mode mode, String name, Supplier<String> provider, String message) {
        return argumentSet(mode + " " + name, mode, provider, message);
    }

    @ParameterizedTest
    @MethodSource("providersWithoutAKey")
    void providerWithoutAKeyIsAFailedAttempt(Mode mode, Supplier<String> provider, String message) {
        try (RecordedLog log = new RecordedLog()) {
            DataSystem system = start(mode, Credential.provided(provider));
            Sockets.runUntilWaiting(scheduler);
            assertEquals(message, system.status().lastError().message());
            assertEquals(List.of(mode.base), scheduler.pending());
            assertEquals(List.of(), server.requests());
            scheduler.advanceToNext();
            Sockets.runUntilWaiting(scheduler);
            assertFalse(log.lines(Level.TRACE).toString().contains("s3cret"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void providerThatWaitsIsInterruptedWhenTheSystemCloses(Mode mode) throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        DataSystem system = start(mode, waiting(asked, interrupted));
        scheduler.runDue();
        assertTrue(asked.await(5, java.util.concurrent.TimeUnit.SECONDS));
        system.close();
        assertTrue(interrupted.await(5, java.util.concurrent.TimeUnit.SECONDS));
        assertEquals(List.of(), server.requests());
    }

    @ParameterizedTest
    @EnumSource
    void providerThatWaitsIsInterruptedWhenTheTimeIsUp(Mode mode) {
        CountDownLatch asked = new CountDownLatch(1);
        HttpSettings http = HttpSettings.builder()
                .firstPayloadTimeout(Duration.ofMillis(50))
                .callTimeout(Duration.ofMillis(50))
                .build();
        DataSystem system = start(builder(mode, server.uri(), waiting(asked, new CountDownLatch(1)))
                .http(http)
                .build());
        Sockets.runUntil(scheduler, () -> system.status().lastError() != null);
        assertEquals(
                mode == Mode.STREAMING ? "no headers within PT0.05S" : "no whole answer within PT0.05S",
                system.status().lastError().message());
    }

    private static Credential waiting(CountDownLatch asked, CountDownLatch interrupted) {
        return Credential.provided(() -> {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
                throw new AssertionError("nobody counts down");
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw new IllegalStateException(e);
            }
        });
    }

    /** Anybody on the way can read it there. The addresses are not asked: nothing is due until time moves. */
    @ParameterizedTest
    @CsvSource({
        "http://flags.example/x, true",
        "http://10.0.0.1, true",
        "http://127.0.0.1.example, true",
        "http://[2001:db8::1]:8080, true",
        "https://flags.example, false",
        "http://localhost:1, false",
        "http://relay.localhost:1, false",
        "http://127.8.9.1:1, false",
        "http://[::1]:1, false"
    })
    void plainHttpToOthersIsSaidOnceForEachStart(URI uri, boolean said) {
        for (Mode mode : Mode.values()) {
            try (RecordedLog log = new RecordedLog()) {
                DataSource source = builder(mode, uri, Credential.of("s3cret")).build();
                assertEquals(List.of(), log.lines(Level.INFO));
                source.start(new RecordingSink(), scheduler).cancel();
                String port = uri.getPort() < 0 ? ":80" : ":" + uri.getPort();
                assertEquals(
                        said
                                ? List.of("WARN http://" + uri.getHost() + port
                                        + " is asked over plain http: anybody on the way can read the SDK key")
                                : List.of(),
                        log.lines(Level.INFO));
            }
        }
    }

    @Test
    void refusesKeysThatNoHeaderCanCarryWithoutShowingThem() {
        Credential credential = Credential.of("good");
        List<java.util.function.Consumer<String>> ways = List.of(Credential::of, credential::swap);
        for (java.util.function.Consumer<String> way : ways) {
            assertRefused("sdkKey is empty", () -> way.accept(""));
            assertRefused("sdkKey is empty", () -> way.accept(" \t"));
            assertRefused(
                    "sdkKey holds a character that a header cannot carry: code 10 at index 6",
                    () -> way.accept("s3cret\n"));
            assertEquals(
                    "sdkKey",
                    assertThrows(NullPointerException.class, () -> way.accept(null))
                            .getMessage());
        }
        assertThrows(NullPointerException.class, () -> Credential.provided(null));
        assertEquals("Credential", credential.toString());
    }

    private static void assertRefused(String message, Runnable action) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, action::run).getMessage());
    }

    @Test
    void endpointsAreForBothModesOrOneForEach() {
        FakeFlagServer other = FakeFlagServer.start();
        try {
            ServiceEndpoints two =
                    ServiceEndpoints.of(URI.create(server.uri() + "/s/"), URI.create(other.uri() + "/p"));
            start(StreamingDataSource.builder(two, Credential.of("key")).build());
            start(PollingDataSource.builder(two, Credential.of("key")).build());
            Sockets.runUntil(
                    scheduler,
                    () -> server.requests().size() == 1 && other.requests().size() == 1);
            assertEquals("/s/all", server.requests().get(0).path());
            assertEquals("/p/sdk/latest-all", other.requests().get(0).path());
            assertEquals(
                    "ServiceEndpoints[streaming=" + server.uri() + ", polling=" + other.uri() + "]", two.toString());
        } finally {
            other.close();
        }
    }

    @Test
    void refusesEndpointsThatNoSourceCanUse() {
        URI good = URI.create("https://flags.example");
        assertRefused(
                "streaming is not an http or https address: ftp://host",
                () -> ServiceEndpoints.of(URI.create("ftp://us3r:pw@host/p"), good));
        assertRefused(
                "polling has a query or a fragment: http://host",
                () -> ServiceEndpoints.of(good, URI.create("http://host/?key=s3cret")));
        assertRefused(
                "baseUri has a query or a fragment: http://host",
                () -> ServiceEndpoints.relay(URI.create("http://host#x")));
        assertThrows(NullPointerException.class, () -> ServiceEndpoints.of(null, good));
        assertThrows(NullPointerException.class, () -> ServiceEndpoints.of(good, null));
        assertThrows(NullPointerException.class, () -> ServiceEndpoints.relay(null));
    }

    /** One host in all the ways to write it, and one that has to be encoded. */
    @ParameterizedTest
    @CsvSource({
        "http://[::1]:8080/x, http://[::1]:8080",
        "https://b\u00fccher.example, https://xn--bcher-kva.example:443",
        "https://FLAGS.example/, https://flags.example:443"
    })
    void hostsOfAllKindsAreTaken(URI uri, String origin) {
        assertEquals(
                "ServiceEndpoints[streaming=" + origin + ", polling=" + origin + "]",
                ServiceEndpoints.relay(uri).toString());
        assertEquals(Optional.empty(), Optional.ofNullable(uri.getQuery()));
    }
}
