package compat;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Runs Kafka's tools one after the other, each as if it had a JVM of its own. It ends when its input does.
 * Arguments: the jars whose classes each tool loads anew, since they keep what one run counted.
 * A command: the number of its words, the words (the class, then its arguments) and stdin; each a length and bytes.
 * An answer: status, stdout and stderr in the same form, and a byte that is 1 when threads of the tool still run.
 */
public final class ToolHost {
    private static final Charset CONSOLE =
        Charset.forName(System.getProperty("stdout.encoding", Charset.defaultCharset().name()));

    public static void main(String[] jars) throws Exception {
        DataInputStream commands =
            new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
        DataOutputStream answers =
            new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
        Console.Input stdin = new Console.Input();
        Console.Output stdout = new Console.Output();
        Console.Output stderr = new Console.Output();
        // once and for all: loggers and Scala's Console keep the streams that they find when they are loaded
        System.setIn(stdin);
        System.setOut(new PrintStream(stdout, true, CONSOLE));
        System.setErr(new PrintStream(stderr, true, CONSOLE));
        URL[] fresh = urls(jars);
        try {
            while (true) {
                String[] words = new String[commands.readInt()];
                for (int n = 0; n < words.length; n++) {
                    words[n] = new String(bytes(commands), StandardCharsets.UTF_8);
                }
                stdin.begin(bytes(commands));
                try (ToolRun run = new ToolRun(words, fresh, stdout, stderr)) {
                    answers.writeInt(run.status());
                    boolean isLeft = run.leavesThreads();
                    write(answers, stdout.take());
                    write(answers, stderr.take());
                    answers.writeByte(isLeft ? 1 : 0);
                    answers.flush();
                }
            }
        } catch (EOFException over) {
            Runtime.getRuntime().halt(0); // whatever still runs
        }
    }

    private static URL[] urls(String[] jars) throws MalformedURLException {
        URL[] found = new URL[jars.length];
        for (int n = 0; n < jars.length; n++) {
            found[n] = Path.of(jars[n]).toUri().toURL();
        }
        return found;
    }

    private static byte[] bytes(DataInputStream input) throws IOException {
        byte[] found = new byte[input.readInt()];
        input.readFully(found);
        return found;
    }

    private static void write(DataOutputStream output, byte[] bytes) throws IOException {
        output.writeInt(bytes.length);
        output.write(bytes);
    }
}
