package compat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;

/** A verb at work: what it was given, what it is told meanwhile, what it answers. */
final class Run extends Thread {
    final Arguments arguments;
    private final long id;
    private final String verb;
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

    Run(long id, String verb, Arguments arguments) {
        super(verb + " " + id);
        setDaemon(true);
        this.id = id;
        this.verb = verb;
        this.arguments = arguments;
    }

    @Override
    public void run() {
        String broke = null;
        try {
            verb();
        } catch (Throwable error) {
            StringWriter text = new StringWriter();
            error.printStackTrace(new PrintWriter(text));
            broke = text.toString();
        }
        write("broke", broke);
    }

    private void verb() throws Exception {
        switch (verb) {
            case "produce": Produce.run(this); break;
            case "consume": Consume.run(this); break;
            case "group": new Group(this).run(); break;
            case "admin": AdminActions.run(this); break;
            case "steady": Steady.run(this); break;
            default: throw new IllegalArgumentException("no verb " + verb);
        }
    }

    /** One more line of its input, or null for the end of it. */
    void tell(String line) {
        lines.add(Optional.ofNullable(line));
    }

    /** The next line that it was told, empty at the end; null when there is none yet. */
    Optional<String> told() {
        return lines.poll();
    }

    /** Gives one answer: names and values in turn. */
    void answer(Object... namesAndValues) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int n = 0; n < namesAndValues.length; n += 2) members.put((String) namesAndValues[n], namesAndValues[n + 1]);
        write("answer", members);
    }

    private void write(String name, Object value) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", id);
        members.put(name, value);
        synchronized (System.out) {
            System.out.println(Json.write(members));
            System.out.flush();
        }
    }

    /** The name of an error as users see it: the class of what a future wraps. */
    static String name(Throwable error) {
        System.err.println(error);
        boolean wrapped = error instanceof ExecutionException && error.getCause() != null;
        return (wrapped ? error.getCause() : error).getClass().getSimpleName();
    }
}
