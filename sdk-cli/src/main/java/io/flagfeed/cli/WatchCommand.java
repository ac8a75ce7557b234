package io.flagfeed.cli;

import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.datasource.HttpSettings;
import io.flagfeed.sdk.datasource.PollingDataSource;
import io.flagfeed.sdk.datasource.StreamingDataSource;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Connects to a service, or to one of its own, and shows what comes. */
@Command(
        name = "watch",
        description = {
            "Shows every change of status and of flags, live.",
            "Without an address it is its own demo: a fake service that changes flags, fails and recovers."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:ended normally", "1:never became ready", "2:bad usage"})
final class WatchCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls
    private CommandSpec spec;

    @ArgGroup
    private @Nullable Address address;

    /** Where to: one of two. */
    static final class Address {
        @Option(names = "--stream", paramLabel = "URL", description = "Stream from the service at this base address.")
        private @Nullable URI stream;

        @Option(names = "--poll", paramLabel = "URL", description = "Poll the service at this base address.")
        private @Nullable URI poll;
    }

    @Option(
            names = "--sdk-key",
            paramLabel = "KEY",
            defaultValue = "${env:FLAGFEED_SDK_KEY:-no-key}",
            showDefaultValue = CommandLine.Help.Visibility.NEVER,
            description =
                    "The key to send. Default: $FLAGFEED_SDK_KEY, or \"no-key\" for a service that asks for none.")
    private String sdkKey = "no-key";

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "From one poll to the next. Default: ${DEFAULT-VALUE}.")
    private Duration interval = Duration.ofSeconds(30);

    @Option(
            names = "--initial-retry-delay",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "The wait after a stream's first failure. Default: ${DEFAULT-VALUE}.")
    private Duration initialRetryDelay = Duration.ofSeconds(1);

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            description = "The longest time for a connection to come about. Default: 5s.")
    private @Nullable Duration connectTimeout;

    @Option(
            names = "--read-timeout",
            paramLabel = "TIME",
            description = "The longest silence of the service. Default: 5m for streaming, 10s for polling.")
    private @Nullable Duration readTimeout;

    @Option(
            names = "--header",
            paramLabel = "NAME:VALUE",
            description = "A header to send with every request. May be repeated.")
    private List<String> headers = new ArrayList<>();

    @Option(names = "--for", paramLabel = "TIME", description = "End after this time. Default: watch until Ctrl-C.")
    private @Nullable Duration duration;

    @Option(names = "--json", description = "One JSON object a line, for programs.")
    private boolean json;

    @Option(names = "--snapshot", description = "At the end show everything that is held, as JSON.")
    private boolean snapshot;

    @Option(names = "--verbose", description = "The library's log on stderr.")
    private boolean verbose;

    @Override
    public Integer call() throws InterruptedException {
        Logging.configure(verbose);
        Ending ending = new Ending();
        try (SystemScheduler scheduler = Scheduler.system("flagfeed-watch");
                ending) {
            return address == null ? demo(scheduler, ending) : watch(source(address), scheduler, ending);
        }
    }

    private int watch(DataSource source, Scheduler scheduler, Ending ending) throws InterruptedException {
        return finish(begin(source, scheduler, ending), ending);
    }

    private int demo(Scheduler scheduler, Ending ending) throws InterruptedException {
        try (Demo demo = new Demo(scheduler)) {
            Address own = new Address();
            own.stream = demo.uri();
            Watch watch = begin(source(own), scheduler, ending);
            demo.start(watch::story, ending::now);
            return finish(watch, ending);
        }
    }

    private Watch begin(DataSource source, Scheduler scheduler, Ending ending) {
        Watch watch = new Watch(source, scheduler, display(ending));
        watch.start();
        if (duration != null) {
            scheduler.schedule(duration, ending::now);
        }
        return watch;
    }

    private int finish(Watch watch, Ending ending) throws InterruptedException {
        ending.await();
        Summary summary = watch.end(snapshot);
        return summary.ready() ? 0 : 1;
    }

    private DataSource source(Address to) {
        try {
            if (to.stream != null) {
                return StreamingDataSource.builder(to.stream, sdkKey)
                        .initialRetryDelay(initialRetryDelay)
                        .http(httpSettings())
                        .build();
            }
            if (to.poll != null) {
                return PollingDataSource.builder(to.poll, sdkKey)
                        .pollInterval(interval)
                        .http(httpSettings())
                        .build();
            }
            throw new ParameterException(spec.commandLine(), "neither --stream nor --poll has an address");
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private HttpSettings httpSettings() {
        HttpSettings.Builder settings = HttpSettings.builder();
        if (connectTimeout != null) {
            settings.connectTimeout(connectTimeout);
        }
        if (readTimeout != null) {
            settings.readTimeout(readTimeout);
        }
        for (String header : headers) {
            int colon = header.indexOf(':');
            if (colon < 1) {
                throw new ParameterException(spec.commandLine(), "--header is not of the form NAME:VALUE");
            }
            settings.header(
                    header.substring(0, colon).strip(),
                    header.substring(colon + 1).strip());
        }
        return settings.build();
    }

    private Display display(Ending ending) {
        PrintStream out = LiveOutput.on(System.out, ending::now);
        return json
                ? new JsonDisplay(out)
                : new TerminalDisplay(out, CommandLine.Help.Ansi.AUTO, ZoneId.systemDefault());
    }
}
