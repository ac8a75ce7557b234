package io.flagfeed.sdk.datasource;

import io.flagfeed.sdk.Cancellable;
import io.flagfeed.sdk.datasource.HttpClients.UnansweredException;
import io.flagfeed.sdk.retry.Failure;
import io.flagfeed.sdk.retry.FailureClass;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ProtocolException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.AsyncTimeout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt's request, the redirects it leads to, and the reading of the answer. Cancelling ends it in any phase.
 *
 * <p>A redirect is followed where it stays within the origin (scheme, host and port) that was configured; the SDK key
 * goes nowhere else, and neither does the request.
 */
final class HttpExchange implements Cancellable {
    private static final int MOST_REDIRECTS = 10;
    private static final int LONGEST_MESSAGE = 200;
    private static final Pattern TUNNEL_REFUSED = Pattern.compile("Unexpected response code for CONNECT: (\\d+)");

    private final OkHttpClient client;
    private final InstantSource clock;
    private final TimeLimit limit;
    private final int maxHeaderBytes;
    private final Receiver receiver;
    private final ResponseReader reader;

    // guarded by this
    private boolean cancelled;
    private boolean expired; // the limit was reached
    private boolean answered; // the headers are there
    private @Nullable Call call; // the one under way
    private @Nullable Thread asking; // while it is asked for what the request needs
    private @Nullable String key; // of the request

    HttpExchange(
            OkHttpClient client,
            InstantSource clock,
            TimeLimit limit,
            int maxHeaderBytes,
            Receiver receiver,
            ResponseReader reader) {
        this.client = client;
        this.clock = clock;
        this.limit = limit;
        this.maxHeaderBytes = maxHeaderBytes;
        this.receiver = receiver;
        this.reader = reader;
    }

    /**
     * How long it may take, redirects included. OkHttp's own limit to a call begins anew with each of these.
     *
     * @param longest the time
     * @param withContent whether that is the whole answer, or only its headers
     */
    record TimeLimit(Duration longest, boolean withContent) {
        private String words() {
            return "no " + (withContent ? "whole answer" : "headers") + " within " + longest;
        }
    }

    /** Reads a response whose status says that there is something to read, to its end or until it throws. */
    interface ResponseReader {
        /** Why the response is no use, or null if the attempt came to its proper end, or told its failure itself. */
        @Nullable
        Failure read(Response response) throws IOException;
    }

    @Override
    public void cancel() {
        synchronized (this) {
            cancelled = true;
        }
        endCall();
    }

    private void endCall() {
        Call last;
        synchronized (this) {
            last = call;
            if (asking != null) {
                asking.interrupt();
            }
        }
        if (last != null) {
            try {
                last.cancel();
            } catch (RuntimeException | Error e) { // a listener of the application's client
                sayQuietly("A listener of the client failed", e);
            }
        }
    }

    /** Where nothing that a logger throws may keep others from what they have to do. */
    private static void sayQuietly(String what, Throwable e) {
        try {
            log().debug(what, e);
        } catch (RuntimeException | Error broken) {
            // so nobody hears of it
        }
    }

    synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Asks for the key of a request once that is to be sent, which may take its time. */
    interface KeyHolder {
        String key() throws NoKeyException;
    }

    /** Does it all on this thread. The receiver hears how it ended, whatever is thrown on the way. */
    void run(KeyHolder keys, Function<String, Request> request) {
        Failure failure;
        Throwable thrown = null;
        try {
            failure = ask(keys, request);
        } catch (NoKeyException e) {
            failure = isExpired() ? Failure.network(limit.words()) : Failure.unknown(String.valueOf(e.getMessage()));
        } catch (PayloadTooLargeException e) {
            failure = Failure.invalidData(String.valueOf(e.getMessage()));
        } catch (ProxyRefusedException e) {
            failure = HttpEndpoint.failure(e.response, clock);
        } catch (UnansweredException e) {
            failure = failure(e.why);
            thrown = e.why;
        } catch (IOException e) {
            failure = failure(e);
            thrown = e;
        } catch (Throwable e) { // an Error too, such as no memory for one payload: only this attempt ends
            // only the type: a message that nobody has foreseen may hold anything, the SDK key too
            failure = Failure.unknown(e.getClass().getName());
            thrown = e;
        }
        if (failure == null) {
            receiver.ended();
        } else {
            receiver.failed(failure);
        }
        if (thrown != null && log().isDebugEnabled()) { // last: a logger that throws harms nothing here
            if (mayHoldAnything(thrown)) {
                log().debug("A request failed with {}", thrown.getClass().getName());
            } else {
                log().debug("A request failed", thrown);
            }
        }
    }

    /**
     * Whether this, one of its causes, or what was suppressed may say what nobody is to read: what the service has
     * sent, which some messages of OkHttp and Okio quote, or the key, for an interceptor of the application's may put
     * the whole request into its message.
     */
    private boolean mayHoldAnything(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        String text = trace.toString();
        String secret = key();
        return text.contains(ProtocolException.class.getName())
                || text.contains(EOFException.class.getName())
                || (secret != null && text.contains(secret));
    }

    private synchronized @Nullable String key() {
        return key;
    }

    /**
     * The connection of an attempt that broke is not used again. Over HTTP/2 it may be dead without OkHttp knowing it,
     * which would then go on using it.
     */
    private @Nullable Failure ask(KeyHolder keys, Function<String, Request> request)
            throws IOException, NoKeyException {
        Watch watch = new Watch();
        watch.timeout(HttpSettings.millis(limit.longest()), TimeUnit.MILLISECONDS);
        watch.enter();
        try {
            ResponseReader headersOnly = response -> {
                if (watch.exit()) {
                    throw new InterruptedIOException("too late");
                }
                return reader.read(response);
            };
            return follow(request.apply(ask(keys)), limit.withContent() ? reader : headersOnly);
        } catch (IOException e) {
            client.connectionPool().evictAll();
            throw e;
        } finally {
            boolean unused = watch.exit();
        }
    }

    private String ask(KeyHolder keys) throws NoKeyException {
        synchronized (this) {
            if (cancelled || expired) {
                throw new NoKeyException("the attempt has ended");
            }
            asking = Thread.currentThread();
        }
        try {
            String given = keys.key();
            synchronized (this) {
                key = given;
            }
            return given;
        } finally {
            synchronized (this) {
                asking = null;
            }
        }
    }

    /** Ends the call when the time is up: OkHttp's own way, and its thread. */
    private final class Watch extends AsyncTimeout {
        /** On OkHttp's own thread, which serves the whole JVM. */
        private void expired(Failure failure) {
            try {
                receiver.expired(failure);
            } catch (RuntimeException | Error e) {
                sayQuietly("An attempt that took too long is told of when it ends", e);
            }
        }

        @Override
        protected void timedOut() {
            boolean unanswered;
            synchronized (HttpExchange.this) {
                expired = true;
                unanswered = !answered;
            }
            endCall();
            if (unanswered) { // nobody knows when a look-up of a name, say, or the application's code will end
                expired(Failure.network(limit.words()));
            }
        }
    }

    private synchronized boolean isExpired() {
        return expired;
    }

    private @Nullable Failure follow(Request first, ResponseReader reader) throws IOException {
        Request request = first;
        for (int redirects = 0; ; redirects++) {
            try (Response response = begin(request).execute()) {
                synchronized (this) {
                    answered = true;
                }
                if (response.headers().byteCount() > maxHeaderBytes) {
                    throw new PayloadTooLargeException("the header of the answer", "maxHeaderBytes", maxHeaderBytes);
                }
                if (!isRedirect(response.code())) {
                    return reader.read(response);
                }
                HttpUrl target = target(response);
                if (target == null) {
                    return redirected(response, "no usable Location");
                } else if (!isSameOrigin(first.url(), target)) {
                    return redirected(response, "redirected to another origin, " + HttpEndpoint.origin(target));
                } else if (redirects == MOST_REDIRECTS) {
                    return redirected(response, "more than " + MOST_REDIRECTS + " redirects");
                }
                request = request.newBuilder().url(target).build();
            }
        }
    }

    private Call begin(Request request) {
        Call next = client.newCall(request);
        synchronized (this) {
            call = next;
            answered = false;
            if (cancelled || expired) { // its execute then fails at once
                next.cancel();
            }
        }
        return next;
    }

    /** 300 is a choice for people and 304 an answer; 305 and 306 are history (RFC 9110, section 15.4). */
    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private static @Nullable HttpUrl target(Response response) {
        String location = response.header("Location");
        return location == null ? null : response.request().url().resolve(location);
    }

    private static boolean isSameOrigin(HttpUrl one, HttpUrl other) {
        return HttpEndpoint.origin(one).equals(HttpEndpoint.origin(other));
    }

    private Failure redirected(Response response, String why) {
        OptionalLong retryAfter = HttpEndpoint.failure(response, clock).retryAfterSeconds();
        return new Failure(
                Failure.Kind.HTTP_STATUS,
                FailureClass.ofHttpStatus(response.code()),
                response.code(),
                retryAfter,
                "HTTP status " + response.code() + ": " + why);
    }

    /** A proxy that refuses a tunnel says so with a status, of which OkHttp keeps the message only. */
    private Failure failure(IOException e) {
        if (isExpired()) {
            return Failure.network(limit.words());
        }
        Matcher refused = TUNNEL_REFUSED.matcher(String.valueOf(e.getMessage()));
        return refused.matches()
                ? Failure.httpStatus(Integer.parseInt(refused.group(1)), OptionalLong.empty())
                : Failure.network(describe(e));
    }

    /**
     * One line of bounded length: the type, and of the message what quotes neither the service, which may send
     * anything, nor an address, which may hold a name and a password.
     */
    private String describe(IOException e) {
        String secret = key();
        String type = e.getClass().getSimpleName();
        String message = e.getMessage() == null ? "" : e.getMessage();
        if (e instanceof ProtocolException || e instanceof EOFException) {
            message = message.split("[:\"\n\\\\]", 2)[0];
        }
        if (secret != null) { // which an interceptor of the application's may have put there
            message = message.replace(secret, "…");
        }
        String line = message.substring(0, Math.min(message.length(), LONGEST_MESSAGE))
                .lines()
                .findFirst()
                .orElse("")
                .replaceAll("[^\\s:]*://\\S*", "the service")
                .strip();
        return line.isEmpty() ? type : type + ": " + line;
    }

    private static Logger log() {
        return LoggerFactory.getLogger(HttpExchange.class);
    }
}
