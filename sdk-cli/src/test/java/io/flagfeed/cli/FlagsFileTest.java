package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.testing.TestFlags;
import io.flagfeed.sdk.testing.VirtualScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FlagsFileTest {
    private static final String ONE = "{\"flags\":{\"a\":{\"version\":1}}}";
    private static final String TWO = "{\"flags\":{\"a\":{\"version\":2}}}";

    @TempDir
    private Path folder;

    private Path path;
    private FlagsFile file;

    @BeforeEach
    void setUp() {
        path = folder.resolve("flags.json");
        file = new FlagsFile(path);
    }

    @Test
    void whatAPollAnswersIsRead() throws Exception {
        List<Item> items = TestFlags.dataSet(20, 1);
        write(TestFlags.document(items));
        assertEquals(items, file.read());
    }

    @Test
    void flagsAndSegmentsMayStandInAnyOrderAndAmongOthers() throws Exception {
        write("""
                {
                  "$schema": "x",
                  "segments": {"s": {"version": 3, "included": ["ada"]}},
                  "more": [{"flags": {}}],
                  "flags": {"a": {"version": 2, "n": 1.0, "html": "<b>", "none": null}, "b": {}}
                }
                """);
        assertEquals(
                List.of(
                        Item.of(ItemKind.SEGMENT, "s", 3, "{\"version\":3,\"included\":[\"ada\"]}"),
                        Item.of(ItemKind.FLAG, "a", 2, "{\"version\":2,\"n\":1.0,\"html\":\"<b>\",\"none\":null}"),
                        Item.of(ItemKind.FLAG, "b", 0, "{}")),
                file.read());
    }

    @Test
    void oneKindIsEnough() throws Exception {
        write("{\"segments\":{}}");
        assertEquals(List.of(), file.read());
        write("{\"segments\":{\"s\":{\"version\":1}}}");
        assertEquals(List.of(Item.of(ItemKind.SEGMENT, "s", 1, "{\"version\":1}")), file.read());
    }

    @Test
    void deletedItemIsATombstone() throws Exception {
        write("{\"flags\":{\"a\":{\"version\":4,\"deleted\":true},\"b\":{\"version\":1,\"deleted\":false},"
                + "\"c\":{\"version\":1,\"deleted\":\"true\"}}}");
        assertEquals(
                List.of(
                        Item.tombstone(ItemKind.FLAG, "a", 4),
                        Item.of(ItemKind.FLAG, "b", 1, "{\"version\":1,\"deleted\":false}"),
                        Item.of(ItemKind.FLAG, "c", 1, "{\"version\":1,\"deleted\":\"true\"}")),
                file.read());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                          | End of input at line 1 column 1 path $",
                "' '                                         | End of input at line 1 column 2 path $",
                "{'flags':{                                  | End of input at line 1 column 11 path $.flags.",
                "{'flags':{^ 'a':{'version':1,}}}            | Expected name at line 2 column 20 path $.flags.a.version",
                "{'flags':{^^  'a' {'version':1}}}           | Expected ':' at line 3 column 8 path $.flags.a",
                "{'flags':{'a':{'version':1^'on':true}}}     | Unterminated object at line 2 column 2 path $.flags.a.version",
                "{'flags':{'a':{on:true}}}                   | not JSON at line 1 column 17 path $.flags.a.",
                "{'flags':{'a':{'version':1}}}{}             | not JSON at line 1 column 31 path $",
                "{'flags':{'a':{'version':1}}} x             | not JSON at line 1 column 32 path $",
                "no JSON                                     | not JSON at line 1 column 1 path $",
                "{}                                          | neither flags nor segments at line 1 column 3 path $",
                "{'Flags':{'a':{}}}                          | neither flags nor segments at line 1 column 19 path $",
                "[]                                          | Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1 column 2 path $",
                "{'flags':[]}                                | Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1 column 11 path $.flags",
                "{'flags':null}                              | Expected BEGIN_OBJECT but was NULL at line 1 column 14 path $.flags",
                "{'flags':{'a':true}}                        | not an object at line 1 column 19 path $.flags.a",
                "{'flags':{'a':null}}                        | not an object at line 1 column 19 path $.flags.a",
                "{'flags':{'a':{'version':'1'}}}             | the version is no whole number at line 1 column 30 path $.flags.a",
                "{'flags':{'a':{'version':[1]}}}             | the version is no whole number at line 1 column 30 path $.flags.a",
                "{'flags':{'a':{'version':true}}}            | the version is no whole number at line 1 column 31 path $.flags.a",
                "{'flags':{'a':{'version':null}}}            | the version is no whole number at line 1 column 31 path $.flags.a",
                "{'flags':{'a':{'version':1.5}}}             | the version is no whole number at line 1 column 30 path $.flags.a",
                "{'flags':{'a':{'version':9223372036854775808}}}| the version is no whole number at line 1 column 46 path $.flags.a",
            },
            quoteCharacter = '\'')
    void badContentIsNamedWithItsPlace(String content, String complaint) throws Exception {
        write(content.replace('\'', '"').replace('^', '\n'));
        assertEquals(path + ": " + complaint, unusable());
    }

    @Test
    void deepNestingIsBadContentToo() throws Exception {
        write("{\"flags\":{\"a\":" + "[".repeat(100_000));
        assertTrue(unusable().contains(" at line 1 column "), unusable());
    }

    @Test
    void missingFolderAndWrongEncodingAreNamed() throws Exception {
        assertEquals(path + ": no such file", unusable());
        Files.write(path, new byte[] {'{', (byte) 0xff, '}'});
        assertEquals(path + ": cannot be read as UTF-8 text: MalformedInputException", unusable());
        file = new FlagsFile(folder);
        assertTrue(unusable().startsWith(folder + ": cannot be read as UTF-8 text: "), unusable());
    }

    @Nested
    final class Watching {
        private final VirtualScheduler time = new VirtualScheduler();
        private final List<Object> heard = new ArrayList<>();
        private Cancellable watching;

        @BeforeEach
        void begin() throws Exception {
            write(ONE);
            file.read();
            watching = file.watch(time, heard::add, heard::add);
            time.advance(Duration.ofSeconds(10));
            assertEquals(List.of(), heard, "nothing has changed");
        }

        @Test
        void changeIsPassedOnOnce() throws Exception {
            write(TWO);
            time.advance(Duration.ofMillis(250));
            assertEquals(List.of(List.of(Item.of(ItemKind.FLAG, "a", 2, "{\"version\":2}"))), heard);
            time.advance(Duration.ofSeconds(10));
            assertEquals(1, heard.size());
        }

        @Test
        void brokenContentIsNamedOnceAndMendedContentPassedOn() throws Exception {
            write("{\"flags\":\n{,}}");
            time.advance(Duration.ofSeconds(10));
            assertEquals(List.of(path + ": not JSON at line 2 column 3 path $.flags."), heard);
            write("{");
            time.advance(Duration.ofSeconds(10));
            assertEquals(2, heard.size(), "broken in another way");
            write(ONE);
            time.advance(Duration.ofSeconds(10));
            assertEquals(List.of(Item.of(ItemKind.FLAG, "a", 1, "{\"version\":1}")), heard.get(2));
            assertEquals(3, heard.size());
        }

        @Test
        void fileThatGoesIsNamedOnceAndPassedOnWhenItIsBack() throws Exception {
            Files.delete(path);
            time.advance(Duration.ofSeconds(10));
            assertEquals(List.of(path + ": no such file"), heard);
            write(ONE);
            time.advance(Duration.ofSeconds(10));
            assertEquals(2, heard.size());
        }

        @Test
        void everyOtherReasonIsNamed() throws Exception {
            Files.delete(path);
            time.advance(Duration.ofSeconds(10));
            Files.createDirectory(path);
            time.advance(Duration.ofSeconds(10));
            assertEquals(2, heard.size(), heard::toString);
            assertTrue(heard.get(1).toString().contains("cannot be read"), heard::toString);
            Files.delete(path);
            time.advance(Duration.ofSeconds(10));
            assertEquals(List.of(path + ": no such file", heard.get(1), path + ": no such file"), heard);
        }

        @Test
        void nothingIsHeardAfterTheEnd() throws Exception {
            watching.cancel();
            time.runDue();
            write(TWO);
            time.advance(Duration.ofSeconds(10));
            assertEquals(List.of(), heard);
            assertEquals(List.of(), time.pending());
        }
    }

    private void write(String content) throws IOException {
        Files.writeString(path, content);
    }

    private String unusable() {
        return assertThrows(FlagsFile.UnusableException.class, file::read).getMessage();
    }
}
