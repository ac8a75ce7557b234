package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.datasource.StreamingDataSource;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Bad usage: exit code 2, what is wrong, and the usage. Nothing of it connects to anything. */
@Timeout(30) // what is wrongly accepted would go on for ever
final class UsageTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** As containers are called; the library knows what to make of it. */
    @Test
    void hostWithAnUnderscoreIsOne() {
        URI address = new AddressConverter().convert("http://flag_service:8030");
        assertEquals("http://flag_service:8030", address.toString());
        StreamingDataSource.builder(address, "sdk-key").build();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "watch --nope                                  | Unknown option: '--nope'",
                "serve --json                                  | Unknown option: '--json'",
                "watch extra                                   | Unmatched argument at index 1: 'extra'",
                "watch --stream http://a --poll http://b       | Error: --stream=URL, --poll=URL are mutually exclusive (specify only one)",
                "watch --stream                                | Missing required parameter for option '--stream' (URL)",
                "watch --stream h%ttp://a                      | Invalid value for option '--stream': 'h%ttp://a' is no address of a service: write it like http://localhost:8030",
                "watch --stream ftp://a                        | Invalid value for option '--stream': 'ftp://a' is no address of a service: write it like http://localhost:8030",
                "watch --poll localhost:8030                   | Invalid value for option '--poll': 'localhost:8030' is no address of a service: write it like http://localhost:8030",
                "watch --poll localhost                        | Invalid value for option '--poll': 'localhost' is no address of a service: write it like http://localhost:8030",
                "watch --poll http:///all                      | Invalid value for option '--poll': 'http:///all' is no address of a service: write it like http://localhost:8030",
                "watch --stream http://localhost:1?x=y         | baseUri has a query or a fragment: http://localhost",
                "watch --for 5                                 | Invalid value for option '--for': '5' is no duration: write it like 250ms, 5s, 2m or 1h",
                "watch --interval 1.5s                         | Invalid value for option '--interval': '1.5s' is no duration: write it like 250ms, 5s, 2m or 1h",
                "watch --initial-retry-delay -1s               | Invalid value for option '--initial-retry-delay': '-1s' is no duration: write it like 250ms, 5s, 2m or 1h",
                "watch --read-timeout never                    | Invalid value for option '--read-timeout': 'never' is no duration: write it like 250ms, 5s, 2m or 1h",
                "watch --connect-timeout PT5S                  | Invalid value for option '--connect-timeout': 'PT5S' is no duration: write it like 250ms, 5s, 2m or 1h",
                "watch --stream http://localhost:1 --header X  | --header is not of the form NAME:VALUE",
                "watch --poll http://localhost:1 --header :X   | --header is not of the form NAME:VALUE",
                "watch --stream http://localhost:1 --header Ä:1| header name is no HTTP token: Ä",
                "watch --header X                              | --header is not of the form NAME:VALUE",
                "serve --port -1                               | --port is not between 0 and 65535: -1",
                "serve --port 65536                            | --port is not between 0 and 65535: 65536",
                "serve --port any                              | Invalid value for option '--port': 'any' is not an int",
            })
    void badUsageIsNamed(String arguments, String complaint) {
        assertEquals(2, run(arguments.split(" ")), err.toString());
        assertEquals(complaint, err.toString().lines().findFirst().orElse(""));
        String command = arguments.substring(0, arguments.indexOf(' '));
        assertTrue(err.toString().contains("Usage: flagfeed " + command), err.toString());
        assertEquals("", out.toString());
    }

    @Test
    void commandIsNeeded() {
        assertEquals(2, run());
        assertTrue(err.toString().startsWith("Missing required subcommand"), err.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "secret-\u0001", "secret-ü"})
    void keyThatCannotBeSentIsRefusedAndNotShown(String key) {
        assertEquals(2, run("watch", "--stream", "http://localhost:1", "--sdk-key", key));
        assertTrue(err.toString().startsWith("sdkKey "), err.toString());
        assertFalse(err.toString().contains("secret"), err.toString());
    }

    @Test
    void headersValueIsNotShown() {
        assertEquals(2, run("watch", "--stream", "http://localhost:1", "--header", "X:secret-\u0001"));
        assertTrue(err.toString().startsWith("header X holds a character"), err.toString());
        assertFalse(err.toString().contains("secret"), err.toString());
    }

    @Test
    void unusableFlagsFileIsNamedWithLineAndColumn(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("flags.json");
        assertEquals(2, run("serve", "--port", "0", "--flags", file.toString()));
        assertTrue(err.toString().startsWith(file + ": no such file"), err.toString());
        err.getBuffer().setLength(0);
        Files.writeString(file, "{\"flags\":\n  {]}");
        assertEquals(2, run("serve", "--port", "0", "--flags", file.toString()));
        assertTrue(err.toString().startsWith(file + ": not JSON at line 2 column 5 path $.flags."), err.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "watch --help", "serve --help", "help", "help watch"})
    void helpIsGivenOnRequest(String arguments) {
        assertEquals(0, run(arguments.split(" ")));
        assertTrue(out.toString().startsWith("Usage: flagfeed"), out.toString());
        assertEquals("", err.toString());
    }

    @Test
    void watchHelpNamesAllOptionsAndExitCodes() {
        run("watch", "--help");
        for (String name : new String[] {
            "--stream",
            "--poll",
            "--sdk-key",
            "--interval",
            "--json",
            "--for",
            "--snapshot",
            "--initial-retry-delay",
            "--read-timeout",
            "--connect-timeout",
            "--header",
            "--verbose",
            "FLAGFEED_SDK_KEY",
            "Exit codes:"
        }) {
            assertTrue(out.toString().contains(name), name);
        }
    }

    private int run(String... arguments) {
        CommandLine line = Flagfeed.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        return line.execute(arguments);
    }
}
