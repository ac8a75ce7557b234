package io.flagfeed.sdk;

import static java.util.Objects.requireNonNull;

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

    /** From where to where a key went. */
    private record Span(@Nullable Item before, @Nullable Item after) {
        Span then(Span next) {
            return new Span(before, next.after);
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
                    new ItemKey(change.kind(), change.key()), new Span(change.before(), change.after()), Span::then);
        }
    }

    /**
     * What is changed through something else is found anew: what it was through may be back to what it was, and what
     * left and came back was never told to be changed through anything.
     */
    @Override
    public @Nullable ChangeEvent event() {
        List<Change> found = new ArrayList<>();
        References references = new References();
        spans.forEach((item, span) -> {
            if (span.changed()) {
                found.add(new Change(item.kind(), item.key(), span.before(), span.after(), null));
            } else if (span.after() != null) {
                references.put(span.after());
            }
        });
        Changes.addIndirect(found, item -> requireNonNull(spans.get(item)).after(), references);
        return found.isEmpty() ? null : new ChangeEvent(type, found);
    }
}
