package io.flagfeed.sidebyside;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What one measurement has found, by names that tell the unit, in the order of the table. */
final class Figures {
    private final JsonObject figures = new JsonObject();

    void put(String name, double value) {
        figures.addProperty(name, value);
    }

    /** As a JSON object in one line. */
    @Override
    public String toString() {
        return figures.toString();
    }

    /** The middle one, or the mean of the middle two. */
    static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
