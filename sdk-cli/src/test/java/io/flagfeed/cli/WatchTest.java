package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.testing.FakeDataSource;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class WatchTest {
    private final VirtualScheduler time = new VirtualScheduler();
    private final FakeDataSource source = new FakeDataSource();
    private final Printed printed = new Printed();
    private final Watch watch = new Watch(source, time, new JsonDisplay(printed.out));

    @Test
    void summaryCountsConnectedTimeChangesAndFailures() throws Exception {
        watch.start();
        time.advance(Duration.ofSeconds(2)); // nothing yet
        source.fail(Failure.network("refused"), Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));
        source.apply(TestFlags.full(
                TestFlags.segment("s").build(),
                TestFlags.flag("a").rule(0, TestFlags.segmentMatch("s")).build()));
        time.advance(Duration.ofSeconds(10));
        source.fail(Failure.httpStatus(503, OptionalLong.of(3)), Duration.ofSeconds(3));
        time.advance(Duration.ofSeconds(3));
        source.fail(Failure.httpStatus(503, OptionalLong.of(3)), Duration.ofSeconds(3));
        time.advance(Duration.ofSeconds(3));
        source.apply(TestFlags.patch(TestFlags.segment("s").version(2).build())); // "a" changes through it: not counted
        time.advance(Duration.ofSeconds(5));
        assertEquals(new Summary(true, Duration.ofSeconds(24), Duration.ofSeconds(15), 3, 3), watch.end(false));
    }

    @Test
    void neverReadyIsSaidSo() throws Exception {
        watch.start();
        source.fail(Failure.httpStatus(401, OptionalLong.empty()), Duration.ofMinutes(5));
        time.advance(Duration.ofSeconds(7));
        assertEquals(new Summary(false, Duration.ofSeconds(7), Duration.ZERO, 0, 1), watch.end(false));
    }

    @Test
    void linesComeInOrderAndTheSummaryLast() throws Exception {
        watch.start();
        source.apply(TestFlags.full(TestFlags.flag("a").build()));
        time.runDue();
        watch.end(true);
        List<String> types = printed.lines().stream()
                .map(line -> line.replaceAll("^\\{\"type\":\"([a-z]+)\".*", "$1"))
                .toList();
        assertEquals(List.of("status", "change", "status", "status", "snapshot", "summary"), types);
    }
}
