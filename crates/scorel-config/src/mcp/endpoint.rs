use std::collections::BTreeMap;

use scorel_home::SecretName;

/// A server that is reached by HTTP. Secrets are named, not held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpEndpoint {
    pub url: String,
    pub headers: BTreeMap<String, String>,
    /// Secrets by the headers in which the server gets them.
    pub secret_headers: BTreeMap<String, SecretName>,
    /// True if it is logged in to by OAuth.
    pub oauth: bool,
}
