package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ZERO;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The service's part of every case from the field in one line of script, and what is then on the wire. */
@Timeout(30)
class FieldCaseScriptsIT {
    /** The cases whose fault is not the service's, and where it is. */
    private static final Map<String, String> WITHOUT_SERVICE = Map.of(
            "RETRY-12", "chance",
            "STORE-07", "store",
            "FAKE-01", "fakes",
            "PACK-01", "packaging");

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String JSON = "application/json";
    private static final String KEY = "Authorization: sdk-key";
    private static final String ELSEWHERE = "http://elsewhere.invalid/all";

    private static final String E1 = "\"e1\"";
    private static final String E2 = "\"e2\"";

    private static final Item FLAG = flag("a", 1);
    private static final Item SECOND_FLAG = flag("a", 2);
    private static final String DOCUMENT = Wire.document(List.of(FLAG));
    private static final String SECOND_DOCUMENT = Wire.document(List.of(SECOND_FLAG));
    private static final String PUT = Wire.put(DOCUMENT);
    private static final String SECOND_PUT = Wire.put(SECOND_DOCUMENT);
    private static final String PATCH = Wire.change(SECOND_FLAG);
    private static final int INNER_END = DOCUMENT.indexOf(",\"segments");

    private static final String BYTE_ORDER_MARK = "\uFEFF";
    private static final String NESTED = "[".repeat(200_000) + "]".repeat(200_000);
    private static final String BAD_PUT = Wire.event("put", "{bad");
    private static final String CRLF_PUT =
            "event: put\r\ndata: {\"path\":\"/\",\r\ndata: \"data\":{\"flags\":{},\"segments\":{}}}\r\n\r\n";
    private static final String MIXED = "event: patch\rdata: {\"path\":\"/flags/a\",\ndata: \"data\":{}}\r\n\r";
    private static final Item MANY_TONGUES =
            Item.of(ItemKind.FLAG, "a", 1, "{\"key\":\"a\",\"version\":1,\"x\":\"é€😀\u0085\u2028\"}");
    private static final Item BIG =
            Item.of(ItemKind.FLAG, "big", 2, "{\"version\":2,\"x\":\"" + "x".repeat(5_000_000) + "\"}");
    private static final String NULLS = "{\"path\":\"/\",\"data\":{\"flags\":{\"none\":null,\"hole\":{\"version\":1,"
            + "\"variations\":[null]},\"keyless\":{\"key\":null,\"version\":1},\"good\":{\"version\":1}},"
            + "\"segments\":null}}";
    private static final String CATS = Wire.event("patch", "{\"path\":\"/cats/Jack\",\"data\":{}}")
            + Wire.event("delete", "{\"path\":\"/cats/Jack\",\"version\":2}")
            + Wire.event("put", "{\"path\":\"/\",\"data\":{\"flags\":{},\"cats\":{}}}");
    private static final String TWICE = "{\"flags\":{\"a\":{\"version\":1,\"version\":2},\"a\":{\"version\":3}}}";
    private static final String PUT_TWICE = "{\"path\":\"/\",\"path\":\"/\",\"data\":{},\"data\":" + TWICE + "}";

    /**
     * A line of the table.
     *
     * @param id of the case
     * @param variant which part of it
     * @param script what the service does
     * @param wire what a client hears then
     */
    private record Row(String id, String variant, Script script, Dialogue wire) {
        @Override
        public String toString() {
            return id + " " + variant;
        }
    }

    private interface Script {
        void say(FakeFlagServer server, Caller caller);
    }

    private interface Dialogue {
        void with(Caller caller) throws Exception;
    }

    private final List<Row> rows = new ArrayList<>();

    private void row(String id, String variant, Consumer<FakeFlagServer> script, Dialogue wire) {
        rows.add(new Row(id, variant, (server, caller) -> script.accept(server), wire));
    }

    private void holding(String id, String variant, Function<FakeFlagServer, Hold> script, Dialogue wire) {
        rows.add(new Row(id, variant, (server, caller) -> caller.released(script.apply(server)), wire));
    }

    static Stream<Row> rows() {
        FieldCaseScriptsIT table = new FieldCaseScriptsIT();
        table.framing();
        table.status();
        table.retry();
        table.connection();
        table.lifecycle();
        table.data();
        table.polling();
        table.store();
        table.theRest();
        return table.rows.stream();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void oneLineOfScriptPutsTheCaseOnTheWire(Row row) throws Exception {
        VirtualScheduler time = new VirtualScheduler();
        try (FakeFlagServer server = FakeFlagServer.builder()
                        .scheduler(time)
                        .clock(() -> Instant.parse("1994-11-06T08:49:31.400Z"))
                        .start();
                Caller caller = new Caller(server, time)) {
            row.script.say(server, caller);
            row.wire.with(caller);
        }
    }

    @Test
    void everyCaseHasAScriptOrSaysWhyItNeedsNone() throws IOException {
        Set<String> told = new TreeSet<>(WITHOUT_SERVICE.keySet());
        rows().forEach(row -> told.add(row.id));
        assertEquals(copiedIds(), told);
        assertEquals(
                List.of(),
                rows().map(Row::id).filter(WITHOUT_SERVICE::containsKey).toList());
    }

    @Test
    void theCopyOfTheIdsIsUpToDate() throws IOException {
        String cases = Files.readString(sharedCases(), UTF_8);
        Set<String> ids = new TreeSet<>();
        Set<String> withoutService = new TreeSet<>();
        Matcher entry =
                Pattern.compile("- \\*\\*([A-Z]+-\\d+)\\*\\*.*\\R.*Try: (S:)?").matcher(cases);
        while (entry.find()) {
            ids.add(entry.group(1));
            if (entry.group(2) == null) {
                withoutService.add(entry.group(1));
            }
        }
        assertEquals(copiedIds(), ids);
        assertEquals(new TreeSet<>(WITHOUT_SERVICE.keySet()), withoutService);
    }

    private static Set<String> copiedIds() throws IOException {
        try (InputStream copy = requireNonNull(FieldCaseScriptsIT.class.getResourceAsStream("/field-cases.txt"))) {
            return new TreeSet<>(new String(copy.readAllBytes(), UTF_8).lines().toList());
        }
    }

    private static Path sharedCases() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path cases = folder.resolve("shared").resolve("cases").resolve("field-cases.md");
            if (Files.isRegularFile(cases)) {
                return cases;
            }
        }
        return abort("no folder shared/cases above or beside this one");
    }

    private static Item flag(String key, long version) {
        return Item.of(ItemKind.FLAG, key, version, "{\"key\":\"" + key + "\",\"version\":" + version + "}");
    }

    private static Item a(long version) {
        return flag("a", version);
    }

    private static Item b(long version) {
        return flag("b", version);
    }

    private static Item z(long version) {
        return flag("z", version);
    }

    private static Item gone(String key, long version) {
        return Item.tombstone(ItemKind.FLAG, key, version);
    }

    private static String put(Item... items) {
        return Wire.put(Wire.document(List.of(items)));
    }

    /** Patches of one flag, each with the next version. */
    private static String patches(int count) {
        return IntStream.range(2, count + 2)
                .mapToObj(version -> Wire.change(flag("a", version)))
                .collect(Collectors.joining());
    }

    private static String deletes(int count) {
        return IntStream.range(0, count).mapToObj(i -> delete("flag-" + i, 1)).collect(Collectors.joining());
    }

    private static String delete(String key, long version) {
        return Wire.change(gone(key, version));
    }

    // ---- the table, with each script on a line of its own
    // spotless:off

    private void framing() {
        row("SSE-01", "a mark in one piece",
                server -> server.stream().put(FLAG).bom().comment("").repeat(2, SECOND),
                caller -> caller.stream().head(200).hears(BYTE_ORDER_MARK + PUT + ":\n").hearsEach(SECOND, 2, ":\n"));
        row("SSE-01", "a mark of 1 and 2 bytes",
                server -> server.stream().put(FLAG).bom().splitAt(1),
                caller -> caller.stream().head(200).pieces(1, 2).hears(PUT).silent());
        row("SSE-01", "a second mark in a line",
                server -> server.stream().events("data: a\uFEFFb\n\n").bom(),
                caller -> caller.stream().head(200).hears("\uFEFFdata: a\uFEFFb\n\n"));
        row("SSE-03", "then 503",
                server -> server.stream().put(FLAG).events("retry: 0\n\n").end().then().respond(503).forever(),
                caller -> caller.stream().head(200).hears(PUT + "retry: 0\n\n").ends().stream().head(503).stream()
                        .head(503));
        row("SSE-03", "then nobody there",
                server -> server.stream().put(FLAG).events("retry: 0\n\n").outage(HOUR),
                caller -> caller.stream().head(200).hears(PUT + "retry: 0\n\n").closes().refused());
        row("SSE-04", "comments for 30 s",
                server -> server.stream().comment("").repeat(3, Duration.ofSeconds(10)).put(FLAG),
                caller -> caller.stream().head(200).hears(":\n").hearsEach(Duration.ofSeconds(10), 3, ":\n").hears(PUT)
                        .silent());
        row("SSE-06", "heartbeats that end",
                server -> server.stream().put(FLAG).comment("").repeat(12, SECOND).stall(),
                caller -> caller.stream().head(200).hears(PUT + ":\n").hearsEach(SECOND, 12, ":\n").silent());
        row("SSE-07", "a login page",
                server -> server.stream().html().drop().forever(),
                caller -> caller.stream().head(200, "Content-Type: text/html; charset=utf-8").stream()
                        .head(200, "Content-Type: text/html; charset=utf-8"));
        row("SSE-07", "another spelling of the type",
                server -> server.stream().put(FLAG).contentType("Text/Event-Stream; charset=utf-8"),
                caller -> caller.stream().head(200, "Content-Type: Text/Event-Stream; charset=utf-8").hears(PUT));
        row("SSE-09", "no content",
                server -> server.stream().respond(204).forever(),
                caller -> caller.stream().head(204).ends().stream().head(204));
        row("SSE-10", "30 MB and a patch of 5 MB in writes of 1 KB",
                server -> server.stream().oversized(30_000_000).patch(BIG).drip(1024, ZERO),
                caller -> caller.stream().head(200).plenty(29_990_000, 1024));
        row("SSE-12", "CRLF in pieces",
                server -> server.stream().events(CRLF_PUT).drip(1, ZERO),
                caller -> caller.stream().head(200).dripped(CRLF_PUT));
        row("SSE-12", "line ends mixed",
                server -> server.stream().put(FLAG).events(MIXED),
                caller -> caller.stream().head(200).hears(PUT).hears(MIXED));
        row("SSE-12", "characters in pieces, no charset",
                server -> server.stream().put(MANY_TONGUES).contentType("text/event-stream").drip(1, ZERO),
                caller -> caller.stream().head(200, "Content-Type: text/event-stream").dripped(put(MANY_TONGUES)));
    }

    private void status() {
        holding("STATUS-01", "an answer held back",
                server -> server.stream().put(FLAG).hold(),
                caller -> caller.stream().silent().release().head(200).hears(PUT));
        holding("STATUS-01", "a reset held back",
                server -> server.stream().reset().hold(),
                caller -> caller.stream().silent().release().resets());
        row("STATUS-03", "a poll's start",
                server -> server.poll().reset().then().body(JSON, "{bad").then().respond(503).then().put(FLAG),
                caller -> caller.poll().resets().poll().head(200).hears("{bad").poll().head(503).poll().head(200)
                        .hears(DOCUMENT));
        row("STATUS-03", "a stream's start",
                server -> server.stream().reset().then().events(BAD_PUT).then().respond(503).then().put(FLAG),
                caller -> caller.stream().resets().stream().head(200).hears(BAD_PUT).stream().head(503).stream()
                        .head(200).hears(PUT));
        row("STATUS-04", "an Error in the parser, then good data",
                server -> server.stream().put(FLAG).event("patch", NESTED).end().then().put(SECOND_FLAG),
                caller -> caller.stream().head(200).hears(PUT + Wire.event("patch", NESTED)).ends().stream().head(200)
                        .hears(SECOND_PUT));
        row("STATUS-06", "500 for ever",
                server -> server.stream().respond(500).forever(),
                caller -> caller.stream().head(500).stream().head(500));
        row("STATUS-06", "nobody there",
                FakeFlagServer::refuse,
                Caller::refused);
        row("STATUS-06", "a black hole",
                FakeFlagServer::blackHole,
                caller -> caller.stream().silent());
        row("STATUS-07", "a put after 3 s",
                server -> server.stream().events("").pause(Duration.ofSeconds(3)).put(FLAG),
                caller -> caller.stream().head(200).silent().after(Duration.ofSeconds(3)).hears(PUT));
    }

    private void retry() {
        row("RETRY-01", "401 six times",
                server -> server.stream().respond(401).times(6),
                caller -> caller.stream().head(401)
                        .meanwhile(server -> assertEquals(
                                List.of("respond(401) times(5)"), server.stream().pending())));
        row("RETRY-01", "401 and 503 in turn",
                server -> IntStream.of(401, 503, 401, 503, 401).forEach(status -> server.stream().respond(status)),
                caller -> caller.stream().head(401).stream().head(503).stream().head(401).stream().head(503).stream()
                        .head(401).stream().head(200));
        row("RETRY-03", "20 short lives",
                server -> server.stream().put(FLAG).pause(Duration.ofMillis(200)).end().times(20),
                caller -> caller.stream().head(200).hears(PUT).after(Duration.ofMillis(200)).ends().stream().head(200)
                        .hears(PUT).after(Duration.ofMillis(200)).ends());
        row("RETRY-03", "70 s of silence",
                server -> server.stream().events("").pause(Duration.ofSeconds(70)).end(),
                caller -> caller.stream().head(200).silent().after(Duration.ofSeconds(70)).ends());
        row("RETRY-03", "61 s of events",
                server -> server.stream().put(FLAG).event("ping", "{}").repeat(61, SECOND).end(),
                caller -> caller.stream().head(200).hears(PUT + Wire.event("ping", "{}"))
                        .hearsEach(SECOND, 61, Wire.event("ping", "{}")).ends());
        for (String value :
                List.of("120", "0", "-5", "1.5", "abc", "", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT")) {
            row("RETRY-04", "<" + value + ">",
                    server -> server.poll().respond(429).retryAfter(value),
                    caller -> caller.poll().head(429, "Retry-After: " + value));
        }
        row("RETRY-04", "two headers",
                server -> server.stream().respond(503).retryAfter(120).retryAfter(7),
                caller -> caller.stream().head(503, "Retry-After: 120", "Retry-After: 7"));
        row("RETRY-04", "a date ahead",
                server -> server.stream().respond(503).retryAfter("{{httpdate+120s}}"),
                caller -> caller.stream().head(503, "Retry-After: Sun, 06 Nov 1994 08:51:32 GMT"));
        row("RETRY-04", "a date gone by",
                server -> server.poll().respond(503).retryAfter("{{httpdate-120s}}"),
                caller -> caller.poll().head(503, "Retry-After: Sun, 06 Nov 1994 08:47:32 GMT"));
        row("RETRY-04", "two hours",
                server -> server.stream().respond(503).retryAfter(7200).forever(),
                caller -> caller.stream().head(503, "Retry-After: 7200"));
        row("RETRY-06", "an end after the headers",
                server -> server.stream().events("").end().forever(),
                caller -> caller.stream().head(200).ends().again("/all").head(200).ends());
        row("RETRY-06", "a reset after the headers",
                server -> server.stream().events("").reset().forever(),
                caller -> caller.stream().head(200).resets().stream().head(200).resets());
        row("RETRY-06", "nobody there",
                FakeFlagServer::refuse,
                caller -> caller.refused().refused());
        row("RETRY-06", "an end after a good put",
                server -> server.stream().put(FLAG).end().forever(),
                caller -> caller.stream().head(200).hears(PUT).ends().stream().head(200).hears(PUT).ends());
        row("RETRY-06", "an end after bad JSON",
                server -> server.stream().events(BAD_PUT).end().forever(),
                caller -> caller.stream().head(200).hears(BAD_PUT).ends());
        row("RETRY-07", "503 to all",
                server -> server.stream().respond(503).forever(),
                caller -> caller.stream().head(503).stream().head(503));
        row("RETRY-09", "one success between failures",
                server -> server.poll().respond(401).then().put(FLAG).then().respond(503).then().put(FLAG).times(3),
                caller -> caller.poll().head(401).poll().head(200).poll().head(503).poll().head(200).poll().head(200)
                        .poll().head(200));
        row("RETRY-09", "304 is a success",
                server -> server.poll().respond(401).then().put(FLAG).then().respond(304).then().put(FLAG),
                caller -> caller.poll().head(401).poll().head(200).poll().head(304).poll().head(200));
        for (int status : new int[] {429, 408, 400}) {
            row("RETRY-10", status + " at the start",
                    server -> server.poll().respond(status),
                    caller -> caller.poll().head(status).poll().head(200));
            row("RETRY-10", status + " on a reconnect",
                    server -> server.stream().put(FLAG).end().then().respond(status),
                    caller -> caller.stream().head(200).hears(PUT).ends().again("/all").head(status).stream()
                            .head(200));
        }
        row("RETRY-13", "a restart",
                server -> server.stream().put(FLAG).outage(Duration.ofSeconds(10)).then().put(SECOND_FLAG),
                caller -> caller.stream().head(200).hears(PUT).closes().refused().after(Duration.ofSeconds(10)).stream()
                        .head(200).hears(SECOND_PUT));
    }

    private void connection() {
        for (int status : new int[] {301, 307, 308}) {
            row("CONN-01", status + " to another origin",
                    server -> server.stream().redirect(status, ELSEWHERE).forever(),
                    caller -> caller.stream().head(status, "Location: " + ELSEWHERE));
        }
        row("CONN-01", "the other origin wants the key",
                server -> server.require("sdk-key"),
                caller -> caller.stream().head(401).stream(KEY).head(200).poll().head(401));
        row("CONN-01", "a relative location",
                server -> server.poll().redirect(307, "../sdk/latest-all").then().put(FLAG),
                caller -> caller.poll().head(307, "Location: ../sdk/latest-all").poll().head(200));
        row("CONN-01", "no location",
                server -> server.poll().respond(302),
                caller -> caller.poll().headWithout("Location", 302));
        row("CONN-01", "a loop",
                server -> server.stream().redirect(302, "/all").forever(),
                caller -> caller.stream().head(302, "Location: /all").again("/all").head(302, "Location: /all"));
        row("CONN-03", "a put, then silence",
                server -> server.stream().put(FLAG).stall(),
                caller -> caller.stream().head(200).hears(PUT).silent().leaves(1));
        row("CONN-04", "15 s of heartbeats",
                server -> server.stream().put(FLAG).comment("").repeat(15, SECOND),
                caller -> caller.stream().head(200).hears(PUT + ":\n").hearsEach(SECOND, 15, ":\n"));
        row("CONN-06", "silence, reset, nobody there, all well",
                server -> server.stream().put(FLAG).pause(Duration.ofSeconds(3)).reset().outage(SECOND),
                caller -> caller.stream().head(200).hears(PUT).after(Duration.ofSeconds(3)).resets().refused()
                        .after(SECOND).stream().head(200));
        row("CONN-07", "a proxy that counts",
                server -> server.set(FLAG),
                caller -> caller.get("http://origin.invalid/all", KEY).head(200).hears(PUT)
                        .get("http://origin.invalid/sdk/latest-all", "X-Mine: 1").head(200)
                        .meanwhile(server -> assertEquals(
                                Optional.of("1"), server.pollRequests().get(0).header("X-Mine"))));
        row("CONN-07", "an origin that cannot be reached",
                FakeFlagServer::refuse,
                Caller::refused);
        row("CONN-09", "503 and no wait",
                server -> server.stream().respond(503).retryAfter(0).forever(),
                caller -> caller.stream().head(503, "Retry-After: 0")
                        .meanwhile(server -> assertEquals(1, server.requests().size())));
        row("CONN-10", "500 polls of five kinds",
                server -> IntStream.range(0, 100).forEach(i -> fiveKinds(server.poll())),
                caller -> {
                    caller.poll().head(200).hears(DOCUMENT);
                    for (int i = 1; i < 100; i++) {
                        caller.again("/sdk/latest-all").head(304).again("/sdk/latest-all");
                        caller.head(401).again("/sdk/latest-all").head(503);
                        caller.again("/sdk/latest-all").head(200).hears("{bad");
                        caller.again("/sdk/latest-all").head(200).hears(DOCUMENT);
                    }
                    caller.meanwhile(
                            server -> assertEquals(4, server.poll().pending().size()));
                });
        row("CONN-10", "200 streams that end",
                server -> server.stream().put(FLAG).end().times(200),
                caller -> caller.stream().head(200).hears(PUT).ends().again("/all").head(200).hears(PUT).ends()
                        .meanwhile(server -> assertEquals(
                                List.of("put(1 items) times(198)"), server.stream().pending())));
        row("CONN-12", "six streams and a poll",
                server -> server.set(FLAG),
                caller -> caller.more(6).poll().head(200).hears(DOCUMENT));
        // over HTTP/1.1, which is all that this server speaks
        row("CONN-13", "a pooled connection that is dead, new ones are served",
                server -> server.poll().put(FLAG).then().hang().then().put(SECOND_FLAG),
                caller -> caller.poll().head(200).hears(DOCUMENT).again("/sdk/latest-all").silent().poll().head(200)
                        .hears(SECOND_DOCUMENT));
    }

    private static void fiveKinds(io.flagfeed.sdk.testing.Script poll) {
        poll.put(FLAG).then().respond(304).then().respond(401).then().respond(503).then().body(JSON, "{bad");
    }

    private void lifecycle() {
        row("LIFE-01", "a black hole, for a TLS handshake too",
                FakeFlagServer::blackHole,
                caller -> caller.stream().silent());
        row("LIFE-01", "a wait of five minutes",
                server -> server.stream().respond(401).forever(),
                caller -> caller.stream().head(401));
        row("LIFE-01", "patches without end",
                server -> server.stream().put(FLAG).patch(SECOND_FLAG).repeat(1_000_000, ZERO),
                caller -> caller.stream().head(200).hears(PUT + PATCH.repeat(1000)).leaves(1));
        row("LIFE-03", "a put, then 503",
                server -> server.stream().put(FLAG).end().then().respond(503).forever(),
                caller -> caller.stream().head(200).hears(PUT).ends().again("/all").head(503));
        row("LIFE-04", "five million patches",
                server -> server.stream().put(FLAG).events(PATCH.repeat(1000)).repeat(4999, ZERO),
                caller -> caller.stream().head(200).hears(PUT + PATCH.repeat(20_000)));
        row("LIFE-04", "2,000 reconnects",
                server -> server.stream().put(FLAG).end().times(2000),
                caller -> caller.stream().head(200).hears(PUT).ends().again("/all").head(200).hears(PUT).ends());
        row("LIFE-06", "5,000 patches in one write",
                server -> server.stream().events(PUT + patches(5000)),
                caller -> caller.stream().head(200).pieces(PUT.length() + patches(5000).length()));
        row("LIFE-07", "a bad put",
                server -> server.stream().events(BAD_PUT),
                caller -> caller.stream().head(200).hears(BAD_PUT));
        row("LIFE-09", "heartbeats",
                server -> server.stream().put(FLAG).comment("").repeat(1000, SECOND),
                caller -> caller.stream().head(200).hears(PUT + ":\n").hearsEach(SECOND, 3, ":\n"));
        row("LIFE-10", "every other start fails",
                server -> IntStream.range(0, 100).forEach(i -> server.stream().put(FLAG).then().respond(503)),
                caller -> caller.stream().head(200).stream().head(503).stream().head(200).stream().head(503));
    }

    private void data() {
        row("DATA-01", "nested 200,000 deep, then good",
                server -> server.stream().event("put", NESTED).end().then().put(FLAG),
                caller -> caller.stream().head(200).hears(Wire.event("put", NESTED)).ends().stream().head(200)
                        .hears(PUT));
        row("DATA-03", "a patch before any put",
                server -> server.stream().event("hello", "{}").patch(a(5)).pause(SECOND).put(FLAG),
                caller -> caller.stream().head(200).hears(Wire.event("hello", "{}") + Wire.change(a(5)))
                        .silent().after(SECOND).hears(PUT));
        row("DATA-04", "null everywhere",
                server -> server.stream().event("put", NULLS),
                caller -> caller.stream().head(200).hears(Wire.event("put", NULLS)));
        for (String name : List.of("put", "patch", "delete")) {
            for (String data : List.of(
                    "{bad",
                    "{\"path\":\"/\",\"data\":true}",
                    "{\"path\":\"/\",\"data\":{\"flags\":true}}",
                    "{\"path\":\"/flags/a\",\"version\":\"no\",\"data\":{\"version\":\"no\"}}")) {
                row("DATA-06", name + " " + data,
                        server -> server.stream().put(FLAG).event(name, data).then().put(SECOND_FLAG),
                        caller -> caller.stream().head(200).hears(PUT + Wire.event(name, data)).silent().stream()
                                .head(200).hears(SECOND_PUT));
            }
        }
        row("DATA-07", "names twice in a stream",
                server -> server.stream().event("put", PUT_TWICE),
                caller -> caller.stream().head(200).hears(Wire.event("put", PUT_TWICE)));
        row("DATA-07", "names twice in a poll",
                server -> server.poll().body(JSON, TWICE),
                caller -> caller.poll().head(200).hears(TWICE).ends());
        row("DATA-09", "deletes, one of an unknown key",
                server -> server.stream().put(a(1), b(1)).patch(gone("a", 5)).patch(gone("z", 3)).put(b(1)),
                caller -> caller.stream().head(200)
                        .hears(put(a(1), b(1)) + delete("a", 5) + delete("z", 3) + put(b(1))));
        row("DATA-10", "an unknown event and unknown kinds",
                server -> server.stream().put(FLAG).event("whatever", "not JSON").events(CATS).patch(SECOND_FLAG),
                caller -> caller.stream().head(200).hears(PUT + "event: whatever\ndata: not JSON\n\n")
                        .hears(CATS + PATCH));
    }

    private void polling() {
        row("POLL-01", "nested 100,000 deep at the second",
                server -> server.poll().put(FLAG).then().body(JSON, NESTED).then().put(FLAG),
                caller -> caller.poll().head(200).hears(DOCUMENT).poll().head(200).hears(NESTED).poll().head(200)
                        .hears(DOCUMENT));
        row("POLL-03", "cut off, then not modified",
                server -> server.poll().put(FLAG).etag(E1).cutHalfway().then().serve().etag(E1).forever(),
                caller -> caller.poll().head(200, "ETag: " + E1).hears(DOCUMENT.substring(0, DOCUMENT.length() / 2))
                        .closesEarly().poll("If-None-Match: " + E1).head(304).poll().head(200));
        row("POLL-03", "304 unasked",
                server -> server.poll().respond(304),
                caller -> caller.poll().head(304).ends());
        for (String body : List.of("", "null", "[]", "{}", "{\"flags\":null}")) {
            row("POLL-04", "<" + body + ">",
                    server -> server.poll().put(FLAG).then().body(JSON, body).etag(E2),
                    caller -> caller.poll().head(200).hears(DOCUMENT).poll()
                            .head(200, "ETag: " + E2, "Content-Length: " + body.length()).hears(body).ends());
        }
        row("POLL-04", "no content",
                server -> server.poll().put(FLAG).then().respond(204),
                caller -> caller.poll().head(200).hears(DOCUMENT).poll().head(204).ends());
        row("POLL-06", "less than was announced",
                server -> server.poll().put(FLAG).contentLength(1000).cutAfter(40),
                caller -> caller.poll().head(200, "Content-Length: 1000").hears(DOCUMENT.substring(0, 40))
                        .closesEarly());
        row("POLL-06", "no length, and the end of an inner object",
                server -> server.poll().put(FLAG).untilClose().truncate(INNER_END),
                caller -> caller.poll().headWithout("Content-Length", 200).hears(DOCUMENT.substring(0, INNER_END))
                        .closes());
        row("POLL-06", "compressed, and cut in the middle",
                server -> server.poll().put(FLAG).gzip().cutHalfway(),
                caller -> caller.poll().head(200, "Content-Encoding: gzip").hearsHalfOfGzip().closesEarly());
        row("POLL-06", "all of it, then a reset",
                server -> server.poll().put(FLAG).reset(),
                caller -> caller.poll().head(200).hears(DOCUMENT).ends().resets());
        row("POLL-07", "two login pages",
                server -> server.poll().html().etag("\"page\"").times(2).then().put(FLAG),
                caller -> caller.poll().head(200, "Content-Type: text/html; charset=utf-8", "ETag: \"page\"").poll()
                        .head(200, "Content-Type: text/html; charset=utf-8", "ETag: \"page\"").poll().head(200)
                        .hears(DOCUMENT));
        row("POLL-09", "errors of all classes",
                server -> IntStream.of(200, 500, 502, 404, 418).forEach(status -> server.poll().respond(status)),
                caller -> caller.poll().head(200).poll().head(500).poll().head(502).poll().head(404).poll().head(418)
                        .poll().head(200));
        row("POLL-10", "a byte a second",
                server -> server.poll().put(FLAG).drip(1, SECOND),
                caller -> caller.poll().head(200).hears("{").silent().after(SECOND).hears("\"").after(SECOND).hears("f")
                        .leaves(1));
        row("POLL-12", "an answer after 2 s",
                server -> server.poll().put(FLAG).after(Duration.ofSeconds(2)),
                caller -> caller.poll().silent().after(Duration.ofSeconds(2)).head(200).hears(DOCUMENT));
        row("POLL-13", "a name that changes",
                server -> server.poll().put(FLAG).etag(E1).then().put(FLAG).etag(E2),
                caller -> caller.poll().head(200, "ETag: " + E1).poll("If-None-Match: " + E1).head(200, "ETag: " + E2)
                        .meanwhile(server -> assertEquals(
                                Optional.of(E1), server.pollRequests().get(1).header("If-None-Match"))));
        row("POLL-13", "a name that is gone, and an empty one",
                server -> server.poll().put(FLAG).etag(E2).then().put(FLAG).noHeader("ETag").then().put(FLAG).etag(""),
                caller -> caller.poll().head(200, "ETag: " + E2).poll().headWithout("ETag", 200).poll()
                        .head(200, "ETag: "));
        for (String etag : List.of("W/\"abc\"", "\"a,b\"", "abc")) {
            row("POLL-15", "<" + etag + ">",
                    server -> server.poll().serve().etag(etag).forever(),
                    caller -> caller.poll().head(200, "ETag: " + etag).poll("If-None-Match: " + etag).head(304)
                            .poll("If-None-Match: \"abc\"").head(200));
        }
    }

    private void store() {
        row("STORE-01", "an older and a newer patch after a delete",
                server -> server.stream().put(a(5)).patch(gone("a", 7)).patch(a(6)).patch(a(8)),
                caller -> caller.stream().head(200)
                        .hears(put(a(5)) + delete("a", 7) + Wire.change(a(6)) + Wire.change(a(8))));
        row("STORE-01", "an older patch after the delete of what was never there, then a put",
                server -> server.stream().put(a(8)).patch(gone("z", 9)).patch(z(8)).put(a(8)),
                caller -> caller.stream().head(200)
                        .hears(put(a(8)) + delete("z", 9) + Wire.change(z(8)) + put(a(8))));
        row("STORE-01", "100,000 deletes",
                server -> server.stream().put().events(deletes(100_000)),
                caller -> caller.stream().head(200).hears(put() + deletes(100_000)));
        row("STORE-03", "other flags after a cut",
                server -> server.stream().put(a(5), b(1)).drop().then().put(a(3)),
                caller -> caller.stream().head(200).hears(put(a(5), b(1))).closes().stream().head(200)
                        .hears(put(a(3))));
        row("STORE-04", "nobody there for an hour",
                server -> server.stream().put(FLAG).outage(HOUR),
                caller -> caller.stream().head(200).hears(PUT).closes().refused().after(HOUR).stream().head(200));
        row("STORE-04", "401, 503 and bad JSON",
                server -> server.stream().put().end().then().respond(401).then().respond(503).then().events(BAD_PUT),
                caller -> caller.stream().head(200).hears(put()).ends().stream().head(401).stream().head(503).stream()
                        .head(200).hears(BAD_PUT));
        row("STORE-06", "puts that change nothing, the value, the version",
                server -> server.stream().put(FLAG).end().then().put(FLAG).put(MANY_TONGUES).put(SECOND_FLAG),
                caller -> caller.stream().head(200).hears(PUT).ends().stream().head(200)
                        .hears(PUT + put(MANY_TONGUES) + SECOND_PUT));
    }

    private void theRest() {
        row("SEC-01", "a redirect with a name and a password",
                server -> server.stream().redirect(302, "http://user:secret@elsewhere.invalid/"),
                caller -> caller.stream(KEY).head(302, "Location: http://user:secret@elsewhere.invalid/"));
        row("SEC-01", "a marker in bad data",
                server -> server.poll().body(JSON, "{\"flags\":\"marker\""),
                caller -> caller.poll(KEY).head(200).hears("{\"flags\":\"marker\"").ends());
        row("SEC-03", "three outages of 1,000 failures",
                server -> IntStream.range(0, 3).forEach(i -> server.poll().respond(503).times(1000).then().put(FLAG)),
                caller -> {
                    caller.poll().head(503);
                    for (int i = 1; i < 3003; i++) {
                        caller.again("/sdk/latest-all").head(i % 1001 < 1000 ? 503 : 200);
                        if (i % 1001 == 1000) {
                            caller.hears(DOCUMENT);
                        }
                    }
                });
        row("LISTEN-01", "a put and patches",
                server -> server.stream().put(FLAG).events(patches(10)),
                caller -> caller.stream().head(200).hears(PUT + patches(10)).silent());
        row("LISTEN-03", "a put and two patches",
                server -> server.stream().put(FLAG).patch(SECOND_FLAG).patch(a(3)),
                caller -> caller.stream().head(200).hears(PUT + PATCH + Wire.change(a(3))));
        row("LISTEN-04", "many patches",
                server -> server.stream().put(FLAG).events(patches(1000)),
                caller -> caller.stream().head(200).hears(PUT + patches(1000)));
        row("CONF-01", "targets as they were sent",
                server -> server.set(FLAG),
                caller -> caller.get("/p%2Fq/sdk/latest-all?filter=a%26b%20c").head(200)
                        .meanwhile(server -> assertEquals("/p%2Fq/sdk/latest-all", server.requests().get(0).path()))
                        .meanwhile(server -> assertEquals("filter=a%26b%20c", server.requests().get(0).query())));
    }
    // spotless:on
}
