package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LiveOutputTest {
    private final AtomicInteger unread = new AtomicInteger();

    @Test
    void linesArriveInUtf8AtOnce() {
        Printed printed = new Printed();
        PrintStream live = LiveOutput.on(printed.out, unread::incrementAndGet);
        live.println("● VALID");
        assertEquals("● VALID" + System.lineSeparator(), printed.text());
        assertEquals(0, unread.get());
    }

    @Test
    void closedPipeIsSaidAndThrowsNothing() {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        PrintStream live =
                LiveOutput.on(new PrintStream(broken, false, StandardCharsets.UTF_8), unread::incrementAndGet);
        live.println("● VALID");
        assertTrue(unread.get() > 0);
    }
}
