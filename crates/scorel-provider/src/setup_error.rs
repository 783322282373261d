use jiff::civil::Date;
use scorel_proto::ThinkingLevel;

use crate::ThinkingLevels;

/// The reason why a configured model is unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// No provider has this name.
    #[error(
        "unknown provider {name:?}{}; the built-in providers are {}{}",
        hint(suggestion.as_deref()), known.join(", "), own(custom)
    )]
    UnknownProvider {
        name: String,
        /// The most similar known name.
        suggestion: Option<String>,
        /// The built-in providers.
        known: Vec<&'static str>,
        /// The providers that the user described.
        custom: Vec<String>,
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
        name: String,
        /// The model of the built-in table that was probably meant.
        suggestion: Option<String>,
    },
    /// No wire has this name.
    #[error("unknown api {api:?}; the known ones are {}", known.join(", "))]
    UnknownApi {
        api: String,
        known: Vec<&'static str>,
    },
    /// The provider needs a key, and none was given.
    #[error("{provider} needs an API key; it is usually kept in the environment variable {}", variables.join(" or "))]
    MissingKey {
        provider: String,
        /// The environment variables that conventionally carry the key.
        variables: &'static [&'static str],
    },
    /// No model was named.
    #[error("no model of {provider} is given")]
    MissingModel { provider: String },
    /// The id of the model is not one.
    #[error("invalid model id {id:?}: {reason}")]
    InvalidModelId {
        id: String,
        /// Completes "invalid model id …: …".
        reason: &'static str,
    },
    /// The provider has switched the model off.
    #[error(
        "{provider} retired {model} on {on}{}",
        successor.as_ref().map_or_else(String::new, |id| format!("; use {id} instead"))
    )]
    Retired {
        provider: String,
        model: String,
        on: Date,
        /// The id of the model that the provider recommends instead.
        successor: Option<String>,
    },
    /// The model does not have the thinking level.
    #[error("{model} has no thinking level {:?}{}", level.name(), offered(*levels))]
    NoThinkingLevel {
        model: String,
        level: ThinkingLevel,
        /// The levels that it has.
        levels: ThinkingLevels,
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
        name: String,
        /// Completes "invalid header …: …".
        reason: &'static str,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (is {name:?} meant?)"))
}

fn offered(levels: ThinkingLevels) -> String {
    match levels.is_empty() {
        true => ": it takes no thinking level".to_owned(),
        false => format!("; it has {}", levels.names()),
    }
}

fn own(custom: &[String]) -> String {
    if custom.is_empty() {
        return String::new();
    }
    format!("; your own are {}", custom.join(", "))
}
