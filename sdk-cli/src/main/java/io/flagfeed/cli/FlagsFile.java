package io.flagfeed.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Scheduler;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A file with flags and segments in the format of a poll's answer, which is read again whenever it changes. */
final class FlagsFile {
    private static final Duration LOOK_EVERY = Duration.ofMillis(250);

    private final Path path;
    private @Nullable String lastSeen; // its text; null if it could not be read
    private String complaint = ""; // the last; empty once it could be used again

    FlagsFile(Path path) {
        this.path = path;
    }

    /** Says what is wrong with the file, with line and column where the content is. */
    @SuppressWarnings("serial") // never serialized
    static final class UnusableException extends Exception {
        UnusableException(String message) {
            super(message);
        }
    }

    /** Reads the file as it is now. */
    List<Item> read() throws UnusableException {
        String text = text();
        lastSeen = text;
        return parse(text);
    }

    /**
     * Looks at the file from time to time and passes its items on when it has changed, or says what is wrong with it,
     * once for each change. Both are called by the scheduler.
     */
    Cancellable watch(Scheduler scheduler, Consumer<List<Item>> changed, Consumer<String> unusable) {
        boolean[] cancelled = {false}; // confined to the scheduler's thread
        scheduler.schedule(LOOK_EVERY, new Runnable() {
            @Override
            public void run() {
                if (cancelled[0]) {
                    return;
                }
                look(changed, unusable);
                scheduler.schedule(LOOK_EVERY, this);
            }
        });
        return () -> scheduler.execute(() -> cancelled[0] = true);
    }

    private void look(Consumer<List<Item>> changed, Consumer<String> unusable) {
        String before = lastSeen;
        lastSeen = null;
        try {
            // The content tells, not its time stamp: editors write twice within its precision, and files are small.
            String text = text();
            lastSeen = text;
            if (!text.equals(before)) {
                changed.accept(parse(text));
                complaint = "";
            }
        } catch (UnusableException e) {
            String message = String.valueOf(e.getMessage());
            if (lastSeen != null || before != null || !message.equals(complaint)) {
                complaint = message;
                unusable.accept(message);
            }
        }
    }

    private String text() throws UnusableException {
        try {
            return Files.readString(path);
        } catch (NoSuchFileException e) {
            throw new UnusableException(path + ": no such file");
        } catch (IOException e) {
            throw new UnusableException(
                    path + ": cannot be read as UTF-8 text: " + e.getClass().getSimpleName());
        }
    }

    private List<Item> parse(String text) throws UnusableException {
        JsonReader in = new JsonReader(new StringReader(text));
        in.setStrictness(Strictness.STRICT);
        try {
            List<Item> items = new ArrayList<>();
            boolean any = false;
            in.beginObject();
            while (in.hasNext()) {
                ItemKind kind = kindOf(in.nextName());
                if (kind == null) {
                    in.skipValue();
                } else {
                    any = true;
                    in.beginObject();
                    while (in.hasNext()) {
                        items.add(item(in, kind, in.nextName()));
                    }
                    in.endObject();
                }
            }
            in.endObject();
            if (in.peek() != JsonToken.END_DOCUMENT || !any) { // peek throws where something follows
                throw new UnusableException(path + ": neither flags nor segments" + location(in));
            }
            return items;
        } catch (IOException | IllegalStateException | JsonParseException e) {
            throw new UnusableException(path + ": " + complaint(e, in));
        }
    }

    private Item item(JsonReader in, ItemKind kind, String key) throws UnusableException {
        JsonElement json = JsonParser.parseReader(in);
        if (!(json instanceof JsonObject object)) {
            throw new UnusableException(path + ": not an object" + location(in));
        }
        JsonElement version = object.get("version");
        long number;
        try {
            number = version == null ? 0 : wholeNumber(version);
        } catch (NumberFormatException e) {
            throw new UnusableException(path + ": the version is no whole number" + location(in));
        }
        boolean gone = new JsonPrimitive(true).equals(object.get("deleted"));
        return gone ? Item.tombstone(kind, key, number) : Item.of(kind, key, number, object.toString());
    }

    /** Nothing but a number, as on the wire: clients take neither a quoted one nor an array of one. */
    private static long wholeNumber(JsonElement json) {
        if (json instanceof JsonPrimitive primitive && primitive.isNumber()) {
            return Long.parseLong(primitive.getAsString());
        }
        throw new NumberFormatException();
    }

    private static @Nullable ItemKind kindOf(String wireName) {
        for (ItemKind kind : ItemKind.values()) {
            if (kind.wireName().equals(wireName)) {
                return kind;
            }
        }
        return null;
    }

    /** The reader's own words, which end with line and column, without its advice on how to program. */
    private static String complaint(Exception e, JsonReader in) {
        Throwable cause = e instanceof JsonParseException && e.getCause() != null ? e.getCause() : e;
        String words = String.valueOf(cause.getMessage()).lines().findFirst().orElse("not JSON");
        words = words.replaceFirst("^Use JsonReader\\.\\S+ to accept malformed JSON", "not JSON");
        return words.contains(" at line ") ? words : words + location(in);
    }

    /** {@code  at line 3 column 5 path $.flags.x} */
    private static String location(JsonReader in) {
        String text = in.toString();
        int at = text.indexOf(" at line ");
        return at < 0 ? "" : text.substring(at);
    }
}
