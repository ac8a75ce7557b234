package io.flagfeed.sdk.testing;

import io.flagfeed.sdk.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Believable flags and segments in any number, for load tests. */
final class DataSet {
    private static final int FLAGS_PER_SEGMENT = 100;
    private static final List<String> ADJECTIVES =
            List.of("new", "fast", "beta", "legacy", "smart", "dark", "express", "shared");
    private static final List<String> NOUNS =
            List.of("search", "checkout", "billing", "profile", "inbox", "dashboard", "export", "login");
    private static final List<String> COUNTRIES = List.of("at", "br", "ch", "de", "fr", "in", "jp", "ke", "nz", "us");
    private static final List<String> PLANS = List.of("free", "team", "business", "enterprise");

    private final int flags;
    private final int segments;
    private final Random random; // its numbers are the same on every Java

    DataSet(int flags, long seed) {
        this.flags = flags;
        this.segments = Math.max(flags / FLAGS_PER_SEGMENT, 1);
        this.random = new Random(seed);
    }

    List<Item> items() {
        List<Item> items = new ArrayList<>(flags + segments);
        for (int i = 0; i < flags; i++) {
            items.add(flag(i));
        }
        for (int i = 0; i < segments; i++) {
            items.add(segment(i));
        }
        return List.copyOf(items);
    }

    private Item flag(int number) {
        FlagBuilder flag = TestFlags.flag("flag-" + number).version(1 + random.nextInt(500));
        int variations = variations(flag);
        flag.fallthrough(random.nextInt(variations)).offVariation(variations - 1);
        if (one(5)) {
            flag.off();
        }
        if (one(2)) {
            flag.target(random.nextInt(variations), users(2 + random.nextInt(5)));
        }
        if (one(3)) {
            flag.rule(random.nextInt(variations), TestFlags.clause("country", "in", pick(COUNTRIES), pick(COUNTRIES)));
        }
        if (one(4)) {
            flag.rule(random.nextInt(variations), TestFlags.segmentMatch("segment-" + random.nextInt(segments)));
        }
        if (number > 0 && one(10)) {
            flag.prerequisite("flag-" + random.nextInt(number), 0); // only earlier ones: no cycles
        }
        return flag.property("description", description()).build();
    }

    private int variations(FlagBuilder flag) {
        if (one(2)) {
            return 2; // a boolean flag
        }
        flag.variations(pick(ADJECTIVES) + "-" + pick(NOUNS), pick(ADJECTIVES) + "-" + pick(NOUNS), "control");
        return 3;
    }

    private Item segment(int number) {
        return TestFlags.segment("segment-" + number)
                .version(1 + random.nextInt(50))
                .included(users(20 + random.nextInt(20)))
                .excluded(users(random.nextInt(5)))
                .rule(TestFlags.clause("plan", "in", pick(PLANS)))
                .build();
    }

    /** What people write about a flag, long enough to make it two to three kilobytes. */
    private String description() {
        int length = 1700 + random.nextInt(400);
        StringBuilder text = new StringBuilder(length + 80);
        while (text.length() < length) {
            text.append("The ")
                    .append(pick(ADJECTIVES))
                    .append(' ')
                    .append(pick(NOUNS))
                    .append(" is for ");
            text.append(pick(PLANS))
                    .append(" customers in ")
                    .append(pick(COUNTRIES))
                    .append(" first. ");
        }
        return text.toString();
    }

    private String[] users(int count) {
        String[] users = new String[count];
        for (int i = 0; i < count; i++) {
            users[i] = "user-" + Integer.toString(random.nextInt(1_000_000), 36);
        }
        return users;
    }

    private boolean one(int in) {
        return random.nextInt(in) == 0;
    }

    private String pick(List<String> words) {
        return words.get(random.nextInt(words.size()));
    }
}
