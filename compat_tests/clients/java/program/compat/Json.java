package compat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON as maps, lists, strings, longs, booleans and null. Numbers are whole. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.at < text.length()) throw json.unexpected();
        return value;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private Object value() {
        switch (peek()) {
            case '{': return object();
            case '[': return array();
            case '"': return string();
            case 't': return word("true", true);
            case 'f': return word("false", false);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        take('{');
        if (peek() != '}') {
            do {
                peek();
                String name = string();
                peek();
                take(':');
                members.put(name, value());
            } while (another('}'));
        }
        take('}');
        return members;
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        take('[');
        if (peek() != ']') {
            do {
                items.add(value());
            } while (another(']'));
        }
        take(']');
        return items;
    }

    private boolean another(char end) {
        if (peek() == end) return false;
        take(',');
        return true;
    }

    private String string() {
        StringBuilder found = new StringBuilder();
        take('"');
        while (text.charAt(at) != '"') {
            char next = text.charAt(at++);
            found.append(next == '\\' ? escaped() : next);
        }
        take('"');
        return found.toString();
    }

    private char escaped() {
        char kind = text.charAt(at++);
        switch (kind) {
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            case 'u':
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            default: return kind;
        }
    }

    private Object word(String word, Object meaning) {
        if (!text.startsWith(word, at)) throw unexpected();
        at += word.length();
        return meaning;
    }

    private Long number() {
        int start = at;
        while (at < text.length() && "-0123456789".indexOf(text.charAt(at)) >= 0) at++;
        if (at == start) throw unexpected();
        return Long.valueOf(text.substring(start, at));
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
    }

    private char peek() {
        skipSpace();
        if (at == text.length()) throw unexpected();
        return text.charAt(at);
    }

    private void take(char expected) {
        if (at == text.length() || text.charAt(at) != expected) throw unexpected();
        at++;
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("not JSON at character " + at + ": " + text);
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> members) {
            String between = "{";
            for (Map.Entry<?, ?> member : members.entrySet()) {
                out.append(between);
                quote(member.getKey().toString(), out);
                out.append(':');
                write(member.getValue(), out);
                between = ",";
            }
            out.append(members.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> items) {
            out.append('[');
            String between = "";
            for (Object item : items) {
                out.append(between);
                write(item, out);
                between = ",";
            }
            out.append(']');
        } else if (value instanceof String string) {
            quote(string, out);
        } else if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            out.append(value);
        } else {
            throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private static void quote(String string, StringBuilder out) {
        out.append('"');
        for (char next : string.toCharArray()) {
            if (next == '"' || next == '\\') out.append('\\').append(next);
            else if (next < ' ') out.append(String.format("\\u%04x", (int) next));
            else out.append(next);
        }
        out.append('"');
    }
}
