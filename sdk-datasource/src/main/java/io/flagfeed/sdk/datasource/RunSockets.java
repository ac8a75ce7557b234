package io.flagfeed.sdk.datasource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.HashSet;
import java.util.Set;
import javax.net.SocketFactory;

/**
 * The sockets of one run, so that its end can close them whatever they are doing. Cancelling a call is not enough: one
 * that has just been seen not to be cancelled, and has no socket yet, goes on until it times out.
 *
 * <p>A SOCKS proxy's sockets are not among them, for OkHttp makes those itself.
 */
final class RunSockets extends SocketFactory {
    private final SocketFactory factory;

    // guarded by this
    private final Set<Socket> open = new HashSet<>();
    private boolean closed;

    RunSockets(SocketFactory factory) {
        this.factory = factory;
    }

    boolean areOfThePlatform() {
        return factory == SocketFactory.getDefault();
    }

    /** Closes all there are, and each that is made from now on. Returns at once. */
    void close() {
        Set<Socket> last;
        synchronized (this) {
            closed = true;
            last = Set.copyOf(open);
            open.clear();
        }
        last.forEach(RunSockets::close);
    }

    private Socket kept(Socket socket) throws SocketException {
        synchronized (this) {
            if (!closed) {
                open.removeIf(Socket::isClosed);
                open.add(socket);
                return socket;
            }
        }
        close(socket);
        throw new SocketException("the run has ended");
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException | RuntimeException e) {
            // as closed as it gets
        }
    }

    @Override
    public Socket createSocket() throws IOException {
        return kept(factory.createSocket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return kept(factory.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return kept(factory.createSocket(host, port, localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return kept(factory.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        return kept(factory.createSocket(address, port, localAddress, localPort));
    }
}
