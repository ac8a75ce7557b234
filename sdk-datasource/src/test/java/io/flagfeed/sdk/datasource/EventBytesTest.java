package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EventBytesTest {
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    /** How many bytes are read when the first event is seen to begin, whatever is read at once; -1 if it never is. */
    private static int firstEvent(String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        int expected = firstEvent(bytes, 1);
        for (int atOnce = 2; atOnce <= bytes.length + 1; atOnce++) {
            int seen = firstEvent(bytes, atOnce);
            int rounded = expected < 0 ? -1 : Math.min((expected + atOnce - 1) / atOnce * atOnce, bytes.length);
            assertEquals(rounded, seen, text + " read " + atOnce + " at once");
        }
        return expected;
    }

    private static int firstEvent(byte[] bytes, int atOnce) throws IOException {
        AtomicInteger told = new AtomicInteger();
        int seen = -1;
        int read = 0;
        InputStream in = new EventBytes(new ByteArrayInputStream(bytes), NO_LIMIT, told::incrementAndGet);
        byte[] buffer = new byte[atOnce];
        for (int count = in.read(buffer, 0, atOnce); count >= 0; count = in.read(buffer, 0, atOnce)) {
            read += count;
            if (seen < 0 && told.get() > 0) {
                seen = read;
            }
        }
        assertEquals(seen < 0 ? 0 : 1, told.get(), "told once at most");
        return seen;
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "event: put, 1",
                "data: {}, 1",
                ":~:~event: put~, 5",
                ":data~~data: x, 8",
                "retry: 5~id: 1~~:~data, 19",
                "``, -1",
                ":, -1",
                ": warming up~:~~:data~, -1",
                "retry: 100~~id: event~~, -1",
                "~~~, -1",
            })
    void firstEventBeginsWithALineThatCarriesOne(String text, int bytes) throws IOException {
        for (String end : new String[] {"\n", "\r"}) {
            assertEquals(bytes, firstEvent(text.replace("~", end)));
        }
        assertEquals(
                bytes < 0
                        ? -1
                        : bytes
                                + text.substring(0, bytes)
                                        .replaceAll("[^~]", "")
                                        .length(),
                firstEvent(text.replace("~", "\r\n")));
    }

    private static void readAll(String text, int limit, int atOnce) throws IOException {
        InputStream in = new EventBytes(new ByteArrayInputStream(text.getBytes(UTF_8)), limit, () -> {});
        byte[] buffer = new byte[atOnce];
        while (in.read(buffer, 0, atOnce) >= 0) {}
    }

    /** The bytes of lines count, not their ends. */
    @ParameterizedTest
    @ValueSource(
            strings = {"data: 34567890", "data: 3456~data", "event: x~data:y", ":23456789012345", "x~:~y~z~data: 5678"})
    void whatIsLongerThanTheLimitIsNotReadToTheEnd(String event) throws IOException {
        int length = event.replaceAll("~|(?<=~):(?=~)", "").length();
        for (String end : new String[] {"\n", "\r", "\r\n"}) {
            for (int atOnce : new int[] {1, 2, 3, 100}) {
                String text = (event + "~~").replace("~", end).repeat(3);
                readAll(text, length, atOnce);
                PayloadTooLargeException e =
                        assertThrows(PayloadTooLargeException.class, () -> readAll(text, length - 1, atOnce));
                assertEquals(
                        (event.startsWith(":") ? "a comment" : "an event") + " is larger than maxEventBytes: "
                                + (length - 1),
                        e.getMessage());
            }
        }
    }

    /** Or a good event would be lost again and again, with a bad one that always comes right behind it. */
    @ParameterizedTest
    @ValueSource(strings = {"data: 2345678", ":2345678", "x~data: 23456"})
    void whatIsCompleteBeforeItIsReadAllTheSame(String event) {
        String good = "data: 1\n\n";
        String text = good + event.replace('~', '\n') + "\n\n";
        for (int atOnce : new int[] {1, 3, 100}) {
            InputStream in = new EventBytes(new ByteArrayInputStream(text.getBytes(UTF_8)), 7, () -> {});
            StringBuilder read = new StringBuilder();
            byte[] buffer = new byte[atOnce];
            for (int i = 0; i < 2; i++) { // and it stays refused
                assertThrows(PayloadTooLargeException.class, () -> {
                    while (true) {
                        read.append(new String(buffer, 0, in.read(buffer, 0, atOnce), UTF_8));
                    }
                });
            }
            assertTrue(read.toString().startsWith(good), read.toString());
        }
    }

    @Test
    void heartbeatsNeverAddUp() throws IOException {
        readAll(":\n".repeat(10_000), 1, 64);
        readAll("data: 1\n\n".repeat(10_000), 7, 64);
    }

    @Test
    void singleBytesAreWatchedToo() throws IOException {
        AtomicInteger told = new AtomicInteger();
        InputStream in = new EventBytes(new ByteArrayInputStream("\ndata".getBytes(UTF_8)), 3, told::incrementAndGet);
        assertEquals('\n', in.read());
        assertEquals('d', in.read());
        assertEquals(1, told.get());
        assertEquals('a', in.read());
        assertEquals('t', in.read());
        assertThrows(PayloadTooLargeException.class, in::read);
        assertEquals(-1, new EventBytes(new ByteArrayInputStream(new byte[0]), 1, () -> {}).read());
    }
}
