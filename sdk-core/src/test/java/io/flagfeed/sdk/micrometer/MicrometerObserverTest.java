package io.flagfeed.sdk.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.DataSourceStatus;
import io.flagfeed.sdk.DataSourceStatus.State;
import io.flagfeed.sdk.ErrorInfo;
import io.flagfeed.sdk.Observer.Applied;
import io.flagfeed.sdk.retry.Failure;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MicrometerObserverTest {
    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final MicrometerObserver observer = new MicrometerObserver(registry, Tags.of("environment", "production"));

    private double count(String name) {
        return registry.get(name).tag("environment", "production").counter().count();
    }

    private double gauge(String name) {
        return registry.get(name).tag("environment", "production").gauge().value();
    }

    private void move(State state, Instant confirmed) {
        observer.statusMoved(new DataSourceStatus(state, confirmed, null, confirmed, null));
    }

    @Test
    void allMetersAreThereFromTheBeginning() {
        assertEquals(
                List.of(
                        "flagfeed.apply",
                        "flagfeed.attempts",
                        "flagfeed.changes",
                        "flagfeed.connected",
                        "flagfeed.data.age",
                        "flagfeed.decode",
                        "flagfeed.failures",
                        "flagfeed.listener.failures",
                        "flagfeed.received"),
                List.copyOf(new TreeSet<>(registry.getMeters().stream()
                        .map(Meter::getId)
                        .map(Meter.Id::getName)
                        .toList())));
        assertEquals(
                List.of("http_status", "invalid_data", "network", "unknown"),
                registry.get("flagfeed.failures").counters().stream()
                        .map(counter -> counter.getId().getTag("kind"))
                        .sorted()
                        .toList());
        assertEquals(
                "bytes", registry.get("flagfeed.received").counter().getId().getBaseUnit());
        assertEquals(0, gauge("flagfeed.connected"));
        assertEquals(Double.NaN, gauge("flagfeed.data.age"));
    }

    /** What goes on as a system is closed may be told after its end. */
    @Test
    void whatIsClosedStaysClosed() {
        move(State.VALID, Instant.EPOCH);
        assertEquals(1, gauge("flagfeed.connected"));
        move(State.OFF, Instant.EPOCH);
        move(State.VALID, Instant.EPOCH);
        assertEquals(0, gauge("flagfeed.connected"));
    }

    @Test
    void whatHappensIsCountedAndMeasured() {
        observer.attemptStarted();
        observer.connected();
        observer.applied(new Applied(ChangeSet.Type.FULL, 20, 1000, Duration.ofMillis(3), Duration.ofMillis(1)));
        observer.applied(new Applied(ChangeSet.Type.PARTIAL, 1, 50, Duration.ofMillis(1), Duration.ofMillis(1)));
        observer.attemptFailed(ErrorInfo.of(Failure.network("reset"), Instant.EPOCH), Duration.ofSeconds(1));
        observer.attemptStarted();
        observer.listenerFailed(new IllegalStateException());
        assertEquals(2, count("flagfeed.attempts"));
        assertEquals(21, count("flagfeed.changes"));
        assertEquals(1050, count("flagfeed.received"));
        assertEquals(1, count("flagfeed.listener.failures"));
        assertEquals(4, registry.get("flagfeed.decode").timer().totalTime(TimeUnit.MILLISECONDS));
        assertEquals(2, registry.get("flagfeed.apply").timer().totalTime(TimeUnit.MILLISECONDS));
        assertEquals(2, registry.get("flagfeed.apply").timer().count());
        for (String kind : List.of("network", "http_status", "invalid_data", "unknown")) {
            assertEquals(
                    kind.equals("network") ? 1 : 0,
                    registry.get("flagfeed.failures")
                            .tag("kind", kind)
                            .counter()
                            .count());
        }
    }

    @Test
    void gaugesShowTheStateAndTheAgeOfTheData() {
        Instant start = Instant.ofEpochMilli(clock.wallTime());
        move(State.VALID, start);
        assertEquals(1, gauge("flagfeed.connected"));
        clock.add(Duration.ofMinutes(2));
        assertEquals(120, registry.get("flagfeed.data.age").timeGauge().value(TimeUnit.SECONDS));
        move(State.INTERRUPTED, start);
        assertEquals(0, gauge("flagfeed.connected"));
        move(State.VALID, start.plusSeconds(100));
        assertEquals(20, registry.get("flagfeed.data.age").timeGauge().value(TimeUnit.SECONDS));
        move(State.OFF, start.plusSeconds(100));
        assertEquals(0, gauge("flagfeed.connected"));
    }
}
