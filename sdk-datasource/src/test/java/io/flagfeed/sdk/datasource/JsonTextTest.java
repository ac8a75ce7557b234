package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.Item;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * That cutting items out as they arrive comes to what Gson makes of the whole text, whatever the text and its pieces.
 *
 * <p>{@code -Dfuzz.rounds=100000} makes more random texts, {@code -Dfuzz.seed=42} others.
 */
final class JsonTextTest {
    private static final int ROUNDS = Integer.getInteger("fuzz.rounds", 400) * 50;
    private static final long SEED = Long.getLong("fuzz.seed", 1);

    private static final List<String> VALUES = List.of(
            "1",
            "-0",
            "0",
            "12.50",
            "1e5",
            "-1.5E-3",
            "1E400",
            "9223372036854775808",
            "123456789012345678901234567890",
            "true",
            "false",
            "null",
            "\"\"",
            "\"text\"",
            "\"caf\u00e9\"",
            "\"\\u00e9\"",
            "\"a\\/b\"",
            "\"a\\\\b\\\"c\"",
            "\"\\u003c\"",
            "\"\u2028\"",
            "\"\\u2028\"",
            "\"\\b\\f\\n\\r\\t\\u0001\"",
            "\"\ud83d\ude00\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\ud83d\"",
            "\"\u007f\"",
            "{}",
            "[]",
            "[1,2,[3]]",
            "{\"a\":{\"version\":9}}",
            "[ 1 , {\"deleted\" : true } ]",
            "{ }",
            "[ ]");
    private static final List<String> WRONG = List.of(
            "01",
            "+1",
            "1.",
            ".5",
            "1e",
            "--1",
            "NaN",
            "Infinity",
            "truex",
            "True",
            "nul",
            "\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "'a'",
            "a",
            "{",
            "[",
            "}",
            "]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{,}",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{\"a\" 1}",
            "{a:1}",
            "\"tab\tin it\"",
            "// no",
            "/* no */ 1",
            "#",
            ";",
            "=",
            "1;",
            "\u00001",
            "\ufeff1",
            "12abc",
            "{\"a\":1 \"b\":2}",
            "\"\\ud8\"",
            "1/",
            "[1}",
            "{\"a\":1]",
            "\u00a01",
            "\u20281");

    /**
     * How many chars Gson holds. Of a control character in a string it says where the string began, or its last escape
     * ended, or the buffer was filled anew in it, which is elsewhere if Gson has seen only the rest of the text.
     */
    private static final int GSON_BUFFER = 1024;

    /** What either decoder makes of a text: items with their text, or the message. */
    private interface Outcome {
        ChangeSet get() throws InvalidDataException;
    }

    private static String shown(Outcome outcome) {
        ChangeSet changes;
        try {
            changes = outcome.get();
        } catch (InvalidDataException e) {
            // in an array that is skipped, Gson's index is one that is left over from what it skipped before
            return "invalid: " + e.getMessage().replaceAll("\\[\\d+]", "[]");
        }
        if (changes == null) {
            return "nothing";
        }
        StringBuilder all = new StringBuilder(changes.type().toString());
        for (Item item : changes.items()) {
            all.append('\n').append(item).append(' ').append(item.json());
        }
        return all.toString();
    }

    /** Of a buffer: mostly one that holds next to nothing, so that everything is read on in the midst of. */
    private static int bytes(RandomGenerator random) {
        return random.nextInt(4) == 0 ? JsonText.SMALL : 1 + random.nextInt(40);
    }

    /** Gives away so many bytes at a time. */
    private static InputStream inPieces(String text, RandomGenerator random) {
        return new FilterInputStream(new ByteArrayInputStream(text.getBytes(UTF_8))) {
            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                int most = random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(3000);
                return super.read(into, offset, Math.min(length, most));
            }
        };
    }

    private static void assertSameAsGson(String event, String given, RandomGenerator random) {
        String text = new String(given.getBytes(UTF_8), UTF_8); // half a surrogate pair is none in bytes
        String expected = shown(() -> {
            if (event.equals("poll")) {
                return GsonDecoder.poll(text);
            }
            GsonDecoder gson = GsonDecoder.ofStream();
            gson.decode("put", "{\"data\":{\"flags\":{}}}");
            return gson.decode(event, text);
        });
        String actual = shown(() -> {
            if (event.equals("poll")) {
                return Fdv1Decoder.ofPoll(bytes(random)).decode(event, inPieces(text, random));
            }
            EventDecoder decoder = Fdv1Decoder.ofStream(bytes(random), bytes(random));
            decoder.decode("put", "{\"data\":{\"flags\":{}}}");
            return decoder.decode(event, inPieces(text, random));
        });
        if (text.length() >= GSON_BUFFER && expected.contains("control characters")) {
            expected = withoutColumn(expected);
            actual = withoutColumn(actual);
        }
        assertEquals(expected, actual, () -> event + ": " + text);
    }

    private static String withoutColumn(String message) {
        return message.replaceFirst(" column \\d+ path", " path");
    }

    private static String any(List<String> of, RandomGenerator random) {
        return of.get(random.nextInt(of.size()));
    }

    private static String space(RandomGenerator random) {
        return random.nextInt(6) == 0 ? any(List.of(" ", "\n", "\r\n", "\t", "  \n "), random) : "";
    }

    private static String object(RandomGenerator random, int depth) {
        StringBuilder text = new StringBuilder(space(random)).append("{").append(space(random));
        int members = random.nextInt(5);
        for (int i = 0; i < members; i++) {
            String name = any(
                    List.of(
                            "version",
                            "version",
                            "deleted",
                            "key",
                            "a\\u0062",
                            "vers\\u0069on",
                            "on",
                            "rules",
                            "\u00e9",
                            "x".repeat(90)),
                    random);
            String value = random.nextInt(8) == 0 && depth < 4
                    ? object(random, depth + 1)
                    : name.equals("version") && random.nextInt(4) > 0 ? "" + random.nextInt(100) : any(VALUES, random);
            text.append(i == 0 ? "" : ",")
                    .append(space(random))
                    .append('"')
                    .append(name)
                    .append("\"")
                    .append(space(random))
                    .append(":")
                    .append(space(random))
                    .append(value)
                    .append(space(random));
        }
        return text.append("}").append(space(random)).toString();
    }

    private static String set(RandomGenerator random) {
        StringBuilder text = new StringBuilder(space(random)).append("{");
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            String key = any(
                    List.of("a", "b", "c", "", "a/b", "\\u0061", "q\\\"q", "\ud83d\ude00", "k".repeat(200)), random);
            String item = random.nextInt(9) == 0 ? any(VALUES, random) : object(random, 0);
            text.append(i == 0 ? "" : ",")
                    .append(space(random))
                    .append('"')
                    .append(key)
                    .append("\":")
                    .append(item);
        }
        return text.append("}").append(space(random)).toString();
    }

    private static String full(RandomGenerator random) {
        List<String> members = new ArrayList<>();
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            String name = any(List.of("flags", "segments", "flags", "other"), random);
            String value = random.nextInt(6) == 0 ? any(VALUES, random) : set(random);
            members.add("\"" + name + "\":" + value);
        }
        return "{" + String.join(",", members) + space(random) + "}";
    }

    private static String text(String event, RandomGenerator random) {
        List<String> members = new ArrayList<>();
        switch (event) {
            case "poll" -> {
                return space(random) + full(random) + space(random);
            }
            case "put" -> {
                members.add("\"path\":" + any(VALUES, random));
                members.add("\"data\":" + full(random));
            }
            case "patch" -> {
                members.add(
                        "\"path\":\"" + any(List.of("/flags/a", "/segments/", "/cats/x", "/flags\\/b"), random) + "\"");
                members.add("\"data\":" + (random.nextInt(5) == 0 ? any(VALUES, random) : object(random, 0)));
            }
            default -> {
                members.add("\"path\":\"/flags/a\"");
                members.add("\"version\":" + any(VALUES, random));
            }
        }
        if (random.nextInt(4) == 0) {
            members.add("\"" + any(List.of("more", "path", "data", "version"), random) + "\":" + any(VALUES, random));
        }
        if (random.nextBoolean()) {
            java.util.Collections.reverse(members);
        }
        return space(random) + "{" + String.join("," + space(random), members) + "}" + space(random);
    }

    /** Half of the texts are broken: cut, with something in them, or with something wrong in place of something. */
    @ParameterizedTest
    @ValueSource(strings = {"poll", "put", "patch", "delete"})
    void anyTextIsWhatGsonMakesOfIt(String event) {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            String text = text(event, random);
            int place = random.nextInt(text.length() + 1);
            int second = Math.min(text.length(), place + random.nextInt(3));
            String tried = switch (random.nextInt(8)) {
                case 0 -> text.substring(0, place);
                case 1 -> text.substring(0, place) + any(WRONG, random) + text.substring(place);
                case 2 -> text.substring(0, place) + any(WRONG, random) + text.substring(second);
                case 3 -> text.substring(0, place) + text.substring(second);
                default -> text;
            };
            try {
                assertSameAsGson(event, tried, random);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + SEED + ", round " + round, e);
            }
        }
    }

    /** Everywhere in a small text. */
    @Test
    void everyWrongThingIsFoundWhereGsonFindsIt() {
        SplittableRandom random = new SplittableRandom(1);
        String text = "{\"path\":\"/\",\n\"data\":{\"flags\":{\"a\":{\"version\":1,\"x\":[true,{}]},\"b\":null}}}";
        for (String wrong : WRONG) {
            for (int place = 0; place <= text.length(); place++) {
                assertSameAsGson("put", text.substring(0, place) + wrong + text.substring(place), random);
            }
        }
    }

    /** Before, behind and where Gson's buffer ends. */
    @Test
    void aControlCharacterIsFoundInWhateverLengthOfText() {
        SplittableRandom random = new SplittableRandom(2);
        for (int length = 0; length <= 2 * GSON_BUFFER; length += 5) {
            String text = "{\"flags\":{\"a\":{\"x\":\"" + "x".repeat(length) + "\"},\n\"" + "k".repeat(30);
            assertSameAsGson("poll", text + "\t\":{}}}", random);
            assertSameAsGson("poll", text + "\":{\"" + "y".repeat(30) + "\n\":1}}}", random);
        }
    }

    private static List<String> eachKindOfValue() {
        return List.of(
                "-12.50e-30",
                "0.1E+2",
                "-0",
                "true",
                "false",
                "null",
                "\"\u00e9 \\\"\\\\\\b\\f\\n\\r\\t\"",
                "\"\\uc0aF\\/\"",
                "{}",
                "[]",
                "[7,{\"\\n\u00e9\":[]},8]");
    }

    /**
     * In every state of the grammar, before what is there and in its place, kept and skipped; each value alone, for
     * Gson reads once more whatever is kept with something odd in it.
     */
    @ParameterizedTest
    @MethodSource("eachKindOfValue")
    void everyByteMeansWhatItMeansToGson(String value) {
        SplittableRandom random = new SplittableRandom(4);
        String before = "{\"flags\":{\"a\":";
        String text = before + "{\"v\":" + value + ",\"w\":[" + value + "],\"x\":{\"v\":" + value + "}}},\"y\":" + value
                + "}";
        String bytes = "\"\\/{}[],:-+.0179abcdefghlnrstuxABEFG \n\r\t\f\u0000\u001f\u007f\u00e9\u2028;=";
        for (int place = before.length(); place < text.length(); place++) {
            for (int i = 0; i < bytes.length(); i++) {
                char c = bytes.charAt(i);
                assertSameAsGson("poll", text.substring(0, place) + c + text.substring(place + 1), random);
                assertSameAsGson("poll", text.substring(0, place) + c + text.substring(place), random);
            }
        }
    }

    /** Gson would come to the same, but it takes much longer. */
    @ParameterizedTest
    @MethodSource("eachKindOfValue")
    void whatServicesWriteIsNotLeftToGson(String value) throws IOException {
        String item = "{\"version\" :12, \"v\":" + value + ",\"w\":[" + value + "\n],\"x\":{\"v\":" + value + "}}";
        for (int buffer = 1; buffer < 40; buffer++) {
            JsonText in = new JsonText(buffer);
            in.read(new ByteArrayInputStream(("{\"a\":" + item + ",\"b\":" + item + "}").getBytes(UTF_8)));
            in.beginObject();
            assertEquals("a", in.nextName());
            in.skipValue();
            assertEquals("b", in.nextName());
            JsonText.Value cut = in.object();
            assertNotNull(cut);
            assertEquals(!value.contains("\\u") && !value.contains("\\/"), cut.canonical());
            assertEquals("12", cut.version());
            assertNull(in.nextName());
            assertTrue(in.atEnd());
            assertThrows(IllegalStateException.class, in::rest);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 199, 200, 201, 250, 251, 252, 253, 254, 255, 256, 1000, 100_000})
    void nestingEndsWhereGsonEndsIt(int depth) {
        SplittableRandom random = new SplittableRandom(2);
        String deep = "[".repeat(depth) + "]".repeat(depth);
        assertSameAsGson("poll", "{\"flags\":{\"a\":{\"x\":" + deep + "}}}", random);
        assertSameAsGson("patch", "{\"path\":\"/flags/a\",\"data\":{\"x\":" + deep + "}}", random);
        assertSameAsGson("put", "{\"other\":" + deep + ",\"data\":{\"flags\":{}}}", random);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 299, 300, 301, 1000, 1023, 1024, 1025, 5000})
    void numbersEndWhereGsonEndsThem(int digits) {
        SplittableRandom random = new SplittableRandom(3);
        String number = "1".repeat(digits);
        assertSameAsGson("poll", "{\"flags\":{\"a\":{\"x\":" + number + ",\"version\":" + number + "}}}", random);
        assertSameAsGson("delete", "{\"path\":\"/flags/a\",\"version\":" + number + "}", random);
    }

    /** One far larger than the memory that is kept, among others. */
    @Test
    void largeItemsAreCutOutWhole() throws InvalidDataException {
        String large = "x".repeat(300_000);
        EventDecoder decoder = Fdv1Decoder.ofStream();
        ChangeSet put = decoder.decode(
                "put", "{\"data\":{\"flags\":{\"a\":{\"v\":1},\"b\":{\"x\":\"" + large + "\"},\"c\":{\"v\":2}}}}");
        assertEquals(
                List.of("{\"v\":1}", "{\"x\":\"" + large + "\"}", "{\"v\":2}"),
                put.items().stream().map(Item::json).toList());
        ChangeSet patch = decoder.decode("patch", "{\"data\":{\"x\":\"" + large + "\"},\"path\":\"/flags/a\"}");
        assertTrue(patch.items().get(0).json().length() > large.length());
        assertEquals(
                1,
                decoder.decode("patch", "{\"path\":\"/flags/a\",\"data\":{}}")
                        .items()
                        .size());
    }

    /** It is not the text that is wrong then. */
    @Test
    void whatTheSourceThrowsComesOutAsItIs() {
        IOException broken = new IOException("reset");
        for (int good = 0; good < 60; good++) {
            String text = "{\"data\":{\"flags\":{\"a\":{\"version\":1,\"x\":\"\\u00e9 wrong \ud83d\"}, }}}"
                    .substring(0, good);
            InputStream reader = new FilterInputStream(new ByteArrayInputStream(text.getBytes(UTF_8))) {
                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    int read = super.read(into, offset, length);
                    if (read < 0) {
                        throw broken;
                    }
                    return read;
                }
            };
            for (String event : List.of("put", "patch")) {
                UncheckedIOException e = assertThrows(
                        UncheckedIOException.class, () -> Fdv1Decoder.ofStream().decode(event, reader), text);
                assertSame(broken, e.getCause());
            }
        }
    }
}
