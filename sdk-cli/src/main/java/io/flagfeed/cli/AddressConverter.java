package io.flagfeed.cli;

import java.net.URI;
import java.net.URISyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the address of a service: http or https, with a host. */
final class AddressConverter implements ITypeConverter<URI> {
    @Override
    public URI convert(String text) {
        URI address;
        try {
            address = new URI(text);
        } catch (URISyntaxException e) {
            throw bad(text);
        }
        String scheme = address.getScheme();
        boolean http = "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
        if (!http || address.getRawAuthority() == null) { // a host with an underscore is none to URI
            throw bad(text);
        }
        return address;
    }

    private static TypeConversionException bad(String text) {
        return new TypeConversionException(
                "'" + text + "' is no address of a service: write it like http://localhost:8030");
    }
}
