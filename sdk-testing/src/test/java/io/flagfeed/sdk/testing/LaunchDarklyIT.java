package io.flagfeed.sdk.testing;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static io.flagfeed.sdk.ItemKind.SEGMENT;
import static io.flagfeed.sdk.testing.TestFlags.clause;
import static io.flagfeed.sdk.testing.TestFlags.flag;
import static io.flagfeed.sdk.testing.TestFlags.segment;
import static io.flagfeed.sdk.testing.TestFlags.segmentMatch;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import com.launchdarkly.sdk.EvaluationDetail;
import com.launchdarkly.sdk.EvaluationReason;
import com.launchdarkly.sdk.LDContext;
import com.launchdarkly.sdk.LDValue;
import com.launchdarkly.sdk.server.FeatureFlagsState;
import com.launchdarkly.sdk.server.FlagsStateOption;
import com.launchdarkly.sdk.server.interfaces.DataSourceStatusProvider.ErrorKind;
import com.launchdarkly.sdk.server.interfaces.DataSourceStatusProvider.State;
import com.launchdarkly.sdk.server.interfaces.DataSourceStatusProvider.Status;
import com.launchdarkly.sdk.server.interfaces.FlagValueChangeEvent;
import com.launchdarkly.sdk.server.subsystems.DataStoreTypes.ItemDescriptor;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.testing.FakeFlagServer.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client that is not ours takes the fake service for a real one, and the flags of {@link TestFlags} for what they are
 * meant to be: LaunchDarkly's SDK for Java servers, with its own transport, parser, store and evaluator.
 */
@Timeout(30)
class LaunchDarklyIT {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final LDContext ALICE = LDContext.builder("alice")
            .set("country", "at")
            .set("email", "alice@example.com")
            .set("age", 44)
            .set("staff", true)
            .set("teams", LDValue.arrayOf(LDValue.of("search"), LDValue.of("billing")))
            .set("app", "2.7.0")
            .set("since", "2020-05-04T03:02:01Z")
            .build();
    private static final LDContext BOB = LDContext.builder("bob")
            .set("country", "us")
            .set("email", "bob@example.org")
            .set("age", 17)
            .set("staff", false)
            .set("app", "2.10.0-beta.1")
            .set("since", "2024-05-04T03:02:01Z")
            .build();

    private final FakeFlagServer server = FakeFlagServer.start();
    private final List<LaunchDarklyClient> clients = new ArrayList<>();

    @BeforeEach
    void requireTheKey() {
        server.require(LaunchDarklyClient.SDK_KEY);
    }

    @AfterEach
    void close() throws Exception {
        for (LaunchDarklyClient client : clients) {
            client.close();
        }
        server.close();
    }

    private LaunchDarklyClient start(Mode mode) {
        return start(server, mode);
    }

    private LaunchDarklyClient start(FakeFlagServer at, Mode mode) {
        LaunchDarklyClient client = new LaunchDarklyClient(at, mode);
        clients.add(client);
        return client;
    }

    private Script script(Mode mode) {
        return mode == Mode.STREAM ? server.stream() : server.poll();
    }

    // ---- start

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itStartsWithoutFlags(Mode mode) throws Exception {
        LaunchDarklyClient client = start(mode);
        assertTrue(client.sdk().isInitialized());
        assertTrue(client.awaitValid());
        assertEquals(Map.of(), client.sdk().allFlagsState(ALICE).toValuesMap(), () -> "from " + server.snapshotJson());

        Request request = server.requests().get(0);
        assertEquals("GET", request.method());
        assertEquals(mode.path, request.path());
        assertTrue(request.header("User-Agent").orElseThrow().startsWith("JavaClient/"), request::toString);
        assertTrue(request.header("If-None-Match").isEmpty(), request::toString);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itStartsAfterTwo503(Mode mode) {
        server.set(flag("a").build());
        script(mode).respond(503).retryAfter(1).times(2);
        LaunchDarklyClient client = start(mode);
        assertTrue(client.sdk().isInitialized());
        assertTrue(client.sdk().boolVariation("a", ALICE, false));
        assertTrue(server.requests().size() >= 3, server::toString);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itGivesUpWithAWrongKey(Mode mode) throws Exception {
        server.require("another-key");
        LaunchDarklyClient client = start(mode);
        assertFalse(client.awaitValid());
        assertEquals(State.OFF, client.state());
        assertFalse(client.sdk().isInitialized());
        assertEquals(
                401,
                client.sdk()
                        .getDataSourceStatusProvider()
                        .getStatus()
                        .getLastError()
                        .getStatusCode());
    }

    @Test
    void itStartsOverTls() {
        try (FakeFlagServer secure = FakeFlagServer.builder().tls().start()) {
            secure.set(flag("a").build());
            for (Mode mode : Mode.values()) {
                LaunchDarklyClient client = start(secure, mode);
                assertTrue(client.sdk().boolVariation("a", ALICE, false), mode::name);
            }
            secure.set(flag("a").version(2).off().build());
            clients.forEach(client -> client.awaitHeld("version 2", FLAG, "a"));
        }
    }

    // ---- evaluation

    /** What a user should get, of all that a flag can give, and why. */
    private record Expected(String flagKey, LDContext context, int variation, Object value, EvaluationReason reason) {
        void check(LaunchDarklyClient client) {
            EvaluationDetail<LDValue> detail = client.evaluate(flagKey, context);
            String who = flagKey + " for " + context.getKey();
            assertEquals(reason, detail.getReason(), who);
            assertEquals(variation, detail.getVariationIndex(), who);
            assertEquals(LDValue.parse(value.toString()), detail.getValue(), who);
        }
    }

    /** Flags, and what they should give. */
    private static final class Table {
        private final List<Item> items = new ArrayList<>();
        private final List<Expected> rows = new ArrayList<>();
        private String flagKey = "";

        /** What follows is about this flag. */
        Table flag(FlagBuilder flag) {
            Item item = flag.build();
            items.add(item);
            flagKey = item.key();
            return this;
        }

        Table segment(SegmentBuilder segment) {
            items.add(segment.build());
            return this;
        }

        Table gives(LDContext context, int variation, Object value, EvaluationReason reason) {
            rows.add(new Expected(flagKey, context, variation, value, reason));
            return this;
        }

        Table givesBoth(int variation, Object value, EvaluationReason reason) {
            return gives(ALICE, variation, value, reason).gives(BOB, variation, value, reason);
        }

        /** A flag with a rule that gives true, of these clauses, which hold for these users. */
        Table rule(String key, Set<LDContext> matching, Clause... clauses) {
            flag(TestFlags.flag(key).fallthrough(1).rule(0, clauses));
            for (LDContext context : List.of(ALICE, BOB)) {
                if (matching.contains(context)) {
                    gives(context, 0, true, EvaluationReason.ruleMatch(0, key + "-rule-0"));
                } else {
                    gives(context, 1, false, EvaluationReason.fallthrough());
                }
            }
            return this;
        }
    }

    private static Table table() {
        Table table = new Table();
        switches(table);
        targetsAndRules(table);
        clauses(table);
        prerequisites(table);
        segments(table);
        return table;
    }

    private static void switches(Table table) {
        table.flag(flag("on")).givesBoth(0, true, EvaluationReason.fallthrough());
        table.flag(flag("off").off()).givesBoth(1, false, EvaluationReason.off());
        table.flag(flag("on-again").off().on()).givesBoth(0, true, EvaluationReason.fallthrough());
        table.flag(flag("string").variations("red", "green", "blue").fallthrough(2))
                .givesBoth(2, "\"blue\"", EvaluationReason.fallthrough());
        table.flag(flag("string-off")
                        .variations("red", "green", "blue")
                        .offVariation(2)
                        .off())
                .givesBoth(2, "\"blue\"", EvaluationReason.off());
        table.flag(flag("whole-number").variations(0, 42).fallthrough(1))
                .givesBoth(1, 42, EvaluationReason.fallthrough());
        table.flag(flag("fraction").variations(0.5, -2.5e10).fallthrough(1))
                .givesBoth(1, -2.5e10, EvaluationReason.fallthrough());
        table.flag(flag("map").variations(Map.of("sizes", List.of(1, 2), "deep", Map.of("yes", true)), List.of()))
                .givesBoth(0, "{\"sizes\":[1,2],\"deep\":{\"yes\":true}}", EvaluationReason.fallthrough());
        table.flag(flag("list")
                        .variations(Map.of(), List.of("a", 1, false))
                        .offVariation(1)
                        .off())
                .givesBoth(1, "[\"a\",1,false]", EvaluationReason.off());
        table.flag(flag("rollout")
                        .property(
                                "fallthrough",
                                Map.of("rollout", Map.of("variations", List.of(weight(0, 0), weight(1, 100_000))))))
                .givesBoth(1, false, EvaluationReason.fallthrough());
    }

    private static Map<String, Integer> weight(int variation, int weight) {
        return Map.of("variation", variation, "weight", weight);
    }

    private static void targetsAndRules(Table table) {
        table.flag(flag("target").fallthrough(1).target(0, "alice", "carol"))
                .gives(ALICE, 0, true, EvaluationReason.targetMatch())
                .gives(BOB, 1, false, EvaluationReason.fallthrough());
        table.flag(flag("two-targets").variations(0, 1, 2).target(1, "alice").target(2, "bob"))
                .gives(ALICE, 1, 1, EvaluationReason.targetMatch())
                .gives(BOB, 2, 2, EvaluationReason.targetMatch());
        table.flag(flag("target-off").target(0, "alice").off()).givesBoth(1, false, EvaluationReason.off());
        table.flag(flag("target-before-rule")
                        .variations(0, 1, 2)
                        .rule(2, clause("country", "in", "at", "us"))
                        .target(1, "alice"))
                .gives(ALICE, 1, 1, EvaluationReason.targetMatch())
                .gives(BOB, 2, 2, EvaluationReason.ruleMatch(0, "target-before-rule-rule-0"));
        table.flag(flag("first-rule-counts")
                        .variations(0, 1, 2, 3)
                        .rule(1, clause("country", "in", "fr"))
                        .rule(2, clause("country", "in", "at"))
                        .rule(3, clause("country", "in", "at", "us")))
                .gives(ALICE, 2, 2, EvaluationReason.ruleMatch(1, "first-rule-counts-rule-1"))
                .gives(BOB, 3, 3, EvaluationReason.ruleMatch(2, "first-rule-counts-rule-2"));
    }

    private static void clauses(Table table) {
        Set<LDContext> alice = Set.of(ALICE);
        Set<LDContext> bob = Set.of(BOB);
        Set<LDContext> both = Set.of(ALICE, BOB);
        table.rule("in", alice, clause("country", "in", "ch", "at"))
                .rule("in-key", bob, clause("key", "in", "bob"))
                .rule("in-number", alice, clause("age", "in", 44))
                .rule("in-boolean", alice, clause("staff", "in", true))
                .rule("in-list", alice, clause("teams", "in", "billing"))
                .rule("startsWith", alice, clause("email", "startsWith", "alice@"))
                .rule("endsWith", bob, clause("email", "endsWith", ".net", ".org"))
                .rule("contains", both, clause("email", "contains", "@example."))
                .rule("matches", alice, clause("email", "matches", "^a.+\\.com$"))
                .rule("greaterThan", alice, clause("age", "greaterThan", 17))
                .rule("greaterThanOrEqual", both, clause("age", "greaterThanOrEqual", 17))
                .rule("lessThan", bob, clause("age", "lessThan", 17.5))
                .rule("lessThanOrEqual", bob, clause("age", "lessThanOrEqual", 17))
                .rule("before", alice, clause("since", "before", "2022-01-01T00:00:00Z"))
                .rule("after", bob, clause("since", "after", 1_640_995_200_000L))
                .rule("semVerEqual", alice, clause("app", "semVerEqual", "2.7"))
                .rule("semVerGreaterThan", bob, clause("app", "semVerGreaterThan", "2.7.0"))
                .rule("semVerLessThan", both, clause("app", "semVerLessThan", "2.10.0"))
                .rule("negate", bob, clause("country", "in", "at").negate())
                .rule(
                        "negate-twice",
                        alice,
                        clause("country", "in", "at").negate().negate())
                .rule("all-clauses", alice, clause("country", "in", "at", "us"), clause("age", "greaterThan", 20))
                .rule("no-clauses", both)
                .rule("attribute-missing", Set.of(), clause("height", "in", 180))
                .rule(
                        "attribute-missing-negated",
                        Set.of(),
                        clause("height", "in", 180).negate());
    }

    private static void prerequisites(Table table) {
        table.flag(flag("needs-on").prerequisite("on", 0)).givesBoth(0, true, EvaluationReason.fallthrough());
        table.flag(flag("needs-another-variation").prerequisite("on", 1))
                .givesBoth(1, false, EvaluationReason.prerequisiteFailed("on"));
        table.flag(flag("needs-one-that-is-off").prerequisite("off", 1))
                .givesBoth(1, false, EvaluationReason.prerequisiteFailed("off"));
        table.flag(flag("needs-unknown").prerequisite("nowhere", 0))
                .givesBoth(1, false, EvaluationReason.prerequisiteFailed("nowhere"));
        table.flag(flag("needs-two").prerequisite("on", 0).prerequisite("target", 0))
                .gives(ALICE, 0, true, EvaluationReason.fallthrough())
                .gives(BOB, 1, false, EvaluationReason.prerequisiteFailed("target"));
        table.flag(flag("needs-what-needs").prerequisite("needs-two", 0))
                .gives(ALICE, 0, true, EvaluationReason.fallthrough())
                .gives(BOB, 1, false, EvaluationReason.prerequisiteFailed("needs-two"));
    }

    private static void segments(Table table) {
        Set<LDContext> alice = Set.of(ALICE);
        Set<LDContext> bob = Set.of(BOB);
        Set<LDContext> both = Set.of(ALICE, BOB);
        table.segment(segment("nobody"))
                .segment(segment("alices").included("alice", "alicia"))
                .segment(segment("all-but-alice")
                        .excluded("alice")
                        .rule(clause("country", "in", "at"))
                        .rule(clause("country", "in", "us")))
                .segment(segment("grown-ups").rule(clause("age", "greaterThan", 18), clause("country", "in", "at")))
                .segment(segment("included-wins").included("bob").excluded("bob", "alice"))
                .segment(segment("nested").rule(segmentMatch("alices")));
        table.rule("in-nobody", Set.of(), segmentMatch("nobody"))
                .rule("in-included", alice, segmentMatch("alices"))
                .rule("in-excluded", bob, segmentMatch("all-but-alice"))
                .rule("in-ruled", alice, segmentMatch("grown-ups"))
                .rule("in-included-and-excluded", bob, segmentMatch("included-wins"))
                .rule("in-nested", alice, segmentMatch("nested"))
                .rule("in-one-of-two", both, segmentMatch("alices", "all-but-alice"))
                .rule("in-unknown", Set.of(), segmentMatch("nowhere"))
                .rule("not-in", bob, segmentMatch("alices").negate());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itEvaluatesFlagsAsTheyWereMeant(Mode mode) {
        Table table = table();
        server.setAll(table.items);
        LaunchDarklyClient client = start(mode);
        assertAll(table.rows.stream().map(row -> (Executable) () -> row.check(client)));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itTakesEachTypeForWhatItIs(Mode mode) {
        server.setAll(table().items);
        LaunchDarklyClient client = start(mode);
        assertEquals(true, client.sdk().boolVariation("on", ALICE, false));
        assertEquals("blue", client.sdk().stringVariation("string", ALICE, "default"));
        assertEquals(42, client.sdk().intVariation("whole-number", ALICE, -1));
        assertEquals(-2.5e10, client.sdk().doubleVariation("fraction", ALICE, -1));
        assertEquals(
                EvaluationReason.ErrorKind.WRONG_TYPE,
                client.sdk()
                        .boolVariationDetail("string", ALICE, false)
                        .getReason()
                        .getErrorKind());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itEvaluatesThousandFlagsOfADataSetWithoutAnError(Mode mode) {
        List<Item> items = TestFlags.dataSet(1000, 20_260_131);
        server.setAll(items);
        LaunchDarklyClient client = start(mode);
        Set<EvaluationReason.Kind> reasons = EnumSet.noneOf(EvaluationReason.Kind.class);
        for (LDContext context : List.of(
                ALICE,
                LDContext.builder(someTarget(items))
                        .set("country", "de")
                        .set("plan", "team")
                        .build())) {
            FeatureFlagsState state = client.sdk().allFlagsState(context, FlagsStateOption.WITH_REASONS);
            assertTrue(state.isValid());
            assertEquals(1000, state.toValuesMap().size());
            for (String key : state.toValuesMap().keySet()) {
                EvaluationReason reason = state.getFlagReason(key);
                reasons.add(reason.getKind());
                assertNull(reason.getErrorKind(), () -> key + ": " + reason);
                assertFalse(state.getFlagValue(key).isNull(), key);
            }
        }
        assertEquals(EnumSet.complementOf(EnumSet.of(EvaluationReason.Kind.ERROR)), reasons);
        for (Item item : items) {
            assertEquals("version " + item.version(), client.held(item.kind(), item.key()), item.key());
        }
    }

    /** A user whom a flag that is on gives a variation by name. */
    private static String someTarget(List<Item> items) {
        return items.stream()
                .filter(item -> item.kind() == FLAG && item.json().contains("\"on\":true"))
                .map(item -> JsonParser.parseString(item.json()).getAsJsonObject())
                .filter(flag -> flag.getAsJsonArray("prerequisites").isEmpty())
                .map(flag -> flag.getAsJsonArray("targets"))
                .filter(targets -> !targets.isEmpty())
                .map(targets -> (JsonArray) targets.get(0).getAsJsonObject().get("values"))
                .findFirst()
                .orElseThrow()
                .get(0)
                .getAsString();
    }

    // ---- changes

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itSeesChangesOfAFlagFromItsBirthToItsDeath(Mode mode) throws Exception {
        LaunchDarklyClient client = start(mode);
        BlockingQueue<FlagValueChangeEvent> changes = changes(client, "a");
        FlagBuilder flag = flag("a");

        server.set(flag.build());
        assertChange("null", "true", changes);
        assertEquals("version 1", client.held(FLAG, "a"));
        server.set(flag.off().build());
        assertChange("true", "false", changes);
        assertEquals("version 2", client.held(FLAG, "a"));
        server.delete("a");
        assertChange("false", "null", changes);
        assertEquals(mode == Mode.STREAM ? "deleted in version 3" : "unknown", client.held(FLAG, "a"));
        assertEquals(
                EvaluationReason.error(EvaluationReason.ErrorKind.FLAG_NOT_FOUND),
                client.evaluate("a", ALICE).getReason());
        server.set(flag.on().version(4).build());
        assertChange("null", "true", changes);
        assertEquals("version 4", client.held(FLAG, "a"));
        assertTrue(client.awaitValid());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itSeesThatASegmentChangesWhatAFlagGives(Mode mode) throws Exception {
        SegmentBuilder segment = segment("beta");
        server.set(segment.build());
        server.set(flag("a").rule(0, segmentMatch("beta")).fallthrough(1).build());
        LaunchDarklyClient client = start(mode);
        BlockingQueue<FlagValueChangeEvent> changes = changes(client, "a");
        assertFalse(client.sdk().boolVariation("a", ALICE, true));

        server.set(segment.included("alice").build());
        assertChange("false", "true", changes);
        assertEquals("version 2", client.held(SEGMENT, "beta"));
        server.delete(SEGMENT, "beta");
        assertChange("true", "false", changes);
        assertEquals(mode == Mode.STREAM ? "deleted in version 3" : "unknown", client.held(SEGMENT, "beta"));
        assertEquals("version 1", client.held(FLAG, "a"));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itReplacesEverythingWhateverTheVersions(Mode mode) {
        server.set(flag("a").version(7).build());
        server.set(flag("b").build());
        server.set(segment("s").build());
        LaunchDarklyClient client = start(mode);

        server.setAll(List.of(
                flag("a").version(3).off().build(),
                flag("c").build(),
                segment("t").build()));
        client.awaitHeld("version 3", FLAG, "a"); // it reports no change to a lower version
        assertFalse(client.sdk().boolVariation("a", ALICE, true));
        assertEquals("unknown", client.held(FLAG, "b"));
        assertEquals("version 1", client.held(FLAG, "c"));
        assertEquals("unknown", client.held(SEGMENT, "s"));
        assertEquals("version 1", client.held(SEGMENT, "t"));
    }

    @Test
    void onAStreamItIgnoresWhatIsNotNewer() {
        server.set(flag("a").version(5).build());
        LaunchDarklyClient client = start(Mode.STREAM);

        server.set(flag("a").version(5).off().build());
        server.set(flag("a").version(4).off().build());
        server.set(Item.tombstone(FLAG, "a", 5));
        server.set(Item.tombstone(FLAG, "never-there", 2));
        server.set(flag("never-there").version(2).build());
        server.set(flag("last").build()); // who has this has seen all that came before
        client.awaitHeld("version 1", FLAG, "last");
        assertEquals("version 5", client.held(FLAG, "a"));
        assertTrue(client.sdk().boolVariation("a", ALICE, false));
        assertEquals("deleted in version 2", client.held(FLAG, "never-there"));

        server.set(Item.tombstone(FLAG, "a", 6));
        server.set(flag("never-there").version(3).build());
        client.awaitHeld("version 3", FLAG, "never-there");
        assertEquals("deleted in version 6", client.held(FLAG, "a"));
        assertEquals(1, server.requests().size(), server::toString);
    }

    @Test
    void aStreamMayHoldCommentsAndEventsOfOtherNames() {
        server.stream().comment("hello").put(flag("a").build()).event("news", "no JSON");
        LaunchDarklyClient client = start(Mode.STREAM);
        server.heartbeat();
        server.sendEvent("whatever", "two\nlines");
        server.set(flag("b").build());
        client.awaitHeld("version 1", FLAG, "b");
        assertEquals("version 1", client.held(FLAG, "a"));
        assertEquals(1, server.requests().size(), server::toString);
    }

    /** The first time compressed: what the client keeps to be confirmed by 304 must not suffer from that. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPollOfWhatItHasChangesNothing(boolean compressed) throws Exception {
        server.set(flag("a").build());
        if (compressed) {
            server.poll().serve().gzip();
        }
        LaunchDarklyClient client = start(Mode.POLL);
        ItemDescriptor stored = client.stored(FLAG, "a");
        String etag = Document.etag(server.snapshotJson().getBytes(UTF_8));
        for (Request request : server.awaitRequests(6, SOON).subList(1, 6)) {
            assertEquals(List.of(etag), request.headers("If-None-Match"), request::toString);
        }
        assertNotNull(stored);
        assertSame(stored, client.stored(FLAG, "a")); // an answer with content would have replaced it
        assertTrue(client.awaitValid());

        server.set(flag("a").version(2).build());
        client.awaitHeld("version 2", FLAG, "a");
        String next = Document.etag(server.snapshotJson().getBytes(UTF_8));
        server.awaitRequest(request -> request.headers("If-None-Match").equals(List.of(next)), SOON);
    }

    private static BlockingQueue<FlagValueChangeEvent> changes(LaunchDarklyClient client, String flagKey) {
        BlockingQueue<FlagValueChangeEvent> changes = new LinkedBlockingQueue<>();
        client.sdk().getFlagTracker().addFlagValueChangeListener(flagKey, ALICE, changes::add);
        return changes;
    }

    private static void assertChange(String before, String after, BlockingQueue<FlagValueChangeEvent> changes)
            throws InterruptedException {
        FlagValueChangeEvent change = changes.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
        assertNotNull(change, () -> "no change from " + before + " to " + after);
        assertEquals(LDValue.parse(before), change.getOldValue());
        assertEquals(LDValue.parse(after), change.getNewValue());
    }

    // ---- outages

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itOpensAStreamAgainThatWasCut(boolean reset) throws Exception {
        FlagBuilder flag = flag("a");
        server.set(flag.build());
        LaunchDarklyClient client = start(Mode.STREAM);
        if (reset) {
            server.resetStreams();
        } else {
            server.dropStreams();
        }
        server.set(flag.off().build());
        client.awaitHeld("version 2", FLAG, "a");
        server.awaitStreams(1, SOON);
        server.set(flag.on().build());
        client.awaitHeld("version 3", FLAG, "a");
        assertEquals(2, server.streamRequests().size(), server::toString);
        assertEquals(
                ErrorKind.NETWORK_ERROR,
                client.awaitState(State.INTERRUPTED).getLastError().getKind());
        client.awaitState(State.VALID);
    }

    @Test
    void itOpensAStreamAgainThatEndsInsideAnEvent() throws Exception {
        server.set(flag("b").build());
        server.stream().put(flag("a").build()).cutHalfway();
        LaunchDarklyClient client = start(Mode.STREAM);
        assertEquals("version 1", client.held(FLAG, "b"));
        assertEquals("unknown", client.held(FLAG, "a"));
        assertEquals(2, server.streamRequests().size(), server::toString);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itPollsAgainAfterAPollThatWasCut(boolean reset) throws Exception {
        server.set(flag("a").build());
        LaunchDarklyClient client = start(Mode.POLL);
        server.poll().atOnce(script -> {
            if (reset) {
                script.reset().forever(); // its transport tries a second time by itself
            } else {
                script.put(flag("a").version(9).build()).cutHalfway();
            }
        });
        // it reads while it parses: half a document is bad JSON to it
        assertEquals(
                reset ? ErrorKind.NETWORK_ERROR : ErrorKind.INVALID_DATA,
                client.awaitState(State.INTERRUPTED).getLastError().getKind());
        server.poll().clear();
        client.awaitState(State.VALID);
        assertEquals("version 1", client.held(FLAG, "a"));
        server.set(flag("a").version(2).build());
        client.awaitHeld("version 2", FLAG, "a");
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itRecoversFrom503(Mode mode) throws Exception {
        server.set(flag("a").build());
        LaunchDarklyClient client = start(mode);
        script(mode).atOnce(script -> script.respond(503).times(2));
        server.dropStreams();
        Status interrupted = client.awaitStatus(
                status -> status.getLastError() != null && status.getLastError().getStatusCode() == 503);
        assertEquals(State.INTERRUPTED, interrupted.getState());
        assertEquals(ErrorKind.ERROR_RESPONSE, interrupted.getLastError().getKind());
        assertTrue(client.sdk().boolVariation("a", ALICE, false)); // what it had is good still
        client.awaitState(State.VALID);
        server.set(flag("a").version(2).off().build());
        client.awaitHeld("version 2", FLAG, "a");
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itRecoversWhenTheServiceIsStartedAgain(Mode mode) throws Exception {
        server.set(flag("a").build());
        LaunchDarklyClient client = start(mode);
        server.refuse();
        client.awaitState(State.INTERRUPTED);
        server.set(flag("a").version(2).off().build());
        server.accept();
        client.awaitState(State.VALID);
        client.awaitHeld("version 2", FLAG, "a");
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itRecoversFromWhatIsNoJson(Mode mode) throws Exception {
        server.set(flag("a").build());
        LaunchDarklyClient client = start(mode);
        if (mode == Mode.STREAM) {
            server.sendEvent("patch", "{\"path\":\"/flags/a\",\"data\":{");
        } else {
            server.poll().atOnce(Script::html);
        }
        assertEquals(
                ErrorKind.INVALID_DATA,
                client.awaitState(State.INTERRUPTED).getLastError().getKind());
        client.awaitState(State.VALID);
        assertEquals("version 1", client.held(FLAG, "a"));
        server.set(flag("a").version(2).build());
        client.awaitHeld("version 2", FLAG, "a");
    }
}
