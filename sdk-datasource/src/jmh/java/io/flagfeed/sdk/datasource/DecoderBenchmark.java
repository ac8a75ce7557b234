package io.flagfeed.sdk.datasource;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flagfeed.sdk.ChangeSet;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.testing.TestFlags;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What it costs to make change sets of text, with flags of about 2.8 KB. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class DecoderBenchmark {
    private static final int FLAGS = 1000;

    private final EventDecoder decoder = Fdv1Decoder.ofStream();
    private byte[] put = {};
    private byte[] patch = {};

    /** Makes the text of a put of a thousand flags and of a patch. */
    @Setup
    public void write() throws InvalidDataException {
        List<Item> flags =
                IntStream.range(0, FLAGS).mapToObj(DecoderBenchmark::flag).toList();
        put = ("{\"path\":\"/\",\"data\":" + TestFlags.document(flags) + "}").getBytes(UTF_8);
        patch = ("{\"path\":\"/flags/feature-7\",\"data\":" + flag(7).json() + "}").getBytes(UTF_8);
        put(); // a patch before it would say nothing
    }

    private static Item flag(int i) {
        var flag = TestFlags.flag("feature-" + i)
                .on()
                .target(
                        0,
                        IntStream.range(0, 30)
                                .mapToObj(user -> "user-" + 1_000_000_007L * (i + user + 1))
                                .toArray(String[]::new));
        for (int rule = 0; rule < 11; rule++) {
            flag.rule(1, TestFlags.clause("country", "in", "se", "no", "dk", "fi", "is"));
        }
        return flag.build();
    }

    /** A thousand flags at once. */
    @Benchmark
    public @Nullable ChangeSet put() throws InvalidDataException {
        return decoder.decode("put", new ByteArrayInputStream(put));
    }

    /** One flag. */
    @Benchmark
    public @Nullable ChangeSet patch() throws InvalidDataException {
        return decoder.decode("patch", new ByteArrayInputStream(patch));
    }
}
