package io.flagfeed.cli;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import io.flagfeed.sdk.SystemScheduler;
import io.flagfeed.sdk.testing.FakeFlagServer;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The fake service as a process of its own. */
@Command(
        name = "serve",
        description = {
            "Serves flags on loopback, to be streamed and to be polled, until Ctrl-C.",
            "Without a file they are those of the demo."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:ended normally", "1:the port cannot be had", "2:bad usage"})
final class ServeCommand implements Callable<Integer> {
    private static final Duration FORGETS_EVERY = Duration.ofMinutes(1);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls
    private CommandSpec spec;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8030",
            description = "The port; 0 takes any that is free. Default: ${DEFAULT-VALUE}.")
    private int port = 8030;

    @Option(
            names = "--flags",
            paramLabel = "FILE",
            description =
                    "A JSON file as a poll answers: {\"flags\":{..},\"segments\":{..}}. Read again when it changes.")
    private @Nullable Path flags;

    @Option(names = "--verbose", description = "The library's log on stderr.")
    private boolean verbose;

    @Override
    public Integer call() throws InterruptedException {
        Logging.configure(verbose);
        if (port < 0 || port > 65535) {
            throw new ParameterException(spec.commandLine(), "--port is not between 0 and 65535: " + port);
        }
        FlagsFile file = flags == null ? null : new FlagsFile(flags);
        List<Item> items = file == null ? new DemoFlags().all() : read(file);
        try (SystemScheduler scheduler = Scheduler.system("flagfeed-serve");
                FakeFlagServer server =
                        FakeFlagServer.builder().port(port).flags(items).start();
                Ending ending = new Ending()) {
            say("Serving " + count(items) + " on " + server.uri() + ": stream it at /all, poll it at /sdk/latest-all");
            if (file != null) {
                file.watch(
                        scheduler,
                        changed -> {
                            server.setAll(changed);
                            say("Serving " + count(changed) + " after a change of the file");
                        },
                        problem -> complain(problem + "; the last good content stays served"));
            }
            forgetRequests(scheduler, server);
            ending.await();
            say("Answered " + server.requestCount() + " requests");
            return 0;
        } catch (UncheckedIOException e) {
            complain("Port " + port + " cannot be had: " + e.getMessage());
            return 1;
        }
    }

    /** Nobody looks at them, and a service may be asked for months. */
    private static void forgetRequests(Scheduler scheduler, FakeFlagServer server) {
        server.forgetRequests();
        Cancellable unused = scheduler.schedule(FORGETS_EVERY, () -> forgetRequests(scheduler, server));
    }

    private List<Item> read(FlagsFile file) {
        try {
            return file.read();
        } catch (FlagsFile.UnusableException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static String count(List<Item> items) {
        long flags = items.stream().filter(item -> item.kind() == ItemKind.FLAG).count();
        return flags + " flags and " + (items.size() - flags) + " segments";
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    private void complain(String line) {
        spec.commandLine().getErr().println(line);
        spec.commandLine().getErr().flush();
    }
}
