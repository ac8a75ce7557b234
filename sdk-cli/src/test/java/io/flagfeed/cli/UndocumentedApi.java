package io.flagfeed.cli;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Finds public declarations without a comment, by the compiler's own parser. An override inherits its comment. */
final class UndocumentedApi extends TreePathScanner<Void, Void> {
    private final DocTrees docs;
    private final List<String> found = new ArrayList<>();

    private UndocumentedApi(DocTrees docs) {
        this.docs = docs;
    }

    static List<String> in(List<Path> sources) throws IOException {
        try (StandardJavaFileManager files =
                ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null)) {
            return scan(files.getJavaFileObjectsFromPaths(sources));
        }
    }

    static List<String> in(String className, String source) throws IOException {
        return scan(List.of(
                new SimpleJavaFileObject(URI.create("memory:/" + className + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                }));
    }

    private static List<String> scan(Iterable<? extends JavaFileObject> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task = (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, sources);
        UndocumentedApi scanner = new UndocumentedApi(DocTrees.instance(task));
        for (CompilationUnitTree unit : task.parse()) {
            scanner.scan(unit, null);
        }
        return scanner.found;
    }

    @Override
    public Void visitClass(ClassTree tree, Void unused) {
        if (!isPublic(tree.getModifiers())) {
            return null; // nor is what is in it
        }
        check(tree.getSimpleName().toString());
        return super.visitClass(tree, null);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void unused) {
        boolean override = tree.getModifiers().getAnnotations().stream()
                .anyMatch(
                        annotation -> annotation.getAnnotationType().toString().equals("Override"));
        if (isPublic(tree.getModifiers()) && !override && !isGenerated(tree)) {
            check(tree.getName().toString());
        }
        return null; // what is in a body is not public
    }

    @Override
    public Void visitVariable(VariableTree tree, Void unused) {
        if (isPublic(tree.getModifiers())) {
            check(tree.getName().toString());
        }
        return null;
    }

    @Override
    public Void visitBlock(BlockTree tree, Void unused) {
        return null;
    }

    private void check(String name) {
        if (docs.getDocCommentTree(getCurrentPath()) == null) {
            found.add(getCurrentPath().getCompilationUnit().getSourceFile().getName() + ": " + name);
        }
    }

    private boolean isPublic(ModifiersTree modifiers) {
        Tree parent = getCurrentPath().getParentPath().getLeaf();
        boolean inInterface = parent.getKind() == Tree.Kind.INTERFACE;
        return modifiers.getFlags().contains(Modifier.PUBLIC)
                || modifiers.getFlags().contains(Modifier.PROTECTED)
                || (inInterface && !modifiers.getFlags().contains(Modifier.PRIVATE));
    }

    /** A default constructor that the parser adds has no place of its own in the text. */
    private boolean isGenerated(MethodTree tree) {
        return docs.getSourcePositions().getStartPosition(getCurrentPath().getCompilationUnit(), tree) < 0;
    }
}
