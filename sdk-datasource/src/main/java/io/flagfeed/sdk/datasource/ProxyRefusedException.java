package io.flagfeed.sdk.datasource;

import java.io.IOException;
import okhttp3.Response;

/** A proxy wants credentials that there are none of, or not the ones that it got. */
@SuppressWarnings("serial") // never serialized
final class ProxyRefusedException extends IOException {
    /** The proxy's answer; of no use but for its status and headers. */
    final transient Response response;

    ProxyRefusedException(Response response) {
        super("the proxy refused the request");
        this.response = response;
    }
}
