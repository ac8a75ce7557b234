package io.flagfeed.sdk;

import static io.flagfeed.sdk.ItemKind.FLAG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.flagfeed.sdk.ChangeEvent.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * A source that always changes two flags together, while they are read and listeners come. Readers see both changes or
 * neither, and what a listener is told leads without a gap from what was held when it came to what is held now.
 */
public class PublicationModel {
    private static final String NOTHING = "0 0";

    private final UpdateSink sink;
    private final DataSystem system;
    private final List<Ear> ears = new ArrayList<>(); // guarded by itself
    private int version; // touched by the source only

    private static final class Ear {
        final List<ChangeEvent> heard = new ArrayList<>();
        String seen = NOTHING; // what was held before it came
        String from = NOTHING; // what was held after that, which it may have been told of
    }

    /** Started, without data. */
    public PublicationModel() {
        UpdateSink[] given = new UpdateSink[1];
        system = DataSystem.builder((sink, scheduler) -> {
                    given[0] = sink;
                    return () -> {};
                })
                .scheduler(new ByHand())
                .listenerExecutor(Runnable::run)
                .build();
        system.start();
        sink = given[0];
    }

    /** Everything anew. */
    @Operation(nonParallelGroup = "source")
    public void put() {
        version++;
        sink.apply(ChangeSet.full(List.of(flag("a"), flag("b"))));
    }

    /** A newer version of both. */
    @Operation(nonParallelGroup = "source")
    public void patch() {
        version++;
        sink.apply(ChangeSet.partial(List.of(flag("a"), flag("b"))));
    }

    /** Both are gone. */
    @Operation(nonParallelGroup = "source")
    public void delete() {
        version++;
        sink.apply(ChangeSet.partial(List.of(Item.tombstone(FLAG, "a", version), Item.tombstone(FLAG, "b", version))));
    }

    /** Both at one moment. */
    @Operation
    public String read() {
        return versions(system.snapshot());
    }

    /** One alone. */
    @Operation
    public long get() {
        return version(system.get(FLAG, "a"));
    }

    /** One more listener. */
    @Operation
    public void listen() {
        Ear ear = new Ear();
        ear.seen = read();
        system.onChange(ear.heard::add);
        ear.from = read();
        synchronized (ears) {
            ears.add(ear);
        }
    }

    /** When all is quiet. */
    @Validate
    public void everyListenerWasToldAllThatHappenedSinceItCame() {
        for (Ear ear : ears) {
            String held = null;
            for (ChangeEvent event : ear.heard) {
                assertEquals(2, event.changes().size());
                if (held != null) {
                    assertEquals(held, versions(event, Change::before));
                } else if (!ear.seen.equals(NOTHING)) {
                    assertNotEquals(ear.seen, versions(event, Change::after), "told of what was there already");
                }
                held = versions(event, Change::after);
            }
            assertEquals(versions(system.snapshot()), held == null ? ear.from : held);
        }
    }

    private Item flag(String key) {
        return Item.of(FLAG, key, version, "{}");
    }

    private static String versions(Snapshot snapshot) {
        return version(snapshot.get(FLAG, "a")) + " " + version(snapshot.get(FLAG, "b"));
    }

    private static String versions(ChangeEvent event, Function<Change, Item> when) {
        return version(Optional.ofNullable(when.apply(event.changes().get(0)))) + " "
                + version(Optional.ofNullable(when.apply(event.changes().get(1))));
    }

    private static long version(Optional<Item> item) {
        return item.map(Item::version).orElse(0L);
    }
}
