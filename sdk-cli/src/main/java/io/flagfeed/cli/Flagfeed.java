package io.flagfeed.cli;

import java.net.URI;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The {@code flagfeed} command: {@code watch} a flag service, or {@code serve} a fake one. */
@Command(
        name = "flagfeed",
        description = "Watches a feature flag service, or serves a fake one.",
        mixinStandardHelpOptions = true,
        versionProvider = Flagfeed.Version.class,
        subcommands = {WatchCommand.class, ServeCommand.class, HelpCommand.class})
public final class Flagfeed {
    private Flagfeed() {}

    /** Runs the command and exits: 0 ended normally, 1 could not do its work, 2 bad usage. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Flagfeed())
                .registerConverter(Duration.class, new DurationConverter())
                .registerConverter(URI.class, new AddressConverter())
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Flagfeed.class.getPackage().getImplementationVersion();
            return new String[] {"flagfeed " + (version == null ? "(not run from its jar)" : version)};
        }
    }
}
