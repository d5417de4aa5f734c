package compat;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** What a verb was given, by name. */
final class Arguments {
    private final Map<String, Object> given;

    @SuppressWarnings("unchecked")
    Arguments(Object given) {
        this.given = (Map<String, Object>) given;
    }

    Object get(String name) {
        return given.get(name);
    }

    String string(String name) {
        return (String) given.get(name);
    }

    /** The value of a name that has to be there. */
    long number(String name) {
        return (Long) given.get(name);
    }

    int integer(String name) {
        return Math.toIntExact(number(name));
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(given.get(name));
    }

    byte[] bytes(String name) {
        return decode(given.get(name));
    }

    @SuppressWarnings("unchecked")
    List<Object> list(String name) {
        return (List<Object>) given.getOrDefault(name, List.of());
    }

    List<String> strings(String name) {
        List<String> found = new ArrayList<>();
        list(name).forEach(item -> found.add((String) item));
        return found;
    }

    Map<String, String> map(String name) {
        Map<String, String> found = new LinkedHashMap<>();
        Object members = given.get(name);
        if (members != null) ((Map<?, ?>) members).forEach((key, value) -> found.put((String) key, (String) value));
        return found;
    }

    /** The settings that every client needs. Calls end within 10 s. */
    Properties properties() {
        Properties found = new Properties();
        found.put("bootstrap.servers", string("bootstrap_servers"));
        found.put("request.timeout.ms", "10000");
        found.put("default.api.timeout.ms", "10000");
        return found;
    }

    static byte[] decode(Object text) {
        return text == null ? null : Base64.getDecoder().decode((String) text);
    }

    static String encode(byte[] bytes) {
        return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
    }
}
