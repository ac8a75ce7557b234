package io.flagfeed.sdk.datasource;

import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** An application's own socket factory, in which something happens before each socket is made. */
final class WatchedSockets extends SocketFactory {
    private final Runnable before;

    WatchedSockets(Runnable before) {
        this.before = before;
    }

    /** The only way in which OkHttp asks. */
    @Override
    public Socket createSocket() {
        before.run();
        return new Socket();
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
