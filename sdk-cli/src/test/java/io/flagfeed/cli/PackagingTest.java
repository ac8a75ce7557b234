package io.flagfeed.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * What is told to the build of an application: a library whose types a module shows is named in that module's own pom,
 * so that it does not hang on somebody else's whether the application can compile.
 */
final class PackagingTest { // PACK-01
    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.flagfeed.sdk");
    private static final Pattern OURS = Pattern.compile("/(sdk-[a-z]+)/target/");
    private static final Pattern JAR = Pattern.compile("/([^/]+?)-[0-9][^/]*\\.jar!");

    @ParameterizedTest
    @CsvSource({
        "sdk-core, micrometer-core",
        "sdk-datasource, okhttp sdk-core",
        "sdk-testing, junit-jupiter-api sdk-core"
    })
    void pomNamesWhatTheApiShows(String module, String shown) throws Exception {
        Set<String> libraries = shownBy(module);
        assertEquals(Set.of(shown.split(" ", -1)), libraries);
        Set<String> missing = new TreeSet<>(libraries);
        missing.removeAll(declaredBy(module));
        assertEquals(Set.of(), missing);
    }

    private static Set<String> shownBy(String module) {
        return MAIN.stream()
                .filter(type -> module.equals(libraryOf(type).orElse("")) && isShown(type))
                .flatMap(PackagingTest::typesShownBy)
                .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                .map(PackagingTest::libraryOf)
                .flatMap(Optional::stream)
                .filter(library -> !library.equals(module))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isShown(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PackagingTest::isShown).orElse(true);
    }

    private static Stream<JavaType> typesShownBy(JavaClass type) {
        Stream<JavaType> above = Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
        Stream<JavaType> fields =
                type.getFields().stream().filter(PackagingTest::isShown).map(JavaField::getType);
        Stream<JavaType> code =
                type.getCodeUnits().stream().filter(PackagingTest::isShown).flatMap(PackagingTest::typesShownBy);
        return Stream.of(above, fields, code).flatMap(types -> types);
    }

    private static boolean isShown(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    private static Stream<JavaType> typesShownBy(JavaCodeUnit code) {
        return Stream.of(
                        Stream.of(code.getReturnType()),
                        code.getParameterTypes().stream(),
                        code.getExceptionTypes().stream())
                .flatMap(types -> types);
    }

    /** The artifact that a type comes from, or none for one of the JDK. */
    private static Optional<String> libraryOf(JavaClass type) {
        JavaClass base = type.getBaseComponentType();
        if (base.isPrimitive()) {
            return Optional.empty();
        } else if (base.getSource().isEmpty()) { // it is optional, and so not on this class path
            return Optional.of(base.getPackageName().startsWith("io.micrometer.") ? "micrometer-core" : base.getName());
        }
        String place = base.getSource().get().getUri().toString();
        return Stream.of(OURS.matcher(place), JAR.matcher(place))
                .filter(Matcher::find)
                .map(found -> found.group(1).replaceFirst("-jvm$", "")) // one library, whatever its line calls it
                .findFirst();
    }

    /** What the module hands on. */
    private static Set<String> declaredBy(String module) throws Exception {
        Document pom = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("..", module, "pom.xml").toFile());
        XPath path = XPathFactory.newInstance().newXPath();
        NodeList names = (NodeList) path.evaluate(
                "/project/dependencies/dependency[not(scope) or scope='compile']/artifactId",
                pom,
                XPathConstants.NODESET);
        Set<String> declared = new TreeSet<>();
        for (int i = 0; i < names.getLength(); i++) {
            Node name = names.item(i);
            declared.add(name.getTextContent().replace("${okhttp.artifactId}", "okhttp"));
        }
        return declared;
    }
}
