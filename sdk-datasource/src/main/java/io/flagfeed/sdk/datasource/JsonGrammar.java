package io.flagfeed.sdk.datasource;

import java.util.Arrays;

/**
 * The grammar of JSON values (RFC 8259) as a table: what state follows on each kind of byte in each state, and what is
 * to be done besides. What scans by it is one short loop that takes the same way for all of JSON, so that a JVM has it
 * compiled soon, and once.
 *
 * <p>A state says what a byte is a part of ({@link #VALUE} and below) and where that is ({@link #ALONE} and below):
 * within an array a comma leads to the next value, within an object to the next name. An entry of the table is an
 * action and the next state.
 */
final class JsonGrammar {
    // where: in two bits of a state
    private static final int PLACES = 3 << 10;
    private static final int ALONE = 0; // the value that is scanned
    private static final int ELEMENT = 1 << 10; // a value in an array
    private static final int NAME = 2 << 10; // of a member of an object
    private static final int MEMBER = 3 << 10; // the value of one

    // what: in five bits of a state
    private static final int VALUE = 0; // comes next
    private static final int FIRST = 1 << 5; // likewise, or the end of what was opened just now
    private static final int AFTER = 2 << 5; // a value, or a name
    private static final int STRING = 3 << 5;
    private static final int ESCAPE = 4 << 5;
    private static final int HEX = 5 << 5; // of four digits the first; the others follow
    private static final int MINUS = 9 << 5;
    private static final int ZERO = 10 << 5;
    private static final int INTEGER = 11 << 5;
    private static final int POINT = 12 << 5;
    private static final int FRACTION = 13 << 5;
    private static final int E = 14 << 5;
    private static final int SIGN = 15 << 5; // of an exponent
    private static final int EXPONENT = 16 << 5;
    private static final int LITERAL = 17 << 5; // is complete
    private static final int TRUE = 18 << 5; // its first letter was read; the others follow
    private static final int FALSE = 21 << 5;
    private static final int NULL = 25 << 5;
    private static final int NEXT = 1 << 5; // from a state to the one that is listed behind it

    // kinds of bytes: in five bits
    private static final String SINGLE = "\"\\/{}[],:-+.0abeflnrstuE \n"; // each is one of its own
    private static final int DIGIT = 26;
    private static final int HEX_DIGIT = 27;
    private static final int SPACE = 28;
    private static final int CONTROL = 29;
    private static final int NO_ASCII = 30;
    private static final int OTHER = 31;

    /** The state before a value. */
    static final int BEGIN = ALONE | VALUE;

    /** What of an entry is the next state. */
    static final int STATES = 0xFFF;

    // what is to be done: in the bits of an entry beyond the state

    /** A string has begun, or goes on with what is mostly plain. */
    static final int IN_STRING = 1 << 12;
    /** A number or literal has begun. */
    static final int BEGIN_SCALAR = 2 << 12;
    /** The byte before this one was the last of a number or literal. */
    static final int END_SCALAR = 3 << 12;
    /** An object or array has begun. */
    static final int OPEN = 4 << 12;
    /** It has ended, and the state to go on in is the one that {@link #after} gave when it began. */
    static final int CLOSE = 5 << 12;
    /** A string has ended that is all there is to scan. */
    static final int END_STRING = 6 << 12;
    /** White space between the parts of a value. */
    static final int WHITE = 7 << 12;
    /** The same, and it ends a line. */
    static final int LINE = 8 << 12;
    /** What Gson would not escape was, or not in this way. */
    static final int ODD = 9 << 12;
    /** A byte of a string that is not ASCII. */
    static final int FOREIGN = 10 << 12;
    /** This is no JSON. */
    static final int WRONG = 11 << 12;

    /** The kind of each byte, read as a number from 0 on. */
    static final byte[] KINDS = new byte[256];

    /** An entry for each state and kind, at {@code state | kind}. */
    static final char[] TABLE = new char[STATES + 1];

    /**
     * Of each byte, read as a number from 0 on, whether nothing is to be done about it in a string: of most there are.
     */
    static final boolean[] PLAIN = new boolean[256];

    static {
        Arrays.fill(KINDS, 0, ' ', (byte) CONTROL);
        Arrays.fill(KINDS, ' ', 128, (byte) OTHER);
        Arrays.fill(KINDS, 128, 256, (byte) NO_ASCII);
        kind("\t\r", SPACE);
        kind("123456789", DIGIT);
        kind("cdABCDF", HEX_DIGIT);
        for (int kind = 0; kind < SINGLE.length(); kind++) {
            KINDS[SINGLE.charAt(kind)] = (byte) kind;
        }

        Arrays.fill(TABLE, (char) WRONG);
        for (int place = ALONE; place <= MEMBER; place += ELEMENT) {
            space(place);
            strings(place);
            if (place != NAME) {
                values(place);
                numbers(place);
                literal(place, TRUE, "true");
                literal(place, FALSE, "false");
                literal(place, NULL, "null");
            }
        }
        on(ALONE | STRING, "\"", END_STRING | ALONE | AFTER);
        on(ELEMENT | FIRST, "]", CLOSE);
        on(ELEMENT | AFTER, "]", CLOSE);
        on(ELEMENT | AFTER, ",", ELEMENT | VALUE);
        on(NAME | VALUE, "\"", IN_STRING | NAME | STRING);
        on(NAME | FIRST, "\"", IN_STRING | NAME | STRING);
        on(NAME | FIRST, "}", CLOSE);
        on(NAME | AFTER, ":", MEMBER | VALUE);
        on(MEMBER | AFTER, "}", CLOSE);
        on(MEMBER | AFTER, ",", NAME | VALUE);

        for (int b = 0; b < PLAIN.length; b++) {
            PLAIN[b] = TABLE[ALONE | STRING | KINDS[b]] == (ALONE | STRING);
        }
    }

    private JsonGrammar() {}

    /** The state after what was opened in this one has ended. */
    static int after(int state) {
        return (state & PLACES) | AFTER;
    }

    private static void values(int place) {
        for (int state = place | VALUE; state <= (place | FIRST); state += NEXT) {
            on(state, "\"", IN_STRING | place | STRING);
            on(state, "{", OPEN | NAME | FIRST);
            on(state, "[", OPEN | ELEMENT | FIRST);
            on(state, "-", BEGIN_SCALAR | place | MINUS);
            on(state, "0", BEGIN_SCALAR | place | ZERO);
            on(state, "1", BEGIN_SCALAR | place | INTEGER);
            on(state, "t", BEGIN_SCALAR | place | TRUE);
            on(state, "f", BEGIN_SCALAR | place | FALSE);
            on(state, "n", BEGIN_SCALAR | place | NULL);
        }
    }

    private static void space(int place) {
        for (int state = place | VALUE; state <= (place | AFTER); state += NEXT) {
            on(state, " \t", WHITE | state);
            on(state, "\n", LINE | state);
        }
    }

    private static void strings(int place) {
        int string = place | STRING;
        Arrays.fill(TABLE, string, string | OTHER, (char) string);
        TABLE[string | OTHER] = (char) string;
        TABLE[string | SPACE] = WRONG;
        TABLE[string | CONTROL] = WRONG;
        TABLE[string | NO_ASCII] = (char) (FOREIGN | string);
        on(string, "\n", WRONG);
        on(string, "\\", place | ESCAPE);
        on(string, "\"", place | AFTER);
        on(place | ESCAPE, "\"\\bfnrt", IN_STRING | string);
        on(place | ESCAPE, "/", ODD | string);
        on(place | ESCAPE, "u", ODD | place | HEX);
        for (int digit = 0; digit < 4; digit++) {
            int state = (place | HEX) + digit * NEXT;
            on(state, "01abefEc", digit == 3 ? IN_STRING | string : state + NEXT);
        }
    }

    private static void numbers(int place) {
        on(place | MINUS, "0", place | ZERO);
        on(place | MINUS, "1", place | INTEGER);
        on(place | INTEGER, "01", place | INTEGER);
        on(place | ZERO, ".", place | POINT);
        on(place | INTEGER, ".", place | POINT);
        on(place | POINT, "01", place | FRACTION);
        on(place | FRACTION, "01", place | FRACTION);
        on(place | ZERO, "eE", place | E);
        on(place | INTEGER, "eE", place | E);
        on(place | FRACTION, "eE", place | E);
        on(place | E, "+-", place | SIGN);
        on(place | E, "01", place | EXPONENT);
        on(place | SIGN, "01", place | EXPONENT);
        on(place | EXPONENT, "01", place | EXPONENT);
        for (int end : new int[] {ZERO, INTEGER, FRACTION, EXPONENT, LITERAL}) {
            on(place | end, ",]} \n\t", END_SCALAR | place | AFTER);
        }
    }

    private static void literal(int place, int first, String text) {
        for (int i = 1; i < text.length(); i++) {
            int state = (place | first) + (i - 1) * NEXT;
            on(state, text.substring(i, i + 1), i == text.length() - 1 ? place | LITERAL : state + NEXT);
        }
    }

    private static void kind(String characters, int kind) {
        for (int i = 0; i < characters.length(); i++) {
            KINDS[characters.charAt(i)] = (byte) kind;
        }
    }

    /** Of several characters that are alike any will do. */
    private static void on(int state, String characters, int entry) {
        for (int i = 0; i < characters.length(); i++) {
            TABLE[state | KINDS[characters.charAt(i)]] = (char) entry;
        }
    }
}
