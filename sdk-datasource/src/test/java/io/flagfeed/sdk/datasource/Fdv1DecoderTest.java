package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class Fdv1DecoderTest {
    private static final String EMPTY_PUT = "{\"data\":{\"flags\":{},\"segments\":{}}}";

    private static EventDecoder afterPut() throws InvalidDataException {
        EventDecoder decoder = Fdv1Decoder.ofStream();
        assertNotNull(decoder.decode("put", EMPTY_PUT));
        return decoder;
    }

    private static List<Item> flags(String members) throws InvalidDataException {
        ChangeSet changes = Fdv1Decoder.ofPoll().decode("poll", "{\"flags\":{" + members + "}}");
        return assertFull(changes).items();
    }

    private static ChangeSet assertFull(ChangeSet changes) {
        assertEquals(ChangeSet.Type.FULL, changes.type());
        return changes;
    }

    static Stream<Arguments> fullSets() {
        String data = "{\"flags\":{\"a\":{\"version\":2}},\"segments\":{\"s\":{\"version\":3}}}";
        return Stream.of(
                argumentSet("put as the service sends it", "{\"path\":\"/\",\"data\":" + data + "}"),
                argumentSet("put without a path", "{\"data\":" + data + "}"),
                argumentSet("put with the path last", "{\"data\":" + data + ",\"path\":\"/\"}"),
                argumentSet("put with more members", "{\"x\":[{}],\"data\":" + data + ",\"y\":null}"));
    }

    @ParameterizedTest
    @MethodSource("fullSets")
    void putIsAFullSet(String text) throws InvalidDataException {
        ChangeSet changes = assertFull(Fdv1Decoder.ofStream().decode("put", text));
        assertEquals(
                List.of(
                        Item.of(ItemKind.FLAG, "a", 2, "{\"version\":2}"),
                        Item.of(ItemKind.SEGMENT, "s", 3, "{\"version\":3}")),
                changes.items());
    }

    @Test
    void pollBodyIsAFullSetAndOtherTopLevelNamesAreSkipped() throws InvalidDataException {
        ChangeSet changes = Fdv1Decoder.ofPoll()
                .decode("poll", "{\"cats\":{\"Jack\":7},\"segments\":{\"s\":{\"version\":3}},\"flags\":{}} \r\n");
        assertEquals(
                List.of(Item.of(ItemKind.SEGMENT, "s", 3, "{\"version\":3}")),
                assertFull(changes).items());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/flags/a           | FLAG    | a",
                "/segments/s        | SEGMENT | s",
                "/flags/with/slash  | FLAG    | with/slash",
                "/flags/%2F         | FLAG    | %2F",
                "/flags/über        | FLAG    | über",
                "/flags/            | FLAG    | ``",
            })
    void pathNamesTheItem(String path, ItemKind kind, String key) throws InvalidDataException {
        ChangeSet patch = afterPut().decode("patch", "{\"data\":{\"version\":7},\"path\":\"" + path + "\"}");
        assertEquals(ChangeSet.Type.PARTIAL, patch.type());
        assertEquals(List.of(Item.of(kind, key, 7, "{\"version\":7}")), patch.items());
        ChangeSet delete = afterPut().decode("delete", "{\"version\":8,\"path\":\"" + path + "\"}");
        assertEquals(ChangeSet.Type.PARTIAL, delete.type());
        assertEquals(List.of(Item.tombstone(kind, key, 8)), delete.items());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "whatever | {}",
                "whatever | not JSON",
                "message  | {\"path\":\"/flags/a\",\"data\":{\"version\":9}}",
                "patch    | {\"path\":\"/cats/Jack\",\"data\":{}}",
                "patch    | {\"path\":\"/flags\",\"data\":{\"version\":9}}",
                "patch    | {\"path\":\"/cats/Jack\",\"data\":not even JSON",
                "delete   | {\"path\":\"/cats/Jack\",\"version\":\"no\"}",
            })
    void whatIsNotOursIsIgnoredWithoutParsing(String event, String data) throws InvalidDataException { // DATA-10
        assertNull(afterPut().decode(event, data));
    }

    @Test
    void changesBeforeThePutAreNotApplied() throws InvalidDataException { // DATA-03
        EventDecoder decoder = Fdv1Decoder.ofStream();
        assertNull(decoder.decode("patch", "{\"path\":\"/flags/a\",\"data\":{\"version\":5}}"));
        assertNull(decoder.decode("delete", "{\"path\":\"/flags/a\",\"version\":6}"));
        assertThrows(InvalidDataException.class, () -> decoder.decode("patch", "{\"path\":\"/flags/a\"}"));
        decoder.decode("put", EMPTY_PUT);
        assertNotNull(decoder.decode("patch", "{\"path\":\"/flags/a\",\"data\":{\"version\":5}}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "put    | {sorry",
                "put    | ``",
                "put    | null",
                "put    | []",
                "put    | {}",
                "put    | {\"data\":null}",
                "put    | {\"data\":true}",
                "put    | {\"data\":{}}",
                "put    | {\"data\":{\"flags\": true, \"segments\":{}}}",
                "put    | {\"data\":{\"flags\":null}}",
                "put    | {\"data\":{\"flags\":{\"a\":true}}}",
                "put    | {\"data\":{\"flags\":{\"a\":[]}}}",
                "put    | {\"data\":{\"flags\":{}}} {}",
                "put    | {\"data\":{\"flags\":{}}",
                "put    | {\"data\":{\"flags\":{\"a\":{\"version\":1,}}}}",
                "put    | {'data':{'flags':{}}}",
                "patch  | {sorry",
                "patch  | {}",
                "patch  | {\"path\":7,\"data\":{}}",
                "patch  | {\"path\":\"/flags/x\"}",
                "patch  | {\"path\":\"/flags/x\",\"data\":true}",
                "patch  | {\"path\":\"/flags/x\",\"data\":null}",
                "patch  | {\"data\":{\"version\":1}}",
                "patch  | {\"path\":\"/flags/x\",\"data\":{\"version\":1}",
                "delete | {sorry",
                "delete | {\"path\":\"/flags/x\"}",
                "delete | {\"version\":1}",
                "delete | {\"path\":\"/flags/x\",\"version\":\"no\"",
                "delete | {\"path\":\"/flags/x\",\"version\":\"1\"}",
                "delete | {\"path\":\"/flags/x\",\"version\":null}",
                "patch  | {\"path\":\"/flags/x\",\"data\":{\"version\":1},\"path\":\"/flags/y\"}",
                "delete | {\"path\":\"/flags/x\",\"path\":\"/segments/x\",\"version\":1}",
                "patch  | {\"path\":\"/flags/x\",\"data\":{\"version\":1},\"path\":7}",
            })
    void whatDoesNotKeepToTheProtocolIsInvalid(String event, String data) throws InvalidDataException { // DATA-06
        EventDecoder decoder = afterPut();
        InvalidDataException e = assertThrows(InvalidDataException.class, () -> decoder.decode(event, data));
        assertTrue(e.getMessage().matches("(?s)" + event + "( of /flags/x)?: .+"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "null", "[]", "{}", "{\"flags\":null}", "\"flags\"", "<!DOCTYPE html><html></html>"})
    void bodyThatIsNoFlagDataIsInvalid(String body) { // POLL-04, POLL-07
        assertThrows(InvalidDataException.class, () -> Fdv1Decoder.ofPoll().decode("poll", body));
    }

    /** The same for put, patch, delete and poll; what is said of the place differs. */
    @ParameterizedTest
    @ValueSource(strings = {"\"1\"", "\"no\"", "true", "[]", "{}"})
    void versionThatIsNoNumberIsInvalidAndTheMessageNamesTheItem(String version) throws InvalidDataException {
        String item = "{\"version\":" + version + "}";
        assertInvalid(
                Fdv1Decoder.ofPoll(), "poll", "{\"flags\":{\"good\":{},\"a\":" + item + "}}", "$.flags.a.version");
        assertInvalid(
                afterPut(), "put", "{\"data\":{\"flags\":{\"good\":{},\"a\":" + item + "}}}", "$.data.flags.a.version");
        assertInvalid(afterPut(), "patch", "{\"path\":\"/flags/a\",\"data\":" + item + "}", "patch of /flags/a: ");
        assertInvalid(
                afterPut(), "delete", "{\"path\":\"/flags/a\",\"version\":" + version + "}", "delete of /flags/a: ");
    }

    private static void assertInvalid(EventDecoder decoder, String event, String data, String place) {
        InvalidDataException e = assertThrows(InvalidDataException.class, () -> decoder.decode(event, data));
        assertTrue(e.getMessage().contains(place), e.getMessage());
    }

    /** No item costs another one because of a number that is out of all range. */
    @ParameterizedTest
    @CsvSource({
        "1.5, 1",
        "-1.5, -1",
        "1e3, 1000",
        "5.0, 5",
        "0e0, 0",
        "1e-400, 0",
        "9223372036854775808, 9223372036854775807",
        "-9223372036854775809, -9223372036854775808",
        "1e400, 9223372036854775807",
        "-1e999999999999999999999, -9223372036854775808",
        "null, 0"
    })
    void versionThatIsNoIntegerOf64BitsIsCutToOne(String version, long expected) throws InvalidDataException {
        String item = "{\"version\":" + version + "}";
        assertEquals(List.of(Item.of(ItemKind.FLAG, "a", expected, item)), flags("\"a\":" + item));
        assertEquals(
                List.of(Item.of(ItemKind.FLAG, "a", expected, item)),
                afterPut()
                        .decode("patch", "{\"path\":\"/flags/a\",\"data\":" + item + "}")
                        .items());
        if (!version.equals("null")) {
            assertEquals(
                    List.of(Item.tombstone(ItemKind.FLAG, "a", expected)),
                    afterPut()
                            .decode("delete", "{\"path\":\"/flags/a\",\"version\":" + version + "}")
                            .items());
        }
    }

    @Test
    void placeInAMessageIsOneShortLine() throws InvalidDataException {
        String path = "/flags/a\\n\\u0000" + "b".repeat(1000);
        EventDecoder decoder = afterPut();
        InvalidDataException e = assertThrows(
                InvalidDataException.class, () -> decoder.decode("patch", "{\"path\":\"" + path + "\",\"data\":7}"));
        assertTrue(e.getMessage().startsWith("patch of /flags/a??bbb"), e.getMessage());
        assertTrue(e.getMessage().length() < 450, e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 4294967296L, Long.MAX_VALUE, Long.MIN_VALUE})
    void everyVersionOf64BitsCounts(long version) throws InvalidDataException {
        assertEquals(
                version, flags("\"a\":{\"version\":" + version + "}").get(0).version());
    }

    @Test
    void missingVersionCountsAsZero() throws InvalidDataException {
        assertEquals(0, flags("\"a\":{\"on\":true}").get(0).version());
    }

    @Test
    void keyIsThePlaceWhateverTheItemSays() throws InvalidDataException {
        assertEquals("a", flags("\"a\":{\"key\":\"b\",\"version\":1}").get(0).key());
        assertEquals("", flags("\"\":{\"version\":1}").get(0).key());
    }

    @Test
    void nullItemIsNotThereAndCostsNoOther() throws InvalidDataException { // DATA-04
        List<Item> items = flags("\"a\":null,\"b\":{\"version\":1,\"variations\":null,\"x\":[null]}");
        assertEquals(
                List.of(Item.of(ItemKind.FLAG, "b", 1, "{\"version\":1,\"variations\":null,\"x\":[null]}")), items);
        assertEquals(1, Fdv1DecoderTest.flags("\"a\":{\"version\":1}").size());
    }

    @Test
    void deletedItemInAFullSetIsATombstone() throws InvalidDataException {
        assertEquals(List.of(Item.tombstone(ItemKind.FLAG, "a", 4)), flags("\"a\":{\"version\":4,\"deleted\":true}"));
        assertFalse(flags("\"a\":{\"version\":4,\"deleted\":false}").get(0).deleted());
    }

    @Test
    void ofMembersWithTheSameNameTheLastCounts() throws InvalidDataException { // DATA-07
        assertEquals(2, flags("\"a\":{\"version\":1,\"version\":2}").get(0).version());
        List<Item> twice = flags("\"a\":{\"version\":9},\"a\":{\"version\":1}");
        assertEquals(1, twice.get(twice.size() - 1).version());
        assertEquals(List.of(), flags("\"a\":{\"version\":9},\"a\":null"));
        assertFalse(flags("\"a\":{\"deleted\":true,\"deleted\":\"no\"}").get(0).deleted());
        List<Item> wholeTwice = flags("\"a\":{\"version\":9}},\"flags\":{\"b\":{\"version\":1}");
        assertEquals(List.of("b"), wholeTwice.stream().map(Item::key).toList());
        String takenBack = "{\"flags\":{\"a\":{\"version\":1}},\"flags\":null}";
        assertThrows(InvalidDataException.class, () -> Fdv1Decoder.ofPoll().decode("poll", takenBack));
        Item nulls = flags("\"a\":{\"version\":1,\"version\":null,\"deleted\":true,\"deleted\":null}")
                .get(0);
        assertEquals("0 false", nulls.version() + " " + nulls.deleted());
        assertEquals(
                1,
                afterPut()
                        .decode(
                                "patch",
                                "{\"path\":\"/flags/x\",\"data\":{},\"data\":{\"version\":1},\"path\":\"/flags/x\"}")
                        .items()
                        .get(0)
                        .version());
        ChangeSet put = Fdv1Decoder.ofStream()
                .decode("put", "{\"data\":{\"flags\":{\"a\":{\"version\":1}}},\"data\":{\"flags\":{}}}");
        assertEquals(List.of(), put.items());
        assertEquals(List.of(), flags("\"a\":{\"version\":1}},\"flags\":{"));
        assertEquals(List.of(), flags("\"a\":{\"version\":1}},\"segments\":{},\"flags\":null,\"x\":{"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"version\":1,\"n\":1.0,\"big\":123456789012345678901234567890,\"e\":1E-400,\"zero\":-0.0}",
                "{\"version\":1,\"text\":\"<b>&'=\\\"\\\\ é 漢 😀\",\"nested\":{\"a\":[[],{},[null,true,false]]}}",
                "{\"version\":1,\"unknown\":{\"future\":[1,2,{\"x\":\"y\"}]}}",
            })
    void contentSurvivesToTheLetter(String json) throws InvalidDataException {
        assertEquals(json, flags("\"a\":" + json).get(0).json());
    }

    @Test
    void messageNamesThePlaceAndQuotesNoValue() {
        InvalidDataException e =
                assertThrows(InvalidDataException.class, () -> flags("\"a\":{\"version\":\"secret-value\"}"));
        assertTrue(e.getMessage().contains("flags.a.version"), e.getMessage());
        assertFalse(e.getMessage().contains("secret-value"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r", "\u001b", "\u0085", "\u2028", "\u2029", "\u202e"})
    void messageIsOneLineWhateverAKeyHolds(String odd) {
        String key = "x" + (odd.charAt(0) < ' ' ? String.format("\\u%04x", (int) odd.charAt(0)) : odd) + "y";
        InvalidDataException e = assertThrows(InvalidDataException.class, () -> flags("\"" + key + "\":1"));
        assertTrue(e.getMessage().contains("flags.x"), e.getMessage());
        assertFalse(e.getMessage().contains(odd), e.getMessage());
    }

    @Test
    void nestingBeyondAllReasonIsInvalidAndNotAStackOverflow() { // DATA-01
        String deep = "[".repeat(200_000) + "]".repeat(200_000);
        assertThrows(InvalidDataException.class, () -> flags("\"a\":{\"version\":1,\"variations\":" + deep + "}"));
        assertThrows(InvalidDataException.class, () -> Fdv1Decoder.ofPoll().decode("poll", deep));
    }
}
