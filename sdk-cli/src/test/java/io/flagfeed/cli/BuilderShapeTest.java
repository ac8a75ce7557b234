package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.flagfeed.sdk.DataSource;
import io.flagfeed.sdk.datasource.Credential;
import io.flagfeed.sdk.datasource.HeaderNames;
import io.flagfeed.sdk.datasource.HttpSettings;
import io.flagfeed.sdk.datasource.ServiceEndpoints;
import io.flagfeed.sdk.datasource.TlsSettings;
import io.flagfeed.sdk.retry.RetryPolicy;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All builders have one shape: who has used one has used them all. */
final class BuilderShapeTest {
    /** What makes the thing and is no option. */
    private static final Set<String> ENDS = Set.of("build", "start");

    private static final Map<Class<?>, Object> SAMPLES = Map.of(
            URI.class, URI.create("https://flags.example"),
            String.class, "text",
            ServiceEndpoints.class, ServiceEndpoints.relay(URI.create("https://flags.example")),
            Credential.class, Credential.of("key"),
            DataSource.class, (DataSource) (sink, scheduler) -> () -> {});

    private static final List<Class<?>> BUILDERS = findBuilders();

    static List<Class<?>> builders() {
        return BUILDERS;
    }

    private static List<Class<?>> findBuilders() {
        List<Class<?>> found = new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.flagfeed.sdk")
                        .stream()
                        .filter(type -> type.getSimpleName().equals("Builder"))
                        .filter(type ->
                                type.getModifiers().contains(com.tngtech.archunit.core.domain.JavaModifier.PUBLIC))
                        .<Class<?>>map(JavaClass::reflect)
                        .sorted(java.util.Comparator.comparing(Class::getName))
                        .toList();
        assertTrue(found.size() >= 7, found::toString);
        return found;
    }

    static List<Method> options(Class<?> builder) {
        return Arrays.stream(builder.getMethods())
                .filter(method -> method.getDeclaringClass() != Object.class && !method.isBridge())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !ENDS.contains(method.getName()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("builders")
    void aBuilderIsFinalAndComesFromTheThingThatItBuilds(Class<?> builder) {
        Class<?> built = builder.getEnclosingClass();
        assertTrue(Modifier.isFinal(builder.getModifiers()));
        assertEquals(0, builder.getConstructors().length);
        assertTrue(Arrays.stream(built.getMethods())
                .anyMatch(method -> Modifier.isStatic(method.getModifiers())
                        && method.getName().equals("builder")
                        && method.getReturnType() == builder));
        assertTrue(Arrays.stream(builder.getMethods())
                .anyMatch(method -> ENDS.contains(method.getName())
                        && method.getParameterCount() == 0
                        && method.getReturnType() == built));
    }

    /** So that calls can be chained, and are called as what they say. */
    @ParameterizedTest
    @MethodSource("builders")
    void eachOptionReturnsTheBuilderAndIsANounWithoutPrefix(Class<?> builder) throws Exception {
        Object instance = newBuilder(builder);
        for (Method option : options(builder)) {
            assertTrue(option.getReturnType().isInstance(instance), option::toString);
            assertTrue(option.getName().matches("(?!set[A-Z]|with[A-Z])[a-z][A-Za-z0-9]*"), option::toString);
            assertTrue(option.getParameterCount() <= 2, option::toString);
        }
        assertTrue(!options(builder).isEmpty());
    }

    /** Null is either refused with the name of what was null, or said to be allowed by its annotation. */
    @ParameterizedTest
    @MethodSource("builders")
    void nullIsRefusedByNameUnlessItIsAnnotated(Class<?> builder) throws Exception {
        for (Method option : options(builder)) {
            for (int i = 0; i < option.getParameterCount(); i++) {
                Class<?> type = option.getParameterTypes()[i];
                if (type.isPrimitive()) {
                    continue;
                }
                Object[] arguments = Arrays.stream(option.getParameterTypes())
                        .map(SAMPLES::get)
                        .toArray();
                arguments[i] = null;
                Object instance = newBuilder(builder);
                boolean nullable = option.getAnnotatedParameterTypes()[i].isAnnotationPresent(Nullable.class);
                if (nullable) {
                    assertEquals(instance, option.invoke(instance, arguments));
                } else {
                    Throwable thrown = assertThrows(
                                    InvocationTargetException.class,
                                    () -> option.invoke(instance, arguments),
                                    option::toString)
                            .getCause();
                    assertInstanceOf(NullPointerException.class, thrown, option::toString);
                    assertNotNull(thrown.getMessage(), option::toString);
                    assertTrue(
                            thrown.getMessage().matches("[a-z][A-Za-z]*"), () -> option + ": " + thrown.getMessage());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("builders")
    void whatIsBuiltIsImmutable(Class<?> builder) {
        Class<?> built = builder.getEnclosingClass();
        if (AutoCloseable.class.isAssignableFrom(built)) {
            return; // a system, a server: they live
        }
        assertTrue(Modifier.isFinal(built.getModifiers()));
        for (Field field : built.getDeclaredFields()) {
            assertTrue(Modifier.isFinal(field.getModifiers()), field::toString);
            assertTrue(!field.getType().isArray(), field::toString);
        }
    }

    static Stream<Object> settings() {
        HttpSettings http = HttpSettings.builder()
                .client(new okhttp3.OkHttpClient())
                .proxy(Proxy.NO_PROXY)
                .proxyAuthentication("name", "password")
                .socketFactory(javax.net.SocketFactory.getDefault())
                .dns(okhttp3.Dns.SYSTEM)
                .protocols(List.of(okhttp3.Protocol.HTTP_1_1))
                .connectTimeout(Duration.ofSeconds(1))
                .readTimeout(Duration.ofSeconds(2))
                .callTimeout(Duration.ofSeconds(3))
                .firstPayloadTimeout(Duration.ofSeconds(4))
                .maxPayloadBytes(5)
                .maxEventBytes(6)
                .maxHeaderBytes(7)
                .filter("f")
                .headerNames(HeaderNames.builder().tags("X-Tags").build())
                .product("p", "1")
                .applicationId("a")
                .applicationVersion("b")
                .wrapper("w", "2")
                .instanceId(new java.util.UUID(1, 2))
                .tls(TlsSettings.builder().insecureForDevelopment().build())
                .header("X-One", "1")
                .build();
        HeaderNames names = HeaderNames.builder()
                .authorization("A")
                .tags("B")
                .wrapper("C")
                .instanceId("D")
                .environmentId("E")
                .build();
        TlsSettings tls = TlsSettings.builder()
                .trustManager(new NobodyTrusted())
                .keyManager(new NobodyShown())
                .insecureForDevelopment()
                .build();
        HttpSettings selecting = HttpSettings.builder()
                .proxySelector(java.net.ProxySelector.getDefault())
                .build();
        return Stream.of(http, selecting, names, tls);
    }

    private static final class NobodyTrusted implements javax.net.ssl.X509TrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String authType) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }

    private static final class NobodyShown extends javax.net.ssl.X509ExtendedKeyManager {
        @Override
        public String[] getClientAliases(String keyType, java.security.Principal[] issuers) {
            return new String[0];
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, java.security.Principal[] issuers, java.net.Socket socket) {
            return null;
        }

        @Override
        public String[] getServerAliases(String keyType, java.security.Principal[] issuers) {
            return new String[0];
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, java.security.Principal[] issuers, java.net.Socket socket) {
            return null;
        }

        @Override
        public java.security.cert.X509Certificate[] getCertificateChain(String alias) {
            return new java.security.cert.X509Certificate[0];
        }

        @Override
        public java.security.@Nullable PrivateKey getPrivateKey(String alias) {
            return null;
        }
    }

    /** Everything that was set, what is shown nowhere too. */
    @ParameterizedTest
    @MethodSource("settings")
    void copyIsTheSameInEveryField(Object original) throws Exception {
        Object copy = copyOf(original);
        assertEquals(fields(original), fields(copy));
        assertEquals(original.toString(), copy.toString());
    }

    /** Of the settings of the test above only what cannot be set together stands at its default. */
    @Test
    void copiedSettingsDifferFromTheDefaultsInEveryField() {
        Map<String, @Nullable Object> defaults = fields(HttpSettings.DEFAULT);
        Map<String, @Nullable Object> set = fields(settings().findFirst().orElseThrow());
        set.entrySet().removeIf(field -> !java.util.Objects.equals(field.getValue(), defaults.get(field.getKey())));
        assertEquals(Set.of("proxySelector"), set.keySet());
    }

    @ParameterizedTest
    @MethodSource("settings")
    void builderThatGoesOnChangesNothingThatWasBuilt(Object original) throws Exception {
        Object builder = original.getClass().getMethod("toBuilder").invoke(original);
        Object first = builder.getClass().getMethod("build").invoke(builder);
        Map<String, @Nullable Object> before = fields(first);
        if (builder instanceof HttpSettings.Builder http) {
            http.header("X-Two", "2").maxPayloadBytes(99).filter("g");
        } else if (builder instanceof HeaderNames.Builder names) {
            names.authorization("Z").tags(null);
        } else if (builder instanceof TlsSettings.Builder tls) {
            tls.trustManager(new NobodyTrusted());
        }
        assertEquals(before, fields(first));
        assertTrue(!before.equals(fields(builder.getClass().getMethod("build").invoke(builder))));
    }

    @Test
    void retryPolicyIsARecordOfWhatItsBuilderTakes() {
        Set<String> components = new java.util.TreeSet<>();
        for (java.lang.reflect.RecordComponent component : RetryPolicy.class.getRecordComponents()) {
            components.add(component.getName());
        }
        Set<String> taken = new java.util.TreeSet<>();
        options(RetryPolicy.Builder.class).forEach(option -> taken.add(option.getName()));
        assertEquals(components, taken);
    }

    private static Object copyOf(Object settings) throws ReflectiveOperationException {
        Object builder = settings.getClass().getMethod("toBuilder").invoke(settings);
        return builder.getClass().getMethod("build").invoke(builder);
    }

    private static Map<String, @Nullable Object> fields(Object of) {
        Map<String, @Nullable Object> values = new TreeMap<>();
        for (Field field : of.getClass().getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                try {
                    field.setAccessible(true);
                    values.put(field.getName(), field.get(of));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return values;
    }

    private static Object newBuilder(Class<?> builder) throws ReflectiveOperationException {
        for (Method method : builder.getEnclosingClass().getMethods()) {
            if (Modifier.isStatic(method.getModifiers()) && method.getName().equals("builder")) {
                return method.invoke(
                        null,
                        Arrays.stream(method.getParameterTypes())
                                .map(SAMPLES::get)
                                .toArray());
            }
        }
        throw new AssertionError("no builder() in " + builder.getEnclosingClass());
    }
}
