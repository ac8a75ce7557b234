package io.flagfeed.sdk.datasource;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the headers are called that services of different vendors call differently. Immutable. */
public final class HeaderNames {
    /** As LaunchDarkly and services that are compatible with it call them. */
    public static final HeaderNames DEFAULT = builder().build();

    private final String authorization;
    private final @Nullable String tags;
    private final @Nullable String wrapper;
    private final @Nullable String instanceId;
    private final @Nullable String environmentId;

    private HeaderNames(Builder builder) {
        authorization = builder.authorization;
        tags = builder.tags;
        wrapper = builder.wrapper;
        instanceId = builder.instanceId;
        environmentId = builder.environmentId;
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with these names. */
    public Builder toBuilder() {
        Builder copy = new Builder();
        copy.authorization = authorization;
        copy.tags = tags;
        copy.wrapper = wrapper;
        copy.instanceId = instanceId;
        copy.environmentId = environmentId;
        return copy;
    }

    /** The header with the SDK key. */
    public String authorization() {
        return authorization;
    }

    /** The header with the application's id and version, or null if there is none. */
    public @Nullable String tags() {
        return tags;
    }

    /** The header with the wrapper's name and version, or null if there is none. */
    public @Nullable String wrapper() {
        return wrapper;
    }

    /** The header with the id of the running instance, or null if there is none. */
    public @Nullable String instanceId() {
        return instanceId;
    }

    /** The header of a response with the id of the environment, or null if there is none. */
    public @Nullable String environmentId() {
        return environmentId;
    }

    /** The names. */
    @Override
    public String toString() {
        return "HeaderNames[authorization=" + authorization + ", tags=" + tags + ", wrapper=" + wrapper
                + ", instanceId=" + instanceId + ", environmentId=" + environmentId + "]";
    }

    /**
     * Collects the names; every setter may be left out, and each throws {@link IllegalArgumentException} for a name
     * that is no HTTP token. Not safe for use by several threads.
     */
    public static final class Builder {
        private String authorization = "Authorization";
        private @Nullable String tags = "X-LaunchDarkly-Tags";
        private @Nullable String wrapper = "X-LaunchDarkly-Wrapper";
        private @Nullable String instanceId = "X-LaunchDarkly-Instance-Id";
        private @Nullable String environmentId = "X-LD-EnvID";

        private Builder() {}

        /** The header with the SDK key. Default: {@code Authorization}. */
        public Builder authorization(String authorization) {
            this.authorization =
                    HttpSettings.headerName("authorization", requireNonNull(authorization, "authorization"));
            return this;
        }

        /** The header with the application's id and version; null: never sent. Default: {@code X-LaunchDarkly-Tags}. */
        public Builder tags(@Nullable String tags) {
            this.tags = nameOrNone("tags", tags);
            return this;
        }

        /**
         * The header with the wrapper's name and version; null: never sent. Default: {@code X-LaunchDarkly-Wrapper}.
         */
        public Builder wrapper(@Nullable String wrapper) {
            this.wrapper = nameOrNone("wrapper", wrapper);
            return this;
        }

        /** The header with the instance's id; null: never sent. Default: {@code X-LaunchDarkly-Instance-Id}. */
        public Builder instanceId(@Nullable String instanceId) {
            this.instanceId = nameOrNone("instanceId", instanceId);
            return this;
        }

        /** The header of a response with the environment's id; null: not looked for. Default: {@code X-LD-EnvID}. */
        public Builder environmentId(@Nullable String environmentId) {
            this.environmentId = nameOrNone("environmentId", environmentId);
            return this;
        }

        /**
         * The names.
         *
         * @throws IllegalArgumentException if two headers of a request have one name
         */
        public HeaderNames build() {
            Set<String> names = new HashSet<>();
            for (String name : Arrays.asList(authorization, tags, wrapper, instanceId)) {
                if (name != null && !names.add(name.toLowerCase(Locale.ROOT))) {
                    throw new IllegalArgumentException("two headers have one name: " + name);
                }
            }
            return new HeaderNames(this);
        }

        private static @Nullable String nameOrNone(String option, @Nullable String name) {
            return name == null ? null : HttpSettings.headerName(option, name);
        }
    }
}
