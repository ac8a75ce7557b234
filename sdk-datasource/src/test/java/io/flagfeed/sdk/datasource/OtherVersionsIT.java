package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A small application in which something else has decided on OkHttp, Okio and the Kotlin library. The build has laid
 * the versions ready: see the pom.
 */
@Timeout(120)
final class OtherVersionsIT { // PACK-01
    private static final Path VERSIONS = Path.of("target", "okhttp");

    static Stream<Arguments> versions() {
        return Stream.of("3.14", "4.9", "4.12", "5", "old-kotlin")
                .flatMap(version -> Stream.of(Mode.values()).map(mode -> Arguments.of(version, mode)));
    }

    /** The test's own class path with these versions instead of its own. */
    private static String classPath(String version) throws IOException {
        List<String> places = new ArrayList<>(
                Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator, -1)));
        int all = places.size();
        places.removeIf(place ->
                Path.of(place).getFileName().toString().matches("(okhttp|okio|kotlin-stdlib)-(jvm-)?[0-9.]+\\.jar"));
        assertEquals(all - 3, places.size(), places::toString);
        try (Stream<Path> jars = Files.list(VERSIONS.resolve(version))) {
            jars.map(Path::toAbsolutePath).map(Path::toString).forEach(places::add);
        }
        return String.join(File.pathSeparator, places);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void sourceWorksWith(String version, Mode mode) throws Exception {
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.set(TestFlags.flag("a").version(1).build());
            try (Probe probe =
                    new Probe(classPath(version), "128m", mode, server.uri().toString())) {
                for (int library = 0; library < 3; library++) {
                    String place = probe.awaitLine(line -> line.startsWith("library "));
                    boolean noKotlin = library == 2 && version.equals("3.14"); // which needs none
                    String expected = noKotlin ? "library none" : "/okhttp/" + version + "/";
                    assertTrue(place.contains(expected), place);
                }
                probe.await("a", 1);
                server.set(TestFlags.flag("a").version(2).build());
                probe.await("a", 2);
            }
        }
    }

    /** Whoever looks for it, the socket or OkHttp. */
    @ParameterizedTest
    @ValueSource(strings = {"3.14", "4.9", "4.12", "5"})
    void silenceIsNoticedWith(String version) throws Exception {
        Duration readTimeout = Duration.ofMillis(300);
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.set(TestFlags.flag("a").version(1).build());
            try (Probe probe = new Probe(
                    classPath(version), "128m", Mode.STREAMING, server.uri().toString(), readTimeout)) {
                probe.await("a", 1);
                String lost = probe.awaitLine(line -> line.startsWith("status INTERRUPTED"));
                assertTrue(lost.contains("SocketTimeoutException"), lost);
                probe.awaitLine(line -> line.startsWith("status VALID"));
            }
        }
    }
}
