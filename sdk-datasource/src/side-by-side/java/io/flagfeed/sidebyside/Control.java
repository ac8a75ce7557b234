package io.flagfeed.sidebyside;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.util.StringTokenizer;

/** Commands the service from a client's JVM, over a bare socket so that no second HTTP client gets loaded there. */
final class Control {
    private final OutputStream out;
    private final BufferedReader in;

    Control(URI service) throws IOException {
        Socket socket = new Socket(service.getHost(), service.getPort());
        socket.setTcpNoDelay(true);
        out = socket.getOutputStream();
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
    }

    /** The numbers of the answer. */
    long[] ask(String command) {
        try {
            out.write(command.concat("\n").getBytes(US_ASCII));
            String answer = in.readLine();
            if (answer == null) {
                throw new IllegalStateException("the service has not answered: " + command);
            }
            StringTokenizer words = new StringTokenizer(answer);
            long[] numbers = new long[words.countTokens()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Long.parseLong(words.nextToken());
            }
            return numbers;
        } catch (IOException e) {
            throw new UncheckedIOException(command, e);
        }
    }
}
