package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.ItemKey;
import io.flagfeed.sdk.ItemKind;
import io.flagfeed.sdk.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rules for data in {@code docs/transports.md} once more, over a tree: what a client has to hold after all. */
final class DataModel {
    /** One item or tombstone. */
    record Held(long version, boolean deleted, JsonTree content) {}

    private static final Set<String> SETS = Set.of("flags", "segments");

    /** What a listener sees one after another: whatever was held after each change. */
    final List<Map<ItemKey, Held>> seen = new ArrayList<>();

    private Map<ItemKey, Held> held = new HashMap<>();
    private boolean complete; // whether this connection has had its put

    void connected() {
        complete = false;
    }

    Map<ItemKey, Held> live() {
        Map<ItemKey, Held> live = new HashMap<>(held);
        live.values().removeIf(Held::deleted);
        return live;
    }

    static Map<ItemKey, Held> of(Snapshot snapshot) {
        Map<ItemKey, Held> live = new HashMap<>();
        for (ItemKind kind : ItemKind.values()) {
            for (Map.Entry<String, Item> entry : snapshot.all(kind).entrySet()) {
                Item item = entry.getValue();
                try {
                    Held found = new Held(item.version(), item.deleted(), JsonTree.of(item.json()));
                    live.put(new ItemKey(kind, entry.getKey()), found);
                } catch (IOException e) {
                    throw new AssertionError("what is held is no JSON: " + item.json(), e);
                }
            }
        }
        return live;
    }

    /** Takes the body of a poll; false if it is invalid. */
    boolean poll(String body) {
        return valid(() -> replace(full(JsonTree.of(body, List.of(SETS)))));
    }

    /** Takes an event of a stream; false if it is invalid. */
    boolean event(SseModel.Event event) {
        return switch (event.name()) {
            case "put" ->
                valid(() -> {
                    replace(full(last(members(JsonTree.of(event.data(), List.of(Set.of("data"), SETS))), "data")));
                    complete = true;
                });
            case "patch", "delete" -> valid(() -> change(event));
            default -> true;
        };
    }

    private interface Step {
        void run() throws IOException;
    }

    private static boolean valid(Step step) {
        try {
            step.run();
            return true;
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }

    private void replace(Map<ItemKey, Held> full) {
        Map<ItemKey, Held> before = live();
        held = full;
        note(before);
    }

    private void note(Map<ItemKey, Held> before) {
        if (!before.equals(live())) {
            seen.add(live());
        }
    }

    private void change(SseModel.Event event) throws IOException {
        String path = JsonTree.firstText(event.data(), "path");
        if (path == null) {
            throw new IOException("no path");
        }
        ItemKey key = key(path);
        if (key == null) {
            return; // nothing behind the path is looked at
        }
        JsonTree.Members tree = members(JsonTree.of(
                event.data(), List.of(Set.of("path", event.name().equals("patch") ? "data" : "version"))));
        for (JsonTree other : tree.named("path")) {
            if (!(other instanceof JsonTree.Text text) || !key.equals(key(text.value()))) {
                throw new IOException("two paths");
            }
        }
        Held item;
        if (event.name().equals("patch")) {
            for (JsonTree earlier : tree.named("data")) {
                Held unused = item(earlier);
            }
            item = item(last(tree, "data"));
        } else {
            for (JsonTree earlier : tree.named("version")) {
                long unused = number(earlier);
            }
            item = new Held(number(last(tree, "version")), true, new JsonTree.Null());
        }
        if (complete && (!held.containsKey(key) || held.get(key).version() < item.version())) {
            Map<ItemKey, Held> before = live();
            held.put(key, item);
            note(before);
        }
    }

    private static ItemKey key(String path) {
        if (path.startsWith("/flags/")) {
            return new ItemKey(ItemKind.FLAG, path.substring("/flags/".length()));
        } else if (path.startsWith("/segments/")) {
            return new ItemKey(ItemKind.SEGMENT, path.substring("/segments/".length()));
        }
        return null;
    }

    private static ItemKind kind(String member) {
        return switch (member) {
            case "flags" -> ItemKind.FLAG;
            case "segments" -> ItemKind.SEGMENT;
            default -> null;
        };
    }

    /** Everything is looked at, and of members of one name the last one counts. */
    private static Map<ItemKey, Held> full(JsonTree tree) throws IOException {
        Map<ItemKind, Map<ItemKey, Held>> sets = new HashMap<>();
        for (JsonTree.Member member : members(tree).all()) {
            ItemKind set = kind(member.name());
            if (set == null) {
                continue;
            }
            sets.remove(set);
            if (!(member.value() instanceof JsonTree.Null)) {
                Map<ItemKey, Held> items = new HashMap<>();
                for (JsonTree.Member item : members(member.value()).all()) {
                    ItemKey key = new ItemKey(set, item.name());
                    items.remove(key);
                    if (!(item.value() instanceof JsonTree.Null)) {
                        items.put(key, item(item.value()));
                    }
                }
                sets.put(set, items);
            }
        }
        if (sets.isEmpty()) {
            throw new IOException("neither flags nor segments");
        }
        Map<ItemKey, Held> all = new HashMap<>();
        sets.values().forEach(all::putAll);
        return all;
    }

    private static Held item(JsonTree tree) throws IOException {
        JsonTree.Members members = members(tree);
        long version = 0;
        for (JsonTree value : members.named("version")) {
            version = value instanceof JsonTree.Null ? 0 : number(value);
        }
        List<JsonTree> deleted = members.named("deleted");
        boolean gone = !deleted.isEmpty() && deleted.get(deleted.size() - 1).equals(new JsonTree.Bool(true));
        return new Held(version, gone, tree);
    }

    private static long number(JsonTree tree) throws IOException {
        if (!(tree instanceof JsonTree.Numeral number)) {
            throw new IOException("no number");
        }
        try {
            return Long.parseLong(number.written());
        } catch (NumberFormatException e) {
            return (long) Double.parseDouble(number.written());
        }
    }

    private static JsonTree.Members members(JsonTree tree) throws IOException {
        if (tree instanceof JsonTree.Members members) {
            return members;
        }
        throw new IOException("no object");
    }

    private static JsonTree last(JsonTree.Members tree, String name) throws IOException {
        List<JsonTree> all = tree.named(name);
        if (all.isEmpty()) {
            throw new IOException("no " + name);
        }
        return all.get(all.size() - 1);
    }
}
