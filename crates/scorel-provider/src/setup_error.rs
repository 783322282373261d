/// Why a configured model is unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// No built-in provider has this name.
    #[error("unknown provider {name:?}{}; the built-in providers are {}", hint(suggestion.as_ref()), known.join(", "))]
    UnknownProvider {
        /// The name that was given.
        name: String,
        /// The most similar known name.
        suggestion: Option<&'static str>,
        /// All built-in providers.
        known: Vec<&'static str>,
    },
    /// A model was named, but only the demo is configured.
    #[error(
        "no configured provider has a model {name:?}{}",
        suggestion.as_ref().map_or_else(
            || "; put the provider in front of it, such as openai:ID".to_owned(),
            |name| format!(" (is {name:?} meant?)")
        )
    )]
    NotTheDemo {
        /// The model that was named.
        name: String,
        /// The model of the built-in table that was probably meant.
        suggestion: Option<String>,
    },
    /// No wire has this name.
    #[error("unknown api {api:?}; the known ones are {}", known.join(", "))]
    UnknownApi {
        /// The name that was given.
        api: String,
        /// All wires.
        known: Vec<&'static str>,
    },
    /// The provider needs a key, and none was given.
    #[error("{provider} needs an API key; it is usually kept in the environment variable {}", variables.join(" or "))]
    MissingKey {
        /// The provider's name.
        provider: String,
        /// The environment variables that conventionally carry the key.
        variables: &'static [&'static str],
    },
    /// No model was named.
    #[error("no model of {provider} is given")]
    MissingModel {
        /// The provider's name.
        provider: String,
    },
    /// The base URL is invalid. It is not repeated here: it may contain a credential.
    #[error("invalid base URL: {reason}")]
    InvalidBaseUrl {
        /// Completes "invalid base URL: …".
        reason: String,
    },
    /// A configured header is invalid. Its value is not repeated here: it may be a credential.
    #[error("invalid header {name:?}: {reason}")]
    InvalidHeader {
        /// The header's name.
        name: String,
        /// Completes "invalid header …: …".
        reason: &'static str,
    },
}

fn hint(suggestion: Option<&&'static str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (is {name:?} meant?)"))
}
