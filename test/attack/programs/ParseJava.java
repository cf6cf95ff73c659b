import java.nio.file.Path;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** Exits with 1 if a file of Java has syntax errors. What its names mean does not matter. */
class ParseJava {
  public static void main(String[] files) throws Exception {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var found = new DiagnosticCollector<JavaFileObject>();
    var sources = compiler.getStandardFileManager(found, null, null).getJavaFileObjects(Path.of(files[0]));
    var task = (com.sun.source.util.JavacTask) compiler.getTask(null, null, found, null, null, sources);
    task.parse();
    System.exit(found.getDiagnostics().isEmpty() ? 0 : 1);
  }
}
