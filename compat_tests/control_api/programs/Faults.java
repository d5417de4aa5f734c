import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** Adds a fault rule, sees it, removes it, with the HTTP client of the JDK. Prints what the broker says last. */
class Faults {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String RULE =
        "{\"when\": {\"api\": \"metadata\"}, \"then\": {\"delay\": {\"ms\": 5}}, \"label\": \"from Java\"}";

    public static void main(String[] arguments) throws Exception {
        String faults = arguments[0] + "/v1/faults";
        String added = send("POST", faults, RULE, 201);
        var id = Pattern.compile("\"id\": (\\d+)").matcher(added);
        if (!id.find() || !send("GET", faults, null, 200).contains("\"label\": \"from Java\"")) {
            throw new IllegalStateException(added);
        }
        send("DELETE", faults + "/" + id.group(1), null, 200);
        System.out.print(send("GET", faults, null, 200));
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
