package io.flagfeed.sdk.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flagfeed.sdk.testing.FakeFlagServer.Header;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads the requests of one connection (HTTP/1.1), their bodies thrown away. */
final class RequestReader {
    private static final int LONGEST_LINE = 65_536;

    private final InputStream in;

    RequestReader(InputStream in) {
        this.in = in;
    }

    /** A request as it came: the target without scheme and host if it had these, as requests to a proxy do. */
    record Head(String method, String path, @Nullable String query, boolean http10, List<Header> headers) {}

    /**
     * The next request; null if the client closed the connection instead.
     *
     * @throws ProtocolException if it is not HTTP
     */
    @Nullable
    Head next() throws IOException {
        String line = line();
        while (line != null && line.isEmpty()) { // RFC 9112, section 2.2
            line = line();
        }
        if (line == null) {
            return null;
        }
        String[] words = line.split(" ", -1);
        if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
            throw new ProtocolException("not a request line");
        }
        List<Header> headers = headers();
        skipBody(headers);
        String target = originForm(words[1]);
        int question = target.indexOf('?');
        return new Head(
                words[0],
                question < 0 ? target : target.substring(0, question),
                question < 0 ? null : target.substring(question + 1),
                words[2].equals("HTTP/1.0"),
                headers);
    }

    private List<Header> headers() throws IOException {
        List<Header> headers = new ArrayList<>();
        for (String line = requiredLine(); !line.isEmpty(); line = requiredLine()) {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new ProtocolException("not a header line");
            }
            headers.add(new Header(
                    line.substring(0, colon), line.substring(colon + 1).strip()));
        }
        return headers;
    }

    private void skipBody(List<Header> headers) throws IOException {
        for (Header header : headers) {
            String name = header.name().toLowerCase(Locale.ROOT);
            if (name.equals("transfer-encoding")) {
                skipChunks();
            } else if (name.equals("content-length")) {
                try {
                    in.skipNBytes(Long.parseLong(header.value()));
                } catch (NumberFormatException e) {
                    throw new ProtocolException("not a length");
                }
            }
        }
    }

    /** RFC 9112, section 7.1. */
    private void skipChunks() throws IOException {
        long size;
        do {
            String line = requiredLine();
            try {
                size = Long.parseLong(line.split(";", 2)[0].strip(), 16);
            } catch (NumberFormatException e) {
                throw new ProtocolException("not the size of a chunk");
            }
            in.skipNBytes(size);
            if (size > 0 && !requiredLine().isEmpty()) {
                throw new ProtocolException("a chunk is longer than its size");
            }
        } while (size > 0);
        List<Header> unused = headers(); // trailers
    }

    private static String originForm(String target) {
        int scheme = target.indexOf("://");
        if (scheme < 0 || target.startsWith("/")) {
            return target;
        }
        int path = target.indexOf('/', scheme + 3);
        return path < 0 ? "/" : target.substring(path);
    }

    private String requiredLine() throws IOException {
        String line = line();
        if (line == null) {
            throw new EOFException("the request was cut");
        }
        return line;
    }

    private @Nullable String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(80);
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                String text = line.toString(ISO_8859_1);
                return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
            }
            if (line.size() == LONGEST_LINE) {
                throw new ProtocolException("line too long");
            }
            line.write(b);
        }
        if (line.size() > 0) {
            throw new EOFException("the request was cut");
        }
        return null;
    }
}
