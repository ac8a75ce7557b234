package io.flagfeed.sdk.datasource;

import java.net.URI;

/** Where the service is, for streaming and for polling. Immutable. */
public final class ServiceEndpoints {
    private final URI streaming;
    private final URI polling;

    private ServiceEndpoints(URI streaming, URI polling) {
        this.streaming = streaming;
        this.polling = polling;
    }

    /**
     * A service with an address for each way to ask it.
     *
     * @param streaming http or https, with any path, with or without a slash at its end, without a query
     * @param polling likewise
     * @throws IllegalArgumentException for an address that is no such thing
     */
    public static ServiceEndpoints of(URI streaming, URI polling) {
        HttpEndpoint.checkAddress("streaming", streaming);
        HttpEndpoint.checkAddress("polling", polling);
        return new ServiceEndpoints(streaming, polling);
    }

    /**
     * A service with one address for everything, as a relay has.
     *
     * @param baseUri http or https, with any path, with or without a slash at its end, without a query
     * @throws IllegalArgumentException for an address that is no such thing
     */
    public static ServiceEndpoints relay(URI baseUri) {
        HttpEndpoint.checkAddress("baseUri", baseUri);
        return new ServiceEndpoints(baseUri, baseUri);
    }

    /** What the path of a stream is appended to. */
    public URI streaming() {
        return streaming;
    }

    /** What the path of a poll is appended to. */
    public URI polling() {
        return polling;
    }

    /** The origins: the rest of an address may be a secret. */
    @Override
    public String toString() {
        return "ServiceEndpoints[streaming=" + HttpEndpoint.origin(streaming) + ", polling="
                + HttpEndpoint.origin(polling) + "]";
    }
}
