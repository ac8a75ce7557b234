package example;

import static io.flagfeed.sdk.DataSourceStatus.State.INITIALIZING;
import static io.flagfeed.sdk.DataSourceStatus.State.INTERRUPTED;
import static io.flagfeed.sdk.DataSourceStatus.State.OFF;
import static io.flagfeed.sdk.DataSourceStatus.State.VALID;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.datasource.StreamingDataSource;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeDataSource;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.FlagBuilder;
import io.flagfeed.sdk.testing.FlagfeedExtension;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How the authors of an SDK client test it: hours in milliseconds, no mocks, no sleeps, no ports chosen by hand. */
@ExtendWith(FlagfeedExtension.class)
final class ToyClientTest {
    private static final FlagBuilder CHECKOUT =
            TestFlags.flag("new-checkout").fallthrough(1).rule(0, TestFlags.segmentMatch("beta"));

    private static void serve(FakeDataSource source, VirtualScheduler time) {
        source.apply(TestFlags.full(
                CHECKOUT.on().version(1).build(),
                TestFlags.flag("express-payment")
                        .prerequisite("new-checkout", 0)
                        .build(),
                TestFlags.segment("beta").included("ada").build()));
        time.runDue();
    }

    private static ToyClient client(DataSource source, VirtualScheduler time) {
        return new ToyClient(source, time, Runnable::run);
    }

    @Test
    void coldStartServesFallbacksAndThenTheFlags(FakeDataSource source, VirtualScheduler time) {
        try (ToyClient client = client(source, time)) {
            assertTrue(client.isOn("new-checkout", "ada", true));
            assertFalse(client.isOn("new-checkout", "ada", false));
            assertEquals(INITIALIZING, client.data().status().state());
            serve(source, time);
            assertTrue(client.isOn("new-checkout", "ada", false));
            assertFalse(client.isOn("new-checkout", "bob", true));
            assertTrue(client.isOn("express-payment", "ada", false));
            assertFalse(client.isOn("express-payment", "bob", true));
        }
    }

    @Test
    void theToyEvaluatesAsAServiceMeansIt(FakeDataSource source, VirtualScheduler time) {
        FlagBuilder beta = TestFlags.flag("new-search")
                .fallthrough(1)
                .target(0, "cleo")
                .target(1, "ada")
                .rule(
                        0,
                        TestFlags.segmentMatch("unknown", "beta"),
                        TestFlags.segmentMatch("banned").negate());
        try (ToyClient client = client(source, time)) {
            source.apply(TestFlags.full(
                    beta.build(),
                    TestFlags.flag("suggest").prerequisite("new-search", 0).build(),
                    TestFlags.flag("inverted").prerequisite("new-search", 1).build(),
                    TestFlags.flag("orphan").prerequisite("unknown", 0).build(),
                    TestFlags.segment("beta").included("ada", "bob", "dan").build(),
                    TestFlags.segment("banned").included("dan").build()));
            time.runDue();
            assertEquals("bob cleo", whoHas(client, "new-search")); // ada is named, dan is banned, eve is no one
            assertEquals("bob cleo", whoHas(client, "suggest"));
            assertEquals("ada dan eve", whoHas(client, "inverted"));
            assertEquals("", whoHas(client, "orphan"));

            source.apply(TestFlags.patch(beta.off().build()));
            time.runDue();
            assertEquals("", whoHas(client, "new-search"));
            assertEquals("", whoHas(client, "suggest"));
            assertEquals("", whoHas(client, "inverted")); // what is off meets nothing, though it gives variation 1
        }
    }

    private static String whoHas(ToyClient client, String flagKey) {
        return Stream.of("ada", "bob", "cleo", "dan", "eve")
                .filter(user -> client.isOn(flagKey, user, false))
                .collect(Collectors.joining(" "));
    }

    @Test
    void badKeyThatIsFixedLaterNeedsNoRestart(FakeDataSource source, VirtualScheduler time) {
        try (ToyClient client = client(source, time)) {
            source.fail(Failure.httpStatus(401, OptionalLong.empty()), Duration.ofMinutes(5));
            time.runDue();
            assertEquals(INITIALIZING, client.data().status().state());
            assertEquals(401, client.data().status().lastError().httpStatus());
            time.advance(Duration.ofMinutes(5)); // somebody fixes the key meanwhile
            serve(source, time);
            assertEquals(VALID, client.data().status().state());
            assertTrue(client.isOn("new-checkout", "ada", false));
        }
    }

    @Test
    void sixHoursOfOutageServeTheLastGoodFlags(FakeDataSource source, VirtualScheduler time) {
        try (ToyClient client = client(source, time)) {
            serve(source, time);
            for (int attempt = 0; attempt < 6 * 120; attempt++) {
                source.fail(Failure.network("refused"), Duration.ofSeconds(30));
                time.advance(Duration.ofSeconds(30));
                assertTrue(client.isOn("new-checkout", "ada", false));
            }
            DataSourceStatus status = client.data().status();
            assertEquals(INTERRUPTED, status.state());
            assertEquals(Duration.ofHours(6), Duration.between(status.since(), time.now()));
            assertTrue(status.isStale(time.now()));
            serve(source, time);
            assertFalse(client.data().status().isStale(time.now()));
        }
    }

    @Test
    void flappingTellsEveryChangeOnce(FakeDataSource source, VirtualScheduler time) {
        try (ToyClient client = client(source, time)) {
            List<Object> told = new ArrayList<>();
            serve(source, time);
            client.data().onChange(event -> event.changes().forEach(change -> told.add(change.key())));
            client.data().onStatus(status -> told.add(status.state()));
            for (int flap = 0; flap < 100; flap++) {
                source.fail(Failure.network("reset"), Duration.ofSeconds(1));
                time.advance(Duration.ofSeconds(1));
                serve(source, time); // nothing new in it
            }
            assertEquals(200, told.size());
            assertEquals(List.of(INTERRUPTED, VALID, INTERRUPTED), told.subList(0, 3));
        }
    }

    @Test
    void staleAlarmRingsOnceAndEndsOnce(FakeDataSource source, VirtualScheduler time) {
        try (ToyClient client = client(source, time)) {
            serve(source, time);
            List<Boolean> stale = new ArrayList<>();
            client.data().onStatus(status -> stale.add(status.isStale(time.now())));
            time.advance(Duration.ofMinutes(10).minusNanos(1));
            assertEquals(List.of(), stale); // connected, but silent
            time.advance(Duration.ofHours(1));
            assertEquals(List.of(true), stale);
            source.confirm();
            time.runDue();
            assertEquals(List.of(true, false), stale);
        }
    }

    @Test
    void twoClientsAtOnceShareTimeAndNothingElse(FakeDataSource source, VirtualScheduler time) {
        FakeDataSource staging = new FakeDataSource();
        try (ToyClient production = client(source, time);
                ToyClient other = client(staging, time)) {
            serve(source, time);
            staging.apply(TestFlags.full(CHECKOUT.off().version(7).build()));
            time.runDue();
            assertTrue(production.isOn("new-checkout", "ada", false));
            assertFalse(other.isOn("new-checkout", "ada", true));
            production.close();
            assertEquals(OFF, production.data().status().state());
            assertEquals(VALID, other.data().status().state());
        }
    }

    /** The one test with a real socket: that the client is put together rightly. */
    @Test
    void realConnectionIsCutAndComesBack(FakeFlagServer server) throws Exception {
        server.require("secret");
        server.set(CHECKOUT.on().version(1).build());
        server.set(TestFlags.segment("beta").included("ada").build());
        DataSource source = StreamingDataSource.builder(server.uri(), "secret")
                .initialRetryDelay(Duration.ofMillis(5))
                .build();
        BlockingQueue<DataSourceStatus.State> states = new LinkedBlockingQueue<>();
        try (SystemScheduler real = Scheduler.system("flagfeed-example");
                ToyClient client = new ToyClient(source, real, Runnable::run)) {
            assertTrue(client.data().awaitReady(Duration.ofSeconds(5)));
            assertTrue(client.isOn("new-checkout", "ada", false));
            client.data().onStatus(status -> states.add(status.state()));
            server.stream().atOnce(script -> script.respond(503).times(2));
            server.dropStreams();
            DataSourceStatus.State state;
            do {
                state = states.poll(5, TimeUnit.SECONDS);
                assertNotNull(state, server::toString);
                assertTrue(client.isOn("new-checkout", "ada", false));
            } while (state != VALID);
        }
    }
}
