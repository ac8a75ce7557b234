package io.flagfeed.sidebyside;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this JVM uses between a meter's beginning and its end. It does nothing in between, so it needs no subtraction.
 * CPU is that of the whole process, collector and compiler included; the platform counts it in steps, of 10 ms on
 * Linux, so short times are to be measured several times and added up.
 */
final class Meter {
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final Allocation ALLOCATION = new Allocation();

    private final long allocated;
    private final long cpu;
    private final long began;

    private Meter(long allocated) {
        this.allocated = allocated;
        cpu = PROCESS.getProcessCpuTime();
        began = System.nanoTime();
    }

    static Meter begin() throws InterruptedException {
        return new Meter(ALLOCATION.bytes());
    }

    Use end() throws InterruptedException {
        long time = System.nanoTime() - began;
        long cpuTime = PROCESS.getProcessCpuTime() - cpu;
        return new Use(time / 1e6, cpuTime / 1e6, ALLOCATION.bytes() - allocated);
    }

    /** What was used. */
    record Use(double millis, double cpuMillis, double bytes) {}
}
