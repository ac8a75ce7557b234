package io.flagfeed.sdk.testing;

import static org.junit.jupiter.api.Assertions.assertAll;

import io.flagfeed.sdk.DataSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.function.Executable;
import org.opentest4j.TestAbortedException;

/**
 * For JUnit 5: gives a test its fakes, closes them, and fails the test for what they hold at its end.
 *
 * <pre>{@code
 * @ExtendWith(FlagfeedExtension.class)
 * final class ShopClientTest {
 *   @Test
 *   void survivesANight(VirtualScheduler time, FakeDataSource source, DataSystem system) { ... }
 * }
 * }</pre>
 *
 * <p>A parameter of one of these types gets the test's own, made when it is first asked for, the same in
 * {@code @BeforeEach} and in the test: {@link VirtualScheduler}; {@link FakeFlagServer}, whose delays take real time
 * and whose dates are the virtual scheduler's; {@link FakeDataSource}; {@link RecordingSink}; and a {@link DataSystem}
 * of the fake source in virtual time, not yet started, whose listeners run on the thread that moves time.
 *
 * <p>After the test everything is closed, and a test that passed fails if then a task waits in virtual time, an answer
 * was scripted that no request got, a sink was told something that nobody took, a run of the fake source was not
 * cancelled, or a thread is alive that was not before the test. Threads that are nobody's to end do not count: the
 * JDK's own, JUnit's, and those that OkHttp and Okio share in the whole JVM. Tests that run at the same time in one JVM
 * see each other's threads, so let those that use this run one after another. A test that failed or was aborted by an
 * assumption is not checked. The requests that the server of a failed test got are printed to the standard error
 * stream.
 */
public final class FlagfeedExtension implements BeforeEachCallback, ParameterResolver, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(FlagfeedExtension.class);
    private static final Duration LONGEST_GOODBYE = Duration.ofSeconds(2);
    private static final Set<Class<?>> FAKES = Set.of(
            VirtualScheduler.class, FakeFlagServer.class, FakeDataSource.class, RecordingSink.class, DataSystem.class);

    /** For {@code @ExtendWith} and {@code @RegisterExtension}. */
    public FlagfeedExtension() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        fakes(context); // notes which threads there are before the test
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        // not for constructors and @BeforeAll: what these get would be shared by all tests of the class
        return FAKES.contains(parameter.getParameter().getType())
                && context.getTestMethod().isPresent();
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return fakes(context).get(parameter.getParameter().getType());
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
        Fakes fakes = fakes(context);
        Throwable thrown = context.getExecutionException().orElse(null);
        boolean failed = thrown != null && !(thrown instanceof TestAbortedException);
        FakeFlagServer server = fakes.made(FakeFlagServer.class);
        String asked = server == null ? "" : context.getDisplayName() + ": " + server;
        try {
            fakes.close();
            if (thrown == null) {
                fakes.assertNothingIsLeft();
            }
        } catch (Throwable e) {
            failed = true;
            throw e;
        } finally {
            if (server != null && failed) {
                System.err.println(asked);
            }
        }
    }

    private static Fakes fakes(ExtensionContext context) {
        return context.getStore(NAMESPACE).getOrComputeIfAbsent(Fakes.class, type -> new Fakes(), Fakes.class);
    }

    /** The fakes of one test. */
    private static final class Fakes {
        private final Map<Class<?>, Object> made = new ConcurrentHashMap<>();
        private final NewThreads threads = new NewThreads();

        Object get(Class<?> type) {
            Object fake = made.get(type);
            if (fake == null) {
                fake = make(type);
                made.put(type, fake);
            }
            return fake;
        }

        <T> @Nullable T made(Class<T> type) {
            return type.cast(made.get(type));
        }

        private Object make(Class<?> type) {
            if (type == VirtualScheduler.class) {
                return new VirtualScheduler();
            } else if (type == FakeFlagServer.class) {
                return FakeFlagServer.builder().clock(time()::now).start();
            } else if (type == FakeDataSource.class) {
                return new FakeDataSource();
            } else if (type == RecordingSink.class) {
                return new RecordingSink();
            }
            return DataSystem.builder((FakeDataSource) get(FakeDataSource.class))
                    .scheduler(time())
                    .listenerExecutor(Runnable::run)
                    .build();
        }

        private VirtualScheduler time() {
            return (VirtualScheduler) get(VirtualScheduler.class);
        }

        /** Closes everything, whatever closing one of them throws. */
        void close() {
            List<Executable> closings = new ArrayList<>();
            DataSystem system = made(DataSystem.class);
            if (system != null) {
                closings.add(system::close);
            }
            FakeFlagServer server = made(FakeFlagServer.class);
            if (server != null) {
                closings.add(server::close);
            }
            assertAll("closing after the test", closings);
        }

        /** What should not be there once everything is closed. */
        void assertNothingIsLeft() throws InterruptedException {
            List<String> leftovers = new ArrayList<>();
            FakeFlagServer server = made(FakeFlagServer.class);
            if (server != null) {
                note(leftovers, "answers that no request got", server.stream().pending());
                note(leftovers, "answers that no request got", server.poll().pending());
            }
            FakeDataSource source = made(FakeDataSource.class);
            if (source != null && source.running() > 0) {
                leftovers.add("runs of the fake source that were not cancelled: " + source.running());
            }
            VirtualScheduler time = made(VirtualScheduler.class);
            if (time != null) {
                note(leftovers, "tasks that wait in virtual time", time.waiting());
            }
            RecordingSink sink = made(RecordingSink.class);
            if (sink != null) {
                note(leftovers, "news that nobody took from the sink", sink.waiting());
            }
            // those of the library's listeners last a second without work
            note(leftovers, "threads that are still alive", threads.stillAlive(LONGEST_GOODBYE));
            if (!leftovers.isEmpty()) {
                throw new AssertionError("after the test: " + String.join("; ", leftovers));
            }
        }

        private static void note(List<String> leftovers, String what, List<?> list) {
            if (!list.isEmpty()) {
                leftovers.add(what + ": " + list);
            }
        }
    }
}
