/// Why no provider can be made of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// No built-in provider has that name.
    #[error("there is no built-in provider {name:?}{}; known are {}", hint(suggestion.as_ref()), known.join(", "))]
    UnknownProvider {
        /// The name that was given.
        name: String,
        /// The known name that is most like it.
        suggestion: Option<&'static str>,
        /// All known names.
        known: Vec<&'static str>,
    },
    /// A model was named, and there is only the demo.
    #[error(
        "no provider is configured that could have a model {name:?}{}",
        suggestion.as_ref().map_or_else(
            || "; name one in front of it, such as openai:ID".to_owned(),
            |name| format!(" (is {name:?} meant?)")
        )
    )]
    NotTheDemo {
        /// The model that was named.
        name: String,
        /// The model of the built-in table that is probably meant.
        suggestion: Option<String>,
    },
    /// No wire has that name.
    #[error("there is no wire {api:?}; known are {}", known.join(", "))]
    UnknownApi {
        /// The name that was given.
        api: String,
        /// All known names.
        known: Vec<&'static str>,
    },
    /// The provider does not answer without a key.
    #[error("{provider} needs a key; it is usually kept in the variable {}", variables.join(" or "))]
    MissingKey {
        /// The provider's name.
        provider: String,
        /// The variables of the environment in which people keep the key.
        variables: &'static [&'static str],
    },
    /// No model was named.
    #[error("no model of {provider} is named")]
    MissingModel {
        /// The provider's name.
        provider: String,
    },
    /// The base URL cannot be used. The URL itself is not repeated: it may hold a credential.
    #[error("the base URL cannot be used: {reason}")]
    InvalidBaseUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// A header cannot be sent. Its value is not repeated: it may be a credential.
    #[error("the header {name:?} cannot be sent: {reason}")]
    InvalidHeader {
        /// The header's name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

fn hint(suggestion: Option<&&'static str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (is {name:?} meant?)"))
}
