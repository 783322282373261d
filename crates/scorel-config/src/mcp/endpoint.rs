use std::collections::BTreeMap;

use scorel_home::SecretName;
use scorel_provider::check_base_url;

use super::McpLogin;

/// A server that is reached by HTTP. Secrets are named, not held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpEndpoint {
    pub url: String,
    pub headers: BTreeMap<String, String>,
    /// Secrets by the headers in which the server gets them.
    pub secret_headers: BTreeMap<String, SecretName>,
    /// The login that it wants.
    pub login: Option<McpLogin>,
}

impl McpEndpoint {
    /// A server of which all can be sent.
    ///
    /// # Errors
    /// The key that is at fault, and a sentence.
    pub fn new(
        url: String,
        headers: BTreeMap<String, String>,
        secret_headers: BTreeMap<String, SecretName>,
        login: Option<McpLogin>,
    ) -> Result<Self, (&'static str, String)> {
        check_base_url(&url).map_err(|error| ("url", error.to_string()))?;
        for (name, value) in &headers {
            check_header("headers", name)?;
            if value.chars().any(char::is_control) {
                let reason = format!("the value of `{name}` has control characters");
                return Err(("headers", reason));
            }
        }
        for name in secret_headers.keys() {
            check_header("secretHeaders", name)?;
            if headers.keys().any(|it| it.eq_ignore_ascii_case(name)) {
                return Err(("secretHeaders", format!("`{name}` is in `headers` too")));
            }
        }
        Ok(Self {
            url,
            headers,
            secret_headers,
            login,
        })
    }
}

fn check_header(key: &'static str, name: &str) -> Result<(), (&'static str, String)> {
    let usual = |char: char| char.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(char);
    match !name.is_empty() && name.chars().all(usual) {
        true => Ok(()),
        false => Err((key, format!("{name:?} is not the name of a header"))),
    }
}
