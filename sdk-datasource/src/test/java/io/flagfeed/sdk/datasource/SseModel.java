package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A second parser of event streams for the tests, written to the WHATWG's text alone, in the plainest way there is, but
 * for one thing: data are read as they arrive, so that an event has the name that stands before them.
 */
final class SseModel {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    /** One event that was dispatched. */
    record Event(String name, String data) {}

    final List<Event> events = new ArrayList<>();

    /** Whether an event or a comment is over the limit; what came before it stays. */
    boolean tooLarge;

    private final int limit;
    private String name = "";
    private boolean named; // whether the name stood before the data
    private final StringBuilder data = new StringBuilder();
    private long eventBytes;

    private SseModel(int limit) {
        this.limit = limit;
    }

    static SseModel parse(byte[] bytes, int limit) {
        SseModel model = new SseModel(limit);
        boolean marked =
                bytes.length >= 3 && Arrays.equals(Arrays.copyOf(bytes, BYTE_ORDER_MARK.length), BYTE_ORDER_MARK);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int at = marked ? BYTE_ORDER_MARK.length : 0; at < bytes.length && !model.tooLarge; at++) {
            if (bytes[at] != '\n' && bytes[at] != '\r') {
                line.write(bytes[at]);
                continue;
            }
            if (bytes[at] == '\r' && at + 1 < bytes.length && bytes[at + 1] == '\n') {
                at++;
            }
            model.line(line.toByteArray());
            line.reset();
        }
        model.count(line.toByteArray()); // what has no end is no line, but it is there
        return model;
    }

    private void count(byte[] line) {
        if (line.length > 0 && line[0] == ':') {
            tooLarge |= line.length > limit;
        } else {
            eventBytes += line.length;
            tooLarge |= eventBytes > limit;
        }
    }

    private void line(byte[] bytes) {
        count(bytes);
        String line = new String(bytes, UTF_8);
        if (tooLarge || line.startsWith(":")) {
            return;
        }
        if (line.isEmpty()) {
            dispatch();
            return;
        }
        int colon = line.indexOf(':');
        String field = colon < 0 ? line : line.substring(0, colon);
        String value = colon < 0 ? "" : line.substring(colon + 1);
        value = value.startsWith(" ") ? value.substring(1) : value;
        if (field.equals("event") && !named) {
            name = value;
        } else if (field.equals("data")) {
            named |= data.length() == 0 && !name.isEmpty();
            data.append(value).append('\n');
        }
    }

    private void dispatch() {
        if (data.length() > 0) {
            events.add(new Event(name.isEmpty() ? "message" : name, data.substring(0, data.length() - 1)));
        }
        name = "";
        named = false;
        data.setLength(0);
        eventBytes = 0;
    }
}
