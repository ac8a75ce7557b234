package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The fake service and those who watch it: three processes, real sockets. */
@Execution(ExecutionMode.CONCURRENT)
final class ServeIT {
    @TempDir
    private Path folder;

    @Test
    void fileIsServedAndReadAgainWhenItChanges() throws Exception {
        write("{\"flags\":{\"a\":{\"key\":\"a\",\"version\":1,\"on\":true}},\"segments\":{\"s\":{\"version\":1}}}");
        try (FlagfeedProcess serve = FlagfeedProcess.start("serve", "--port", "0", "--flags", file().toString())) {
            String address = address(serve);
            try (FlagfeedProcess stream = FlagfeedProcess.start("watch", "--stream", address, "--json");
                    FlagfeedProcess poll =
                            FlagfeedProcess.start("watch", "--poll", address, "--interval", "250ms", "--json")) {
                for (FlagfeedProcess watch : List.of(stream, poll)) {
                    watch.awaitChange("a", 1);
                    watch.awaitChange("s", 1);
                    watch.awaitState("VALID");
                }
                String good =
                        "{\"flags\":{\"a\":{\"key\":\"a\",\"version\":2,\"on\":false}},\"segments\":{\"s\":{\"version\":1}}}";
                write(good);
                stream.awaitChange("a", 2);
                poll.awaitChange("a", 2);

                write("{\"flags\":\n  {\"a\":{\"version\":3,}}}");
                String complaint = serve.awaitErr(line -> true);
                assertEquals(
                        file()
                                + ": Expected name at line 2 column 22 path $.flags.a.version; the last good content stays served",
                        complaint);
                assertEquals(good, get(address + "/sdk/latest-all"));

                write("{\"flags\":{\"a\":{\"version\":4}}}");
                stream.awaitChange("a", 4);
                poll.awaitChange("a", 4);

                stream.terminate();
                poll.terminate();
                for (FlagfeedProcess watch : List.of(stream, poll)) {
                    assertEquals(0, watch.awaitExit(), watch.toString());
                    assertTrue(
                            watch.out().stream().noneMatch(line -> line.contains("INTERRUPTED")),
                            "nobody noticed the broken file: " + watch);
                    List<String> lines = watch.out();
                    assertTrue(lines.get(lines.size() - 1).startsWith("{\"type\":\"summary\","), watch.toString());
                }
            }
            assertEquals(1, serve.err().size(), "said once: " + serve);
            serve.terminate();
            assertEquals(0, serve.awaitExit(), serve.toString());
        }
    }

    @Test
    void withoutAFileTheDemosFlagsAreServedAndATakenPortIsNamed() throws Exception {
        try (FlagfeedProcess serve = FlagfeedProcess.start("serve", "--port", "0")) {
            String address = address(serve);
            assertTrue(serve.out().get(0).startsWith("Serving 20 flags and 2 segments on "), serve.toString());
            String port = Integer.toString(URI.create(address).getPort());
            try (FlagfeedProcess second = FlagfeedProcess.start("serve", "--port", port)) {
                assertEquals(1, second.awaitExit(), second.toString());
                assertTrue(second.err().get(0).startsWith("Port " + port + " cannot be had: "), second.toString());
                assertEquals(1, second.err().size(), second.toString());
                assertEquals(List.of(), second.out());
            }
        }
    }

    /** As a user would write it, by name. */
    private static String address(FlagfeedProcess serve) {
        String line = serve.awaitOut(text -> text.startsWith("Serving "));
        URI uri = URI.create(line.replaceAll(".* on (http://\\S+): .*", "$1"));
        return "http://localhost:" + uri.getPort();
    }

    private static String get(String address) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private Path file() {
        return folder.resolve("flags.json");
    }

    /** In one step: a look at a file that is half written would find it broken. */
    private void write(String content) throws IOException {
        Path next = Files.writeString(folder.resolve("next.json"), content);
        Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
