package io.flagfeed.cli;

import io.flagfeed.sdk.Item;
import io.flagfeed.sdk.testing.Clause;
import io.flagfeed.sdk.testing.FlagBuilder;
import io.flagfeed.sdk.testing.SegmentBuilder;
import io.flagfeed.sdk.testing.TestFlags;
import java.util.ArrayList;
import java.util.List;

/** The flags and segments of a shop, and what its people change in them. Used by one thread. */
final class DemoFlags {
    /** The flag that is retired in the end. */
    static final String RETIRED = "legacy-cart";

    private final SegmentBuilder beta = TestFlags.segment("beta-testers").included("ada", "grace", "linus");
    private final Item staff = TestFlags.segment("staff")
            .rule(TestFlags.clause("email", "endsWith", "@shop.example"))
            .build();
    private Item betaNow = beta.build(); // each build is one version up

    private final List<Switch> flags = List.of(
            on("new-checkout").rule(TestFlags.segmentMatch("beta-testers")),
            on("express-payment").prerequisite("new-checkout"),
            off("gift-cards"),
            on("dark-mode"),
            on("search-v2").rule(TestFlags.segmentMatch("staff")),
            off("search-typo-tolerance"),
            on("recommendations"),
            off("recommendations-ml-model"),
            on("free-shipping-banner"),
            on("product-video"),
            off("one-click-returns"),
            on("loyalty-points"),
            off("price-alerts"),
            on("stock-counter"),
            on("reviews-with-photos"),
            off("chat-support"),
            on("newsletter-popup"),
            on(RETIRED),
            off("maintenance-notice"),
            on("cookie-consent-v3"));
    private int turn;
    private boolean everybodyIn;

    /** Everything as it is now. */
    List<Item> all() {
        List<Item> items = new ArrayList<>();
        flags.forEach(flag -> items.add(flag.current));
        items.add(betaNow);
        items.add(staff);
        return items;
    }

    /** One more change: mostly of a flag, now and then of a segment. */
    Item change() {
        turn++;
        if (turn % 7 == 0) {
            everybodyIn = !everybodyIn;
            betaNow = (everybodyIn ? beta.included("ada", "grace", "linus", "margaret") : beta.included("ada", "grace"))
                    .build();
            return betaNow;
        }
        Switch flag = flags.get(turn * 7 % flags.size());
        return flag.flip();
    }

    private static Switch on(String key) {
        return new Switch(TestFlags.flag(key).on(), true);
    }

    private static Switch off(String key) {
        return new Switch(TestFlags.flag(key).off(), false);
    }

    private static final class Switch {
        private final FlagBuilder flag;
        private boolean on;
        private Item current;

        Switch(FlagBuilder flag, boolean on) {
            this.flag = flag;
            this.on = on;
            this.current = flag.build();
        }

        Switch rule(Clause clause) {
            flag.rule(0, clause).fallthrough(1);
            current = flag.version(1).build();
            return this;
        }

        Switch prerequisite(String key) {
            flag.prerequisite(key, 0);
            current = flag.version(1).build();
            return this;
        }

        Item flip() {
            on = !on;
            current = (on ? flag.on() : flag.off()).build();
            return current;
        }
    }
}
