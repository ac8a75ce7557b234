package io.flagfeed.sidebyside;

import io.flagfeed.sdk.testing.Clause;
import io.flagfeed.sdk.testing.FlagBuilder;
import io.flagfeed.sdk.testing.TestFlags;
import java.util.Random;
import java.util.UUID;

/**
 * The flags that the service has, the same ones for the same number of them: about 2.8 KB of JSON each, one in 500 with
 * 5,000 targets, and a segment for each hundred.
 *
 * <p>The versions of all flags come from one count, and each next version is that of another flag. So a version alone
 * tells which flag it belongs to and how far a client has got.
 */
final class FlagData {
    /** What all flags have at first; all versions to come have as many digits. */
    static final int FIRST_VERSION = 10_000_000;

    private static final int STRIDE = 7919; // a prime, so that it comes to every flag
    private static final Object[] COUNTRIES = {"at", "br", "ch", "de", "fr", "in", "jp", "ke", "nz", "us"};

    private final int flags;
    private final Random random = new Random(2026); // its numbers are the same on every Java

    FlagData(int flags) {
        this.flags = flags;
    }

    /** Which flag has this version. */
    static int indexOf(long version, int flags) {
        return (int) ((version - FIRST_VERSION) * STRIDE % flags);
    }

    static String key(int index) {
        return "flag-" + index;
    }

    static String segmentKey(int index) {
        return "segment-" + index;
    }

    int segments() {
        return Math.max(1, flags / 100);
    }

    /** The JSON of the flag of this index. */
    String flag(int index) {
        FlagBuilder flag = TestFlags.flag(key(index)).version(FIRST_VERSION);
        if (index % 5 == 3) {
            flag.variations("control", "treatment");
        }
        flag.target(0, users(index % 500 == 499 ? 5000 : 15 + random.nextInt(26)));
        flag.target(1, users(2 + random.nextInt(6)));
        for (int rule = 1 + random.nextInt(5); rule > 0; rule--) {
            if (random.nextBoolean()) {
                flag.rule(random.nextInt(2), clause(), clause());
            } else {
                flag.rule(random.nextInt(2), clause());
            }
        }
        if (index > 0 && index % 20 == 0) {
            flag.prerequisite(key(random.nextInt(index)), 0); // earlier ones only: no circles
        }
        flag.property("salt", user());
        return flag.build().json();
    }

    /** The JSON of the segment of this index. */
    String segment(int index) {
        return TestFlags.segment(segmentKey(index))
                .included(users(100))
                .excluded(users(5))
                .rule(TestFlags.clause("email", "endsWith", "@example.com"))
                .build()
                .json();
    }

    private Clause clause() {
        return switch (random.nextInt(8)) {
            case 0 -> TestFlags.segmentMatch(segmentKey(random.nextInt(segments())));
            case 1 -> TestFlags.clause("email", "endsWith", "@example.com", "@example.org");
            case 2 -> TestFlags.clause("appVersion", "semVerGreaterThan", "2." + random.nextInt(20) + ".0");
            case 3 -> TestFlags.clause("age", "greaterThanOrEqual", 18 + random.nextInt(50));
            case 4 -> TestFlags.clause("userAgent", "matches", "^Mozilla/5\\.0 .*(iPhone|Android).*$");
            default -> TestFlags.clause("country", "in", COUNTRIES);
        };
    }

    private String[] users(int count) {
        String[] users = new String[count];
        for (int i = 0; i < count; i++) {
            users[i] = user();
        }
        return users;
    }

    private String user() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }
}
