package io.flagfeed.sdk.testing;

import static java.util.Objects.requireNonNull;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;

/**
 * A condition of a rule: see {@link TestFlags#clause} and {@link TestFlags#segmentMatch}. Immutable.
 *
 * @param attribute which attribute of the user is looked at; empty if the operator looks at none
 * @param op how it is compared
 * @param values what with: any of them will do
 * @param negated whether it holds when it would not
 */
public record Clause(String attribute, String op, List<Object> values, boolean negated) {
    private static final Gson GSON = new Gson();

    /** Copies the list. */
    public Clause {
        requireNonNull(attribute, "attribute");
        requireNonNull(op, "op");
        values = List.copyOf(values);
    }

    /** The opposite, for all who have the attribute: who lacks it matches neither. */
    public Clause negate() {
        return new Clause(attribute, op, values, !negated);
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        json.addProperty("contextKind", "user");
        json.addProperty("attribute", attribute);
        json.addProperty("op", op);
        json.add("values", GSON.toJsonTree(values));
        json.addProperty("negate", negated);
        return json;
    }

    static JsonArray json(Clause... clauses) {
        JsonArray all = new JsonArray();
        for (Clause clause : clauses) {
            all.add(clause.json());
        }
        return all;
    }
}
