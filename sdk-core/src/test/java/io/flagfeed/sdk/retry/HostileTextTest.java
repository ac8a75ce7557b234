package io.flagfeed.sdk.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Megabytes of hostile text (R20). Work is counted in allocated bytes: whoever builds big numbers, splits or copies
 * shows up there. The time-out is no measure: it only ends a search that would go on for minutes.
 */
@Tag("slow")
@Timeout(30)
class HostileTextTest {
    private static final Instant NOW = Instant.parse("2026-01-02T07:00:00Z");
    private static final int MEGABYTE = 1 << 20;
    private static final long TRIFLE = 2_000; // bytes: a few objects
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    record Shape(String start, String repeated, String end, long expected) {
        String text(int length) {
            return start + repeated.repeat(length / repeated.length()) + end;
        }

        @Override
        public String toString() {
            return (start + repeated + "…" + end).replace('\t', ' ').replace('\n', ' ');
        }
    }

    static Stream<Shape> shapes() {
        return Stream.of(
                new Shape("", "9", "", RetryAfter.MAX_SECONDS),
                new Shape("", "0", "", 0),
                new Shape("", "0", "5", 5),
                new Shape("", "9", "x", -1),
                new Shape("x", " ", "x", -1),
                new Shape("x", "\t ", "x", -1),
                new Shape("", ",", "", -1),
                new Shape("", "0,", "", -1),
                new Shape("Fri", ", ", "", -1),
                new Shape("Fri, 02 Jan 2026 07:00:05 GM", "T", "", -1),
                new Shape("", "Friday, 02-Jan-26 07:00:05 GMT", "", -1),
                new Shape("Friday", "y", ", 02-Jan-26 07:00:05 GMT", -1),
                new Shape("Fri Jan ", " ", "2 07:00:05 2026", -1),
                new Shape("-", "1", "", -1),
                new Shape("", "\uff15", "", -1));
    }

    /** Twice the text, at most twice the work, and that no more than the copy of what may be a day's name. */
    @ParameterizedTest
    @MethodSource("shapes")
    void aValueIsCopiedAtMostOnce(Shape shape) {
        String half = shape.text(MEGABYTE / 2);
        String whole = shape.text(MEGABYTE);
        long forHalf = allocated(shape, () -> RetryAfter.parseValue(half, NOW));
        long forWhole = allocated(shape, () -> RetryAfter.parseValue(whole, NOW));
        assertTrue(forHalf <= half.length() + TRIFLE, forHalf + " bytes");
        assertTrue(forWhole <= 2 * forHalf + TRIFLE, forHalf + " and " + forWhole + " bytes");
    }

    /** Another copy, of three bytes for each character at worst, to take off what is around the value. */
    @ParameterizedTest
    @MethodSource("shapes")
    void aLineIsCopiedAtMostTwice(Shape shape) {
        List<String> half = List.of(" " + shape.text(MEGABYTE / 2) + "\t");
        List<String> whole = List.of(" " + shape.text(MEGABYTE) + "\t");
        long forHalf = allocated(shape, () -> RetryAfter.parse(half, NOW));
        long forWhole = allocated(shape, () -> RetryAfter.parse(whole, NOW));
        assertTrue(forHalf <= 3L * half.get(0).length() + TRIFLE, forHalf + " bytes");
        assertTrue(forWhole <= 2 * forHalf + TRIFLE, forHalf + " and " + forWhole + " bytes");
    }

    /** What a call allocates once the code is warm. */
    private static long allocated(Shape shape, Supplier<OptionalLong> parsed) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            OptionalLong seconds = parsed.get();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            assertEquals(shape.expected(), seconds.orElse(-1));
        }
        return least;
    }
}
