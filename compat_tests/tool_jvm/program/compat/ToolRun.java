package compat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.KafkaThread;

/** One run of a tool. What ends a process here ends the run: its first call of exit, or the end of its threads. */
final class ToolRun implements AutoCloseable {
    private static final long LEFT_WAIT_MS = 2_000;
    private static final int NOT_ENDED = -1;

    private final String[] words;
    private final URLClassLoader fresh;
    private final Console.Output stdout;
    private final Console.Output stderr;
    private final ThreadGroup group = new ThreadGroup("tool") {
        @Override
        public void uncaughtException(Thread thread, Throwable thrown) {
            if (!(thrown instanceof Ended)) {
                super.uncaughtException(thread, thrown);
            }
        }
    };
    private final List<Thread> hooks = new CopyOnWriteArrayList<>();
    private volatile int status = NOT_ENDED;

    /** Ends a thread that called exit. */
    private static final class Ended extends Error {
        Ended() {
            super("the tool has ended", null, false, false);
        }
    }

    ToolRun(String[] words, URL[] jars, Console.Output stdout, Console.Output stderr) {
        this.words = words;
        this.fresh = new URLClassLoader(jars, ToolRun.class.getClassLoader());
        this.stdout = stdout;
        this.stderr = stderr;
    }

    /** Run it, with its shutdown hooks; its exit status. */
    int status() throws Exception {
        Exit.setExitProcedure((code, message) -> end(code));
        Exit.setHaltProcedure((code, message) -> {
            hooks.clear();
            end(code);
        });
        Exit.setShutdownHookAdder((name, hook) -> hooks.add(new Thread(group, hook, name)));
        Thread main = new Thread(group, this::call, "main");
        main.setContextClassLoader(fresh);
        main.start();
        main.join();
        while (status == NOT_ENDED && isBusy(false)) {
            Thread.sleep(1);
        }
        for (Thread hook : hooks) {
            hook.setContextClassLoader(fresh);
            hook.start();
        }
        for (Thread hook : hooks) {
            hook.join();
        }
        return Math.max(status, 0);
    }

    @Override
    public void close() throws IOException {
        fresh.close();
    }

    private synchronized void end(int code) {
        if (status == NOT_ENDED) {
            status = code;
            stdout.silence(Thread.currentThread());
            stderr.silence(Thread.currentThread());
        }
        throw new Ended();
    }

    private void call() {
        try {
            Method main = fresh.loadClass(words[0]).getMethod("main", String[].class);
            main.invoke(null, (Object) Arrays.copyOfRange(words, 1, words.length));
        } catch (InvocationTargetException thrown) {
            fail(thrown.getCause());
        } catch (ReflectiveOperationException error) {
            fail(error);
        }
    }

    /** As a JVM ends whose main thread threw. */
    private void fail(Throwable thrown) {
        if (!(thrown instanceof Ended)) {
            System.err.print("Exception in thread \"main\" ");
            thrown.printStackTrace();
            synchronized (this) {
                status = status == NOT_ENDED ? 1 : status;
            }
        }
    }

    /** Whether threads of the tool do not end, which only the end of a JVM would do. */
    boolean leavesThreads() throws InterruptedException {
        for (long waited = 0; waited < LEFT_WAIT_MS; waited++) {
            if (!isBusy(true)) {
                return false;
            }
            Thread.sleep(1);
        }
        return true;
    }

    /** Whether threads of the tool run which keep a JVM alive, or else (with all) are Kafka's. */
    private boolean isBusy(boolean all) {
        Thread[] found = new Thread[group.activeCount() + 8];
        int count = group.enumerate(found);
        for (int n = 0; n < count; n++) {
            if (!found[n].isDaemon() || all && found[n] instanceof KafkaThread) {
                return true;
            }
        }
        return false;
    }
}
