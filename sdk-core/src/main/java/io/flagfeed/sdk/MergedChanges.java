package io.flagfeed.sdk;

import io.flagfeed.sdk.ChangeEvent.Change;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Change events as one: every key, from what was held before the first of them to what is held after the last. What is
 * back to what it was has not changed, unless something that it refers to did.
 */
final class MergedChanges implements Backlog.Merged<ChangeEvent> {
    private final Map<ItemKey, Span> spans = new LinkedHashMap<>();
    private ChangeSet.Type type = ChangeSet.Type.PARTIAL;

    /** From where to where a key went; through what it was reached last, if it ever was. */
    private record Span(
            @Nullable Item before,
            @Nullable Item after,
            @Nullable ItemKey through) {
        Span then(Span next) {
            return new Span(before, next.after, next.through == null ? through : next.through);
        }

        boolean changed() {
            return !Objects.equals(before, after);
        }
    }

    @Override
    public void add(ChangeEvent event) {
        if (event.type() == ChangeSet.Type.FULL) {
            type = ChangeSet.Type.FULL; // one of them replaced everything
        }
        for (Change change : event.changes()) {
            spans.merge(
                    new ItemKey(change.kind(), change.key()),
                    new Span(change.before(), change.after(), change.through()),
                    Span::then);
        }
    }

    @Override
    public @Nullable ChangeEvent event() {
        List<Change> direct = new ArrayList<>();
        List<Change> indirect = new ArrayList<>();
        spans.forEach((item, span) -> {
            if (span.changed()) {
                direct.add(new Change(item.kind(), item.key(), span.before(), span.after(), null));
            } else if (span.through() != null && span.after() != null) {
                indirect.add(new Change(item.kind(), item.key(), span.before(), span.after(), span.through()));
            }
        });
        direct.addAll(indirect);
        return direct.isEmpty() ? null : new ChangeEvent(type, direct);
    }
}
