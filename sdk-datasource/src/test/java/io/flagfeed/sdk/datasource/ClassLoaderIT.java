package io.flagfeed.sdk.datasource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.DataSystem;
import io.flagfeed.sdk.testing.FakeFlagServer;
import io.flagfeed.sdk.testing.TestFlags;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * An application that is taken out of its server leaves none of our classes behind.
 *
 * <p>Our modules are in a class loader of their own, the libraries below them in its parent, and OkHttp's threads are
 * there already. One of these that began inside would remember who was on the stack, and so our class loader, for the
 * minute that it lives without work. Such a run says nothing of us and is made once more; every other one counts, and
 * the class loader of each has to go.
 */
final class ClassLoaderIT { // LIFE-10
    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final int RUNS = 5;
    private static final int TRIES = 50; // for so many runs that count

    @Test
    void classesCanBeUnloadedAfterClosing() throws Exception {
        try (FakeFlagServer server = FakeFlagServer.start()) {
            server.set(TestFlags.flag("a").build());
            new Application().accept(server.uri()); // so that OkHttp has its threads
            Sockets.awaitNoThreads();
            List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
            for (int tries = 1; loaders.size() < RUNS; tries++) {
                assertTrue(tries <= TRIES, loaders.size() + " runs in which no thread of OkHttp's began");
                Set<Thread> before = threadsOfOkHttp();
                WeakReference<ClassLoader> loader = runInside(server.uri());
                if (before.containsAll(threadsOfOkHttp())) {
                    loaders.add(loader);
                }
            }
            // newer JDKs remember softly, in one place, for which class a record's method was linked last
            WeakReference<ClassLoader> unused = runInside(server.uri());
            Sockets.await().untilAsserted(() -> {
                System.gc();
                assertEquals(
                        0,
                        loaders.stream().filter(loader -> loader.get() != null).count(),
                        "class loaders that stay");
            });
        }
    }

    private static Set<Thread> threadsOfOkHttp() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("Ok(Http|io) .*"))
                .collect(Collectors.toSet());
    }

    private static WeakReference<ClassLoader> runInside(URI server) throws Exception {
        ClassLoader outside = Thread.currentThread().getContextClassLoader();
        try (Modules inside = new Modules(outside)) {
            Thread.currentThread().setContextClassLoader(inside);
            Object application = inside.loadClass(Application.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            assertNotSame(Application.class, application.getClass());
            @SuppressWarnings("unchecked") // the interface is the JDK's
            Consumer<URI> consumer = (Consumer<URI>) application;
            consumer.accept(server);
            Sockets.awaitNoThreads(); // who would still load classes, or could begin a thread of OkHttp's
            return new WeakReference<>(inside);
        } finally {
            Thread.currentThread().setContextClassLoader(outside);
        }
    }

    /** Has sdk-core and sdk-datasource, and this test, once more. */
    private static final class Modules extends URLClassLoader {
        Modules(ClassLoader libraries) {
            super(
                    new URL[] {
                        placeOf(DataSystem.class), placeOf(HttpSettings.class), placeOf(ClassLoaderIT.class),
                    },
                    libraries);
        }

        private static URL placeOf(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.flagfeed.") || name.startsWith("io.flagfeed.sdk.testing.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    /** What runs inside: a stream and a poll, from the beginning to the end. */
    public static final class Application implements Consumer<URI> {
        /** For reflection. */
        public Application() {}

        @Override
        public void accept(URI server) {
            List<DataSource> sources = List.of(
                    StreamingDataSource.builder(server, "sdk-key").build(),
                    PollingDataSource.builder(server, "sdk-key").build());
            for (DataSource source : sources) {
                try (DataSystem system = DataSystem.builder(source).build()) {
                    system.onChange(event -> {});
                    system.start();
                    assertTrue(system.awaitReady(LONGEST));
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
