package io.flagfeed.sidebyside;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * All flags as the bytes that go over the wire, made once. A flag is renewed by writing its next version over the
 * digits of the last, so that serving costs little more than the copying. Not safe for use by several threads.
 */
final class ServedData {
    private static final int CHUNK = 1 << 16;
    private static final byte[] LINE_END = bytes("\r\n");
    private static final byte[] EVENT_END = bytes("}\n\n");
    private static final String VERSION = "\"version\":";

    private final int flags;
    private final byte[] document;
    private final int[] starts; // of each flag's JSON in the document
    private final int[] ends;
    private final int[] versions; // where its digits are
    private final byte[][] patchStarts;
    private int newest = FlagData.FIRST_VERSION;

    ServedData(int flags) {
        this.flags = flags;
        starts = new int[flags];
        ends = new int[flags];
        versions = new int[flags];
        patchStarts = new byte[flags][];
        FlagData data = new FlagData(flags);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(bytes("{\"flags\":{"));
        for (int i = 0; i < flags; i++) {
            String json = data.flag(i);
            out.writeBytes(bytes((i == 0 ? "\"" : ",\"") + FlagData.key(i) + "\":"));
            starts[i] = out.size();
            versions[i] = out.size() + json.indexOf(VERSION + newest) + VERSION.length();
            out.writeBytes(bytes(json));
            ends[i] = out.size();
            patchStarts[i] = bytes("event: patch\ndata: {\"path\":\"/flags/" + FlagData.key(i) + "\",\"data\":");
        }
        out.writeBytes(bytes("},\"segments\":{"));
        for (int i = 0; i < data.segments(); i++) {
            out.writeBytes(bytes((i == 0 ? "\"" : ",\"") + FlagData.segmentKey(i) + "\":" + data.segment(i)));
        }
        out.writeBytes(bytes("}}"));
        document = out.toByteArray();
    }

    /** The greatest version of all. */
    int newest() {
        return newest;
    }

    int size() {
        return document.length;
    }

    /** Gives the next flag the next version. */
    void renew() {
        newest++;
        int digits = newest;
        int start = versions[FlagData.indexOf(newest, flags)];
        for (int i = start + 7; i >= start; i--) {
            document[i] = (byte) ('0' + digits % 10);
            digits /= 10;
        }
    }

    void writeDocument(OutputStream out) throws IOException {
        out.write(document);
    }

    /** A put of everything, in chunks. */
    void writePut(OutputStream out) throws IOException {
        byte[] start = bytes("event: put\ndata: {\"path\":\"/\",\"data\":");
        writeChunkStart(out, start.length);
        out.write(start);
        out.write(LINE_END);
        for (int from = 0; from < document.length; from += CHUNK) {
            int length = Math.min(CHUNK, document.length - from);
            writeChunkStart(out, length);
            out.write(document, from, length);
            out.write(LINE_END);
        }
        writeChunkStart(out, EVENT_END.length);
        out.write(EVENT_END);
        out.write(LINE_END);
    }

    /** A patch of the flag that was renewed last, as one chunk. */
    void writePatch(OutputStream out) throws IOException {
        int flag = FlagData.indexOf(newest, flags);
        byte[] start = patchStarts[flag];
        int length = ends[flag] - starts[flag];
        writeChunkStart(out, start.length + length + EVENT_END.length);
        out.write(start);
        out.write(document, starts[flag], length);
        out.write(EVENT_END);
        out.write(LINE_END);
    }

    private static void writeChunkStart(OutputStream out, int length) throws IOException {
        out.write(bytes(Integer.toHexString(length)));
        out.write(LINE_END);
    }

    static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }
}
