package io.flagfeed.sdk.datasource;

import java.net.InetAddress;
import java.net.Socket;
import java.util.function.Supplier;
import javax.net.SocketFactory;

/** An application's own socket factory, in which something happens before each socket is made, or that makes its own. */
final class WatchedSockets extends SocketFactory {
    private final Supplier<Socket> sockets;

    private WatchedSockets(Supplier<Socket> sockets) {
        this.sockets = sockets;
    }

    WatchedSockets(Runnable before) {
        this(() -> {
            before.run();
            return new Socket();
        });
    }

    static SocketFactory making(Supplier<Socket> sockets) {
        return new WatchedSockets(sockets);
    }

    /** The only way in which OkHttp asks. */
    @Override
    public Socket createSocket() {
        return sockets.get();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException();
    }
}
