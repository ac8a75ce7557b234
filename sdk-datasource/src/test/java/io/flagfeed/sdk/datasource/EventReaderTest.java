package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of a stream, whatever its bytes and their pieces; {@code FuzzTest} compares it with a second parser. */
final class EventReaderTest {
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    /** Gives away so many bytes at a time. */
    private static InputStream inPieces(byte[] bytes, int atOnce) {
        return new FilterInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return super.read(into, offset, Math.min(length, atOnce));
            }
        };
    }

    /** All that was heard, in order, up to the end. */
    private static List<String> heard(String text, int limit, int atOnce) throws IOException {
        return heard(text.getBytes(UTF_8), limit, atOnce, -1);
    }

    private static List<String> heard(byte[] bytes, int limit, int atOnce, int mostOfData) throws IOException {
        List<String> heard = new ArrayList<>();
        EventReader reader = new EventReader(inPieces(bytes, atOnce), limit, () -> {});
        try {
            reader.read(new EventReader.Listener() {
                @Override
                public void comment() {
                    heard.add("comment");
                }

                @Override
                public void reconnectionTime(long millis) {
                    heard.add("retry " + millis);
                }

                @Override
                public boolean event(String name, InputStream data) throws IOException {
                    ByteArrayOutputStream all = new ByteArrayOutputStream();
                    if (mostOfData < 0) {
                        data.transferTo(all);
                        assertEquals(-1, data.read());
                    }
                    for (int i = 0; i < mostOfData; i++) {
                        int c = data.read();
                        if (c >= 0) {
                            all.write(c);
                        }
                    }
                    heard.add(name + " " + all.toString(UTF_8));
                    return true;
                }
            });
        } catch (EventReader.EndedException e) {
            return heard;
        } catch (PayloadTooLargeException e) {
            heard.add(e.getMessage());
            return heard;
        }
        throw new AssertionError("it goes on for ever");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = ';',
            value = {
                "event: put~data: {}~~; put {}",
                "event:put~data:{}~~; put {}",
                "event:  put~data:  {}~~;` put| {}`",
                "data: x~~; message x",
                "data: x~event: late~~; late x",
                "data: x~event: late~data: y~event: later~~; later x|y",
                "event: a~event: b~data: x~event: c~~; b x",
                "event: a~data: x~data: y~data~data:~data: z~~; a x|y|||z",
                "event: a~data~~; `a `",
                "event: a~data:~~; `a `",
                "event: a~~data: x~~; message x",
                "event: a~data: x~; ``",
                "event: a~data: x~~event: b~data: y; a x",
                ": hi~event: a~:~data: x~: no~data: y~~; comment,comment,a x|y",
                "id: 7~retry: 5~data: x~~; retry 5,message x",
                "retry:5~retry: 05~retry: +5~retry:~retry: 5a~retry~; retry 5,retry 5",
                "retry: 99999999999999999999~; retry 9223372036854775807",
                "datax: 1~dat: 2~events: 3~Data: 4~ data: 5~:data: 6~; comment",
                "~~~data: x~~~; message x",
                "event: put~data: caf\u00e9 \ud83d\ude00\u2028~~; put caf\u00e9 \ud83d\ude00\u2028",
            })
    void whatIsHeardOfAStream(String text, String expected) throws IOException {
        List<String> all = expected.isEmpty()
                ? List.of()
                : List.of(expected.replace('|', '\n').split(",", -1));
        for (String lineEnd : new String[] {"\n", "\r", "\r\n"}) {
            String stream = text.replace("~", lineEnd);
            if (expected.startsWith(" put|")) {
                all = List.of(" put " + " {}");
            }
            for (int atOnce : new int[] {1, 2, 3, 5, 7, 1000}) {
                assertEquals(all, heard(stream, NO_LIMIT, atOnce), stream);
            }
        }
    }

    /** Whatever they are, and wherever they are cut. */
    @Test
    void bytesOfDataComeThroughAsTheyAre() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 2_000; round++) {
            byte[] data = new byte[random.nextInt(400)];
            for (int i = 0; i < data.length; i++) {
                data[i] = (byte) random.nextInt(' ', 256);
            }
            byte[] good = "\u00e9\u65d7\ud83d\ude00".repeat(random.nextInt(60)).getBytes(UTF_8);
            byte[] stream = joined("event: a\ndata: ".getBytes(UTF_8), good, data, "\n\n".getBytes(UTF_8));
            String expected = "a " + new String(joined(good, data), UTF_8);
            int atOnce = random.nextInt(1, 30);
            assertEquals(List.of(expected), heard(stream, NO_LIMIT, atOnce, -1));
            assertEquals(List.of(expected), heard(stream, NO_LIMIT, atOnce, 2000)); // one by one
        }
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** What nobody has read of an event is no part of the next. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 20_000, 100_000})
    void dataNeedNotBeRead(int most) throws IOException {
        String large = "x".repeat(50_000);
        String text = "event: a\ndata: " + large + "\ndata: " + large + "\n\nevent: b\ndata: y\n\n";
        List<String> heard = heard(text.getBytes(UTF_8), NO_LIMIT, 1000, most);
        assertEquals(2, heard.size());
        assertEquals(2 + Math.min(most, 100_001), heard.get(0).length());
        assertEquals(most == 0 ? "b " : "b y", heard.get(1));
    }

    @Test
    void readingEndsWhenTheListenerWantsNoMore() throws IOException {
        AtomicInteger events = new AtomicInteger();
        EventReader reader =
                new EventReader(new ByteArrayInputStream("data: 1\n\ndata: 2\n\n".getBytes(UTF_8)), NO_LIMIT, () -> {});
        reader.read(new EventReader.Listener() {
            @Override
            public void comment() {}

            @Override
            public void reconnectionTime(long millis) {}

            @Override
            public boolean event(String name, InputStream data) {
                events.incrementAndGet();
                return false;
            }
        });
        assertEquals(1, events.get());
    }

    /** How many bytes were given when the first event is seen to begin; -1 if it never is. */
    private static int firstEvent(String text, int atOnce) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        AtomicInteger given = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger(-1);
        AtomicInteger told = new AtomicInteger();
        InputStream counting = new FilterInputStream(inPieces(bytes, atOnce)) {
            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                int read = super.read(into, offset, length);
                given.addAndGet(Math.max(read, 0));
                return read;
            }
        };
        EventReader reader = new EventReader(counting, NO_LIMIT, () -> {
            told.incrementAndGet();
            seen.set(given.get());
        });
        assertThrows(
                EventReader.EndedException.class,
                () -> reader.read(new EventReader.Listener() {
                    @Override
                    public void comment() {}

                    @Override
                    public void reconnectionTime(long millis) {}

                    @Override
                    public boolean event(String name, InputStream data) {
                        return true;
                    }
                }));
        assertEquals(seen.get() < 0 ? 0 : 1, told.get(), "told once at most");
        return seen.get();
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
        for (String end : new String[] {"\n", "\r", "\r\n"}) {
            String before = bytes < 0 ? "" : text.substring(0, bytes);
            int ends = before.length() - before.replace("~", "").length();
            int expected = bytes < 0 ? -1 : bytes + ends * (end.length() - 1);
            assertEquals(expected, firstEvent(text.replace("~", end), 1));
            assertTrue(firstEvent(text.replace("~", end), 1000) >= expected);
        }
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
                assertTrue(heard(text, length, atOnce).size() >= 3);
                List<String> refused = heard(text, length - 1, atOnce);
                assertEquals(
                        (event.startsWith(":") ? "a comment" : "an event") + " is larger than maxEventBytes: "
                                + (length - 1),
                        refused.get(refused.size() - 1));
            }
        }
    }

    /** Or a good event would be lost again and again, with a bad one that always comes right behind it. */
    @ParameterizedTest
    @ValueSource(strings = {"data: 2345678", ":2345678", "x~data: 23456"})
    void whatIsCompleteBeforeItIsHeardAllTheSame(String event) throws IOException {
        String text = "data: 1\n\n" + event.replace('~', '\n') + "\n\n";
        for (int atOnce : new int[] {1, 3, 100}) {
            assertEquals("message 1", heard(text, 7, atOnce).get(0));
        }
    }

    @Test
    void heartbeatsNeverAddUp() throws IOException {
        assertEquals(10_000, heard(":\n".repeat(10_000), 1, 64).size());
        assertEquals(10_000, heard("data: 1\n\n".repeat(10_000), 7, 64).size());
        assertEquals(
                1,
                heard("event: a\n" + ": hello\n".repeat(10_000) + "data: 1\n\n", 16, 64).stream()
                        .filter(heard -> heard.equals("a 1"))
                        .count());
    }

    @Test
    void bytesAreCountedUpToTheEndOfTheEvent() throws IOException {
        RandomGenerator random = new SplittableRandom(6);
        byte[] bytes = "event: a\r\ndata: x\r\n\r\n:\r\nevent: b\r\ndata: y\r\n\r\n".getBytes(UTF_8);
        List<Long> counts = new ArrayList<>();
        EventReader reader = new EventReader(inPieces(bytes, random.nextInt(1, 9)), NO_LIMIT, () -> {});
        assertThrows(
                EventReader.EndedException.class,
                () -> reader.read(new EventReader.Listener() {
                    @Override
                    public void comment() {}

                    @Override
                    public void reconnectionTime(long millis) {}

                    @Override
                    public boolean event(String name, InputStream data) throws IOException {
                        data.transferTo(OutputStream.nullOutputStream());
                        counts.add(reader.takeCount());
                        return true;
                    }
                }));
        assertEquals(List.of(20L, 24L), counts); // a CR that ends a line is told before its LF is there
    }
}
