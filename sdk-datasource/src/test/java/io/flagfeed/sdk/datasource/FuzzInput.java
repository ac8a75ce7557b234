package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** What a service might send, and then some: valid input of every shape, most of it damaged in a few places. */
final class FuzzInput {
    /** Stands in every string value, so that a message that quotes one is found. */
    static final String VALUE = "v4lue";

    private static final String[] KEYS = {"a", "b", "c", "", "a/b", "ünï", "%2F", "__proto__", "𝒳", "k y"};
    private static final String[] NAMES = {
        "event", "data", "id", "retry", "Data", "data ", "\uFEFFdata", "dat", "x", "event\u0000", "ev\u00E9nt"
    };
    private static final String[] TOKENS = {
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "\r\r",
        "\r\n\r\n",
        ":",
        "\n:",
        ": x\n",
        "data:",
        "data",
        "\ndata: ",
        "event: put\n",
        "event:",
        "\nretry: 10\n",
        "retry: 99999999999999999999\n",
        "retry:\n",
        "id: \u0000\n",
        "\uFEFF",
        "\u0000",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        "\\u",
        "\\ud800",
        ",",
        "null",
        "true",
        "NaN",
        "1e999",
        "-",
        "0",
        "9223372036854775808",
        "\"version\":",
        "\"deleted\":true,",
        "\"path\":\"/flags/a\",",
        "\"flags\":{},",
        "\"flags\":null,",
        "\"a\":null,",
        "\"data\":",
        "/*",
        "//",
        "#",
        ")]}'\n",
        "'",
        "\t",
        " ",
        "\u2028",
        "\u0085"
    };
    private static final int[] BYTES = {
        0x00, 0x0A, 0x0D, 0x22, 0x7F, 0x80, 0xBF, 0xC0, 0xE2, 0xED, 0xEF, 0xF0, 0xFE, 0xFF
    };

    private final RandomGenerator random;

    FuzzInput(RandomGenerator random) {
        this.random = random;
    }

    private boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    private String one(String... of) {
        return of[random.nextInt(of.length)];
    }

    byte[] stream() {
        if (oneIn(20)) {
            return noise();
        }
        StringBuilder text = new StringBuilder(oneIn(10) ? "\uFEFF" : "");
        String end = one("\n", "\n", "\r\n", "\r");
        for (int i = random.nextInt(6); i >= 0; i--) {
            text.append(event(oneIn(10) ? one("\n", "\r\n", "\r") : end, text.length() < 2));
        }
        return damaged(text.toString().getBytes(UTF_8));
    }

    byte[] poll() {
        return oneIn(20) ? noise() : damaged(((oneIn(10) ? "\uFEFF" : "") + full()).getBytes(UTF_8));
    }

    private String event(String end, boolean first) {
        String data = switch (first && !oneIn(5) ? 0 : random.nextInt(8)) {
            case 0, 1 -> fields(end, "put", one("{\"path\":\"/\",\"data\":", "{\"data\":") + full() + "}");
            case 2, 3 -> fields(end, "patch", object("\"path\":" + path(), "\"data\":" + item()));
            case 4 -> fields(end, "delete", object("\"path\":" + path(), "\"version\":" + version()));
            case 5 -> ":" + one("", " ", "hello", " data: x") + end;
            case 6 -> one(NAMES) + one(":", ": ", "", ":  ") + one("7", "", "put", "10", "x") + end;
            default -> fields(end, one("hello", "Put", "put ", "PATCH", "message", ""), one("{}", "x", item()));
        };
        return data + (oneIn(15) ? "" : end);
    }

    private String fields(String end, String name, String json) {
        String event = "event:" + one(" ", " ", "") + name + end;
        String data = "data:" + one(" ", " ", "") + (oneIn(3) ? json.replace(",", "," + end + "data: ") : json) + end;
        String between = oneIn(8) ? one("id: 1", ": x", "retry: 5", "retry: 99999999999999999999", "x: y") + end : "";
        return oneIn(5) ? data + between + event : event + between + data;
    }

    private String path() {
        return "\"" + one("/flags/", "/flags/", "/segments/", "/flags", "/", "/cats/", "flags/") + one(KEYS) + "\"";
    }

    private String full() {
        List<String> members = new ArrayList<>();
        for (String kind : new String[] {"flags", "segments", one("flags", "segments", "more", "Flags")}) {
            if (!oneIn(6)) {
                List<String> items = new ArrayList<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    items.add("\"" + one(KEYS) + "\":" + (oneIn(12) ? one("null", "[]", "1", "true") : item()));
                }
                members.add("\"" + kind + "\":" + (oneIn(15) ? "null" : object(items.toArray(String[]::new))));
            }
        }
        return object(members.toArray(String[]::new));
    }

    private String item() {
        List<String> members = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            members.add(
                    switch (random.nextInt(7)) {
                        case 0, 1, 2 -> "\"version\":" + version();
                        case 3 -> "\"deleted\":" + one("true", "false", "null", "\"true\"", "1");
                        case 4 -> "\"key\":\"" + one(KEYS) + "\"";
                        default -> "\"" + one("x", "rules", "x\\u0079", "<&>") + "\":" + value(0);
                    });
        }
        return object(members.toArray(String[]::new));
    }

    private String version() {
        return switch (random.nextInt(12)) {
            case 0 ->
                one("null", "\"1\"", "true", "{}", "1.5", "-0", "1e2", "1E-5", "1e999", "-1e999", "0.9999999999999");
            case 1 -> one("9223372036854775807", "9223372036854775808", "-9223372036854775809", "2147483648");
            default -> Integer.toString(random.nextInt(-1, 6));
        };
    }

    private String value(int depth) {
        if (depth == 0 && oneIn(150)) {
            int deep = random.nextInt(240, 270);
            return "[".repeat(deep) + "]".repeat(deep);
        }
        return switch (random.nextInt(depth > 2 ? 6 : 8)) {
            case 0 -> one("null", "true", "false");
            case 1 -> one("1", "-1.50", "1e400", "0.1e-9", "123456789012345678901234567890");
            case 2, 3 -> "\"" + VALUE + one("", "\\n", "\\ud800", "\\u0000", "é", "\u2028", "</script>") + "\"";
            case 4, 5 -> "\"" + VALUE + "\"";
            case 6 -> "[" + value(depth + 1) + "," + value(depth + 1) + "]";
            default -> object("\"x\":" + value(depth + 1), "\"version\":" + value(depth + 1));
        };
    }

    private String object(String... members) {
        List<String> all = new ArrayList<>(Arrays.asList(members));
        if (!all.isEmpty() && oneIn(8)) {
            all.add(all.get(random.nextInt(all.size()))); // twice
        }
        if (all.size() > 1 && oneIn(4)) {
            all.add(all.remove(0));
        }
        String blank = oneIn(6) ? one(" ", "\t", "  ") : "";
        return "{" + blank + String.join("," + blank, all) + blank + "}";
    }

    private byte[] noise() {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] damaged(byte[] input) {
        byte[] bytes = input;
        for (int i = oneIn(2) ? 0 : random.nextInt(1, 5); i > 0; i--) {
            int at = random.nextInt(bytes.length + 1);
            int to =
                    oneIn(3) ? random.nextInt(at, bytes.length + 1) : Math.min(bytes.length, at + random.nextInt(1, 5));
            byte[] part = Arrays.copyOfRange(bytes, at, to);
            bytes = switch (random.nextInt(7)) {
                case 0 ->
                    spliced(bytes, at, Math.min(at + 1, bytes.length), (byte) BYTES[random.nextInt(BYTES.length)]);
                case 1 -> spliced(bytes, at, at, (byte) BYTES[random.nextInt(BYTES.length)]);
                case 2 -> spliced(bytes, at, at, one(TOKENS).getBytes(UTF_8));
                case 3 -> spliced(bytes, at, to, one(TOKENS).getBytes(UTF_8));
                case 4 -> spliced(bytes, at, to);
                case 5 -> spliced(bytes, at, at, part);
                default -> oneIn(3) ? Arrays.copyOf(bytes, at) : spliced(bytes, random.nextInt(at + 1), at, part);
            };
        }
        return bytes;
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte... part) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(bytes, 0, from);
        all.write(part, 0, part.length);
        all.write(bytes, to, bytes.length - to);
        return all.toByteArray();
    }

    /** For people: bytes that are no printable ASCII escaped. */
    static String shown(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (char c : new String(bytes, ISO_8859_1).toCharArray()) {
            text.append(c >= ' ' && c <= '~' ? String.valueOf(c) : String.format("\\x%02x", (int) c));
        }
        return text.toString();
    }
}
