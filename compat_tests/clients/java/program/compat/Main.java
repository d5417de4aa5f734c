package compat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The Java client as one process for many runs of a verb, since a JVM takes long to start and to warm up.
 * Lines on stdin: {id, verb, arguments} starts a run; {id, line} is told to it, null at the end of its input;
 * {id, kill} interrupts it. Lines on stdout: {id, answer} and, as the last of a run, {id, broke: text or null}.
 */
public final class Main {
    public static void main(String[] none) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<Long, Run> runs = new HashMap<>();
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Arguments told = new Arguments(Json.read(line));
            long id = told.number("id");
            if (told.get("verb") != null) {
                runs.put(id, new Run(id, told.string("verb"), new Arguments(told.get("arguments"))));
                runs.get(id).start();
            } else if (told.flag("kill")) {
                runs.remove(id).interrupt();
            } else {
                runs.get(id).tell(told.string("line"));
            }
        }
        System.exit(0); // whatever still runs
    }
}
