package io.flagfeed.sdk.datasource;

import com.sun.management.OperatingSystemMXBean;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.retry.RetryPolicy;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/**
 * A small application with a heap of its own: runs a source against an address, prints each status, and answers {@code
 * await key version} once it holds that version, with what of the heap is in use then and the time on the processor.
 */
final class ProbeMain {
    private static final Duration SOON = Duration.ofMillis(1);

    private ProbeMain() {}

    public static void main(String[] arguments) throws Exception {
        for (String library : List.of("okhttp3.OkHttpClient", "okio.Okio", "kotlin.Unit")) {
            System.out.println("library " + placeOf(library));
        }
        Mode mode = Mode.valueOf(arguments[0]);
        URI uri = URI.create(arguments[1]);
        HttpSettings http =
                HttpSettings.builder().readTimeout(Duration.parse(arguments[2])).build();
        RetryPolicy quick = RetryPolicy.builder().normalCeiling(SOON).build();
        DataSystem system = DataSystem.builder(
                        mode == Mode.STREAMING
                                ? StreamingDataSource.builder(uri, "sdk-key")
                                        .initialRetryDelay(SOON)
                                        .retryPolicy(quick)
                                        .http(http)
                                        .build()
                                : PollingDataSource.builder(uri, "sdk-key")
                                        .pollInterval(SOON)
                                        .http(http)
                                        .build())
                .build();
        long[] changes = {0};
        system.onChange(event -> changes[0]++);
        system.onStatus(status -> System.out.println("status " + status.state() + " "
                + (status.lastError() == null ? "" : status.lastError().message())));
        system.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", 3);
            long version = Long.parseLong(words[2]);
            Awaitility.await()
                    .forever()
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> system.get(ItemKind.FLAG, words[1])
                            .filter(flag -> flag.version() >= version)
                            .isPresent());
            System.out.println("holds " + cpuMillis() + " " + usedHeap() + " " + changes[0] + " "
                    + system.get(ItemKind.FLAG, words[1]).orElseThrow().json().hashCode() + " "
                    + system.snapshot().all(ItemKind.FLAG).size());
        }
        System.exit(0);
    }

    /** The jar that a class is in, or none. */
    private static String placeOf(String type) {
        try {
            return Class.forName(type)
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath();
        } catch (ClassNotFoundException e) { // OkHttp 3 knows no Kotlin
            return "none";
        }
    }

    private static long cpuMillis() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1_000_000;
    }

    private static long usedHeap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
