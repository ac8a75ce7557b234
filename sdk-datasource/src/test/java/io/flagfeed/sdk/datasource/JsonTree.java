package io.flagfeed.sdk.datasource;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** JSON as a tree that forgets nothing: members of one name stay several, and numbers are what was written. */
sealed interface JsonTree {
    record Members(List<Member> all) implements JsonTree {
        List<JsonTree> named(String name) {
            return all.stream()
                    .filter(member -> member.name.equals(name))
                    .map(Member::value)
                    .toList();
        }
    }

    record Member(String name, JsonTree value) {}

    record Elements(List<JsonTree> all) implements JsonTree {}

    record Text(String value) implements JsonTree {}

    record Numeral(String written) implements JsonTree {}

    record Bool(boolean value) implements JsonTree {}

    record Null() implements JsonTree {}

    /** The tree of a text that is JSON to the letter. */
    static JsonTree of(String text) throws IOException {
        return of(text, List.of());
    }

    /**
     * The same, but for what is not looked at.
     *
     * @param only the members that are looked at, of the outermost object and of those in it; of others the text may
     *     hold what no text should, such as half a surrogate pair
     */
    static JsonTree of(String text, List<Set<String>> only) throws IOException {
        JsonReader in = new JsonReader(new StringReader(text));
        in.setStrictness(Strictness.STRICT);
        JsonTree tree = read(in, only);
        if (in.peek() != JsonToken.END_DOCUMENT) {
            throw new IOException("something follows");
        }
        return tree;
    }

    private static JsonTree read(JsonReader in, List<Set<String>> only) throws IOException {
        return switch (in.peek()) {
            case BEGIN_OBJECT -> {
                List<Member> members = new ArrayList<>();
                in.beginObject();
                while (in.hasNext()) {
                    String name = in.nextName();
                    if (only.isEmpty() || only.get(0).contains(name)) {
                        members.add(new Member(name, read(in, only.subList(Math.min(1, only.size()), only.size()))));
                    } else {
                        in.skipValue();
                    }
                }
                in.endObject();
                yield new Members(members);
            }
            case BEGIN_ARRAY -> {
                List<JsonTree> elements = new ArrayList<>();
                in.beginArray();
                while (in.hasNext()) {
                    elements.add(read(in, List.of()));
                }
                in.endArray();
                yield new Elements(elements);
            }
            case STRING -> new Text(in.nextString());
            case NUMBER -> new Numeral(in.nextString());
            case BOOLEAN -> new Bool(in.nextBoolean());
            case NULL -> {
                in.nextNull();
                yield new Null();
            }
            default -> throw new IOException("no value");
        };
    }

    /** The first member of that name if it is a string, whatever follows it; else null. */
    static String firstText(String text, String name) throws IOException {
        JsonReader in = new JsonReader(new StringReader(text));
        in.setStrictness(Strictness.STRICT);
        in.beginObject();
        while (in.hasNext()) {
            if (in.nextName().equals(name)) {
                return read(in, List.of()) instanceof Text found ? found.value() : null;
            }
            in.skipValue();
        }
        return null;
    }
}
