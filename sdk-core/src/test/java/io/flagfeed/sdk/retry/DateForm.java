package io.flagfeed.sdk.retry;

import java.time.LocalDateTime;
import java.util.Locale;

/** Writes dates in the three forms of RFC 9110, by other means than those that read them. */
enum DateForm {
    IMF_FIXDATE,
    RFC_850,
    ASCTIME;

    String write(LocalDateTime utc) {
        String dayName = capitalised(utc.getDayOfWeek());
        String shortDay = dayName.substring(0, 3);
        String month = capitalised(utc.getMonth()).substring(0, 3);
        int day = utc.getDayOfMonth();
        int year = utc.getYear();
        String time = String.format(Locale.ROOT, "%02d:%02d:%02d", utc.getHour(), utc.getMinute(), utc.getSecond());
        return switch (this) {
            case IMF_FIXDATE -> String.format(Locale.ROOT, "%s, %02d %s %04d %s GMT", shortDay, day, month, year, time);
            case RFC_850 ->
                String.format(Locale.ROOT, "%s, %02d-%s-%02d %s GMT", dayName, day, month, year % 100, time);
            case ASCTIME -> String.format(Locale.ROOT, "%s %s %2d %s %04d", shortDay, month, day, time, year);
        };
    }

    /** The names of the JDK's constants are English whatever the locale. */
    private static String capitalised(Enum<?> name) {
        return name.name().charAt(0) + name.name().substring(1).toLowerCase(Locale.ROOT);
    }
}
