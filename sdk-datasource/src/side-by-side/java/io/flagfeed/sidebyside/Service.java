package io.flagfeed.sidebyside;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.StringTokenizer;

/**
 * The one service that all clients are measured against: it streams at {@code /all} and answers polls at
 * {@code /sdk/latest-all}, on loopback. What is no request is a command of a measurement: a line, answered with numbers
 * in a line.
 */
final class Service {
    private static final int BUFFER = 1 << 17;

    private final Streams streams;
    private final int documentSize;

    private final Object polling = new Object(); // guards the next three
    private long polls;
    private long unchanged;
    private boolean tagging = true;

    private Service(ServedData data) {
        streams = new Streams(data);
        documentSize = data.size();
    }

    /** The argument is the number of flags. Prints the port and the size of the data in bytes. */
    public static void main(String[] args) throws IOException {
        ParentWatch.begin();
        Service service = new Service(new ServedData(Integer.parseInt(args[0])));
        try (ServerSocket listener = new ServerSocket(0, 256, InetAddress.getLoopbackAddress())) {
            System.out.println(listener.getLocalPort() + " " + service.documentSize);
            while (true) {
                Socket socket = listener.accept();
                inBackground(() -> service.serve(socket));
            }
        }
    }

    static Thread inBackground(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
            OutputStream out = new BufferedOutputStream(socket.getOutputStream(), BUFFER);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.startsWith("GET ")) {
                    out.write(ServedData.bytes(answer(new StringTokenizer(line)) + "\n"));
                } else if (line.contains("/sdk/latest-all")) {
                    answerPoll(entityTag(in), out);
                } else {
                    entityTag(in);
                    streams.open(socket, out);
                }
                out.flush();
            }
        } catch (IOException e) {
            // the other side has gone
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody does that", e);
        } finally {
            streams.forget(socket);
        }
    }

    /** Reads a request's headers; empty if it has no tag. */
    private static String entityTag(BufferedReader in) throws IOException {
        String tag = "";
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("if-none-match:")) {
                tag = line.substring(line.indexOf(':') + 1).trim();
            }
        }
        return tag;
    }

    private void answerPoll(String tagOfClient, OutputStream out) throws IOException {
        String tag = "\"" + streams.newest() + "\"";
        boolean tagged;
        boolean same;
        synchronized (polling) {
            tagged = tagging;
            same = tagged && tag.equals(tagOfClient);
            polls++;
            unchanged += same ? 1 : 0;
            polling.notifyAll();
        }
        // without Cache-Control an HTTP cache might guess that it need not ask
        String headers = "\r\nCache-Control: max-age=0" + (tagged ? "\r\nETag: " + tag : "") + "\r\n";
        if (same) {
            out.write(ServedData.bytes("HTTP/1.1 304 Not Modified" + headers + "\r\n"));
        } else {
            out.write(ServedData.bytes("HTTP/1.1 200 OK" + headers
                    + "Content-Type: application/json\r\nContent-Length: " + documentSize + "\r\n\r\n"));
            streams.writeDocument(out);
        }
    }

    private String answer(StringTokenizer command) throws IOException, InterruptedException {
        String name = command.nextToken();
        return switch (name) {
            case "newest" -> String.valueOf(streams.newest());
            case "burst" -> streams.burst(number(command));
            case "pace" -> String.valueOf(streams.pace(number(command), number(command)));
            case "sent" -> streams.sent();
            case "cut" -> streams.cut();
            case "tag" -> tag(number(command) > 0);
            case "polls-after" -> pollsAfter(number(command));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static int number(StringTokenizer words) {
        return Integer.parseInt(words.nextToken());
    }

    /** Whether answers to polls have an entity tag from now on. */
    private String tag(boolean on) {
        synchronized (polling) {
            tagging = on;
        }
        return "";
    }

    /** Lets this time pass, then waits for the next poll: how many there were, and how many were answered with 304. */
    private String pollsAfter(long millis) throws InterruptedException {
        Thread.sleep(millis);
        synchronized (polling) {
            long before = polls;
            while (polls == before) {
                polling.wait();
            }
            return polls + " " + unchanged;
        }
    }
}
