use scorel_extension::Problem;
use scorel_home::SecretName;

/// A login by OAuth.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpLogin {
    /// `None`: the authorization server gets to know this program at each login.
    pub client: Option<RegisteredClient>,
}

/// This program as an authorization server knows it by hand. The secret is named, not held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredClient {
    pub id: String,
    pub secret: Option<SecretName>,
}

impl McpLogin {
    /// A login by the parts of an entry.
    ///
    /// # Errors
    /// The key that is at fault, and a sentence.
    pub(super) fn new(
        id: Option<&str>,
        secret: Option<SecretName>,
    ) -> Result<Self, (&'static str, String)> {
        let client = match (id, secret) {
            (None, None) => None,
            (None, Some(_)) => {
                let reason = "it is the secret of a `clientId`, which is missing";
                return Err(("clientSecretEnv", reason.to_owned()));
            }
            // RFC 6749 has it of visible characters and blanks.
            (Some(id), _) if id.is_empty() || !id.chars().all(|it| (' '..='~').contains(&it)) => {
                let reason = "expected the name that the authorization server gave the client";
                return Err(("clientId", reason.to_owned()));
            }
            (Some(id), secret) => Some(RegisteredClient {
                id: id.to_owned(),
                secret,
            }),
        };
        Ok(Self { client })
    }

    /// A login as a person gives it.
    ///
    /// # Errors
    /// The part that is refused, as its key.
    pub fn given(id: Option<&str>, secret: Option<&str>) -> Result<Self, Problem> {
        let named = |name: &str| {
            let name = SecretName::try_from(name.to_owned());
            name.map_err(|error| Problem::of("clientSecretEnv", error.to_string()))
        };
        Self::new(id, secret.map(named).transpose()?)
            .map_err(|(key, reason)| Problem::of(key, reason))
    }
}
