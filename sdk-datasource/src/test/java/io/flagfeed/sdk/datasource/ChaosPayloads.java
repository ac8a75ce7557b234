package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.datasource.ChaosFault.Scene;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** What the faults of the chaos soak carry. */
final class ChaosPayloads {
    /** A document that nobody should take for the service's: the answer that holds it is none. */
    static final String LIE = "{\"flags\":{\"lie\":{\"version\":1}},\"segments\":{}}";

    private static final int DEEP = 200_000;
    private static final int LARGE = 3_000_000;

    /** An event as it is said on a stream. */
    record Event(String name, String data) {
        String text() {
            return "event: " + name + "\ndata: " + data + "\n\n";
        }
    }

    private ChaosPayloads() {}

    /** A status that is no good. */
    static int status(Scene scene) {
        return scene.any(400, 401, 403, 404, 405, 407, 408, 418, 429, 500, 502, 503, 504, 599, 204, 206, 304);
    }

    /** Of all sorts. The cap is a second, and few ask for that much, or the soak would do little but wait. */
    static String retryAfter(Random random) {
        List<String> values = List.of(
                "0",
                "0",
                "-1",
                "1.5",
                "soon",
                "",
                " ",
                "0x1",
                "+0",
                "\u00a00",
                "Sun, 06 Nov 1994 08:49:37 GMT",
                "Sunday, 06-Nov-94 08:49:37 GMT",
                "Sun Nov  6 08:49:37 1994",
                "Sun, 31 Feb 2027 08:49:37 GMT",
                "{{httpdate-5s}}",
                "{{httpdate850-60s}}",
                "{{httpdateasctime-1s}}",
                "1, 2",
                "99999999999999999999 s",
                "<html>",
                "x".repeat(5000));
        List<String> slow = List.of("1", "3600", "99999999999999999999", "{{httpdate+120s}}", "{{httpdate+0s}}");
        return random.nextInt(12) == 0
                ? slow.get(random.nextInt(slow.size()))
                : values.get(random.nextInt(values.size()));
    }

    /** An event that breaks the rules, so that a client has to begin anew. */
    static Event bad(Scene scene) {
        String item = "{\"key\":\"x\",\"version\":1}";
        String noNumber = scene.any("\"7\"", "\"no\"", "true", "[1]", "{}", "NaN", "01", "1.");
        return scene.any(
                new Event("put", "{sorry"),
                new Event("put", " "),
                new Event("put", scene.any("null", "[]", "{}", "7", "\"put\"", "{\"path\":\"/\",\"data\":{}}")),
                new Event("put", "{\"data\":{\"flags\":true,\"segments\":{}}}"),
                new Event("put", "{\"data\":{\"flags\":{\"x\":" + item + ",\"y\":7}}}"),
                new Event("put", "{\"data\":{\"flags\":{\"x\":{\"version\":" + noNumber + "}}}}"),
                new Event("put", "{\"data\":{\"flags\":{\"x\":" + item + "}}}}"),
                new Event("put", "{\"data\":" + scene.truth().document() + "} {}"),
                new Event("patch", "{sorry"),
                new Event("patch", "{\"data\":" + item + "}"),
                new Event("patch", "{\"path\":\"/flags/x\"}"),
                new Event("patch", "{\"path\":7,\"data\":" + item + "}"),
                new Event("patch", "{\"path\":\"/flags/x\",\"data\":" + scene.any("true", "[]", "7", "null") + "}"),
                new Event("patch", "{\"path\":\"/flags/x\",\"data\":{\"version\":" + noNumber + "}}"),
                new Event("patch", "{\"path\":\"/flags/x\",\"path\":\"/flags/y\",\"data\":" + item + "}"),
                new Event("patch", "{\"path\":\"/flags/x\",\"data\":" + item + "}}"),
                new Event("delete", "{\"path\":\"/flags/anchor\"}"),
                new Event("delete", "{\"path\":\"/flags/anchor\",\"version\":" + noNumber + "}"),
                new Event("delete", "{\"version\":9}"),
                new Event("delete", "[]"));
    }

    /** An event that is none of a client's business. */
    static Event unknown(Scene scene) {
        return scene.any(
                new Event("whatever", "{sorry"),
                new Event("whatever", ""),
                new Event("Put", "{}"),
                new Event("message", "x"),
                new Event("", "{}"),
                new Event("patch", "{\"path\":\"/cats/Jack\",\"data\":{\"version\":1}}"),
                new Event("patch", "{\"path\":\"flags/x\",\"data\":{\"version\":1}}"),
                new Event("patch", "{\"path\":\"/flags\",\"data\":7}"),
                new Event("delete", "{\"path\":\"/\",\"version\":1}"),
                new Event("delete", "{\"path\":\"\"}"));
    }

    /** News that is older than what every stream has: an item as it was, or its deletion long ago. */
    static Event stale(Scene scene) {
        List<Item> live = scene.truth().live();
        Item item = live.get(scene.random().nextInt(live.size()));
        long version = item.version() - scene.random().nextInt(2); // the same version is no news either
        String path = "{\"path\":" + ChaosItems.quoted("/" + item.kind().wireName() + "/" + item.key());
        return scene.random().nextBoolean()
                ? new Event("delete", path + ",\"version\":" + version + "}")
                : new Event(
                        "patch",
                        path + ",\"data\":"
                                + ChaosItems.item(new ItemKey(item.kind(), item.key()), version)
                                        .json() + "}");
    }

    static Event put(String document) {
        return new Event("put", "{\"path\":\"/\",\"data\":" + document + "}");
    }

    static String deep(Scene scene) {
        String member = scene.any("", "\"data\":", "\"more\":", "\"flags\":{\"x\":", "\"flags\":");
        String open = scene.any("[", "{\"a\":");
        return member.isEmpty() ? open.repeat(DEEP) : "{" + member + open.repeat(DEEP);
    }

    /** Far too large, and no good at its end: no limit is needed to refuse it. */
    static String large(ChaosTruth truth) {
        String document = truth.document();
        return document.substring(0, document.length() - 1) + ",\"more\":\"" + "x".repeat(LARGE) + "\"}}}";
    }

    /** A response that is no HTTP, or stops being it. */
    static byte[] notHttp(Scene scene) {
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
        String text = scene.any(
                "hello\r\n",
                "\r\n\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "HTTP/7.1 " + "<marker>".repeat(3000) + "\r\n\r\n",
                "HTTP/1.1 OK\r\n\r\n",
                "HTTP/1.1 999999999999 x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                head + "Content-Length: no\r\n\r\n{}",
                head + "Content-Length: -1\r\n\r\n{}",
                head + "Content-Length: 99999999999999999999\r\n\r\n{}",
                head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
                head + "Transfer-Encoding: chunked\r\n\r\n5\r\ndata:too long\r\n0\r\n\r\n",
                head + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
                "HTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.1 200 OK\r\n" + "X: y\r\n".repeat(50_000),
                "");
        if (text.isEmpty()) {
            byte[] noise = new byte[1 + scene.random().nextInt(2000)];
            scene.random().nextBytes(noise);
            return noise;
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** An event with its JSON over several lines, and every line ended in any of the three ways. */
    static String anyLineEnds(Event event, Random random) {
        StringBuilder text = new StringBuilder("event:").append(event.name()).append(lineEnd(random));
        text.append(random.nextBoolean() ? ":comment" + lineEnd(random) : "").append("data:");
        boolean quoted = false;
        for (int i = 0; i < event.data().length(); i++) {
            char c = event.data().charAt(i);
            text.append(c);
            if (c == '\\') {
                text.append(event.data().charAt(++i));
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == ',' || c == ':' || c == '{') && random.nextInt(8) == 0) {
                text.append(lineEnd(random)).append(random.nextBoolean() ? "data: " : "data:");
            }
        }
        String end = lineEnd(random);
        String blank = lineEnd(random);
        return text + end + (end.equals("\r") && blank.equals("\n") ? "\r\n" : blank); // or the two would be one end
    }

    private static String lineEnd(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> "\r";
            case 1 -> "\n";
            default -> "\r\n";
        };
    }
}
