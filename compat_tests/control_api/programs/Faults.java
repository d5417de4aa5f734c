import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** Adds a fault rule, sees it, removes it; waits, moves the clock, resets; with the HTTP client of the JDK. Prints what the broker says last. */
class Faults {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String RULE =
        "{\"when\": {\"api\": \"metadata\"}, \"then\": {\"delay\": {\"ms\": 5}}, \"label\": \"from Java\"}";

    public static void main(String[] arguments) throws Exception {
        String api = arguments[0] + "/v1";
        String faults = api + "/faults";
        String added = send("POST", faults, RULE, 201);
        var id = Pattern.compile("\"id\": (\\d+)").matcher(added);
        if (!id.find() || !send("GET", faults, null, 200).contains("\"label\": \"from Java\"")) {
            throw new IllegalStateException(added);
        }
        send("DELETE", faults + "/" + id.group(1), null, 200);
        String ready = "{\"what\": \"cluster\", \"where\": {\"ready\": true}, \"timeout_ms\": 10000}";
        if (!send("POST", api + "/wait", ready, 200).contains("\"ready\": true")) {
            throw new IllegalStateException("not ready");
        }
        long before = wallMs(send("GET", api + "/clock", null, 200));
        long after = wallMs(send("POST", api + "/clock/advance", "{\"ms\": 300000}", 200));
        if (after < before + 300_000) {
            throw new IllegalStateException(before + " " + after);
        }
        send("POST", api + "/topics", "{\"name\": \"from-java\"}", 201);
        send("POST", api + "/reset", "{\"close_connections\": false}", 200);
        if (send("GET", api + "/topics", null, 200).contains("from-java")) {
            throw new IllegalStateException("the topic survived the reset");
        }
        System.out.print(send("GET", faults, null, 200));
    }

    private static long wallMs(String clock) {
        var found = Pattern.compile("\"wall_ms\": (\\d+)").matcher(clock);
        if (!found.find()) {
            throw new IllegalStateException(clock);
        }
        return Long.parseLong(found.group(1));
    }

    private static String send(String method, String url, String body, int expected) throws Exception {
        var publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create(url)).method(method, publisher);
        if (body != null) {
            request.header("content-type", "application/json");
        }
        var response = CLIENT.send(request.build(), BodyHandlers.ofString());
        if (response.statusCode() != expected) {
            throw new IllegalStateException(method + " " + url + ": " + response.statusCode() + " " + response.body());
        }
        return response.body();
    }
}
