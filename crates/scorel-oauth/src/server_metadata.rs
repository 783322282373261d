use reqwest::Url;
use serde::Deserialize;

use crate::checked_address::checked;
use crate::error::OAuthError;

/// The parts of an authorization server's description that count (RFC 8414).
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ServerMetadata {
    pub(crate) issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    registration_endpoint: Option<String>,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    pub(crate) token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    pub(crate) client_id_metadata_document_supported: bool,
    #[serde(default)]
    pub(crate) authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

impl ServerMetadata {
    /// The places of a server of 2025-03-26, which may describe none.
    pub(crate) fn usual(issuer: &Url) -> Self {
        let at = |path: &str| format!("{}{path}", issuer.origin().ascii_serialization());
        Self {
            issuer: issuer.origin().ascii_serialization(),
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token"),
            registration_endpoint: Some(at("/register")),
            code_challenge_methods_supported: vec!["S256".to_owned()],
            token_endpoint_auth_methods_supported: Vec::new(),
            client_id_metadata_document_supported: false,
            authorization_response_iss_parameter_supported: false,
            scopes_supported: Vec::new(),
        }
    }

    /// Refuses one that cannot tell a stolen code from ours.
    pub(crate) fn check(&self) -> Result<(), OAuthError> {
        let methods = &self.code_challenge_methods_supported;
        match methods.iter().any(|it| it == "S256") {
            true => Ok(()),
            false => Err(OAuthError::Refused(format!(
                "{} does not offer PKCE with S256",
                self.issuer
            ))),
        }
    }

    pub(crate) fn offers_offline_access(&self) -> bool {
        self.scopes_supported
            .iter()
            .any(|it| it == "offline_access")
    }

    pub(crate) fn authorization_endpoint(&self) -> Result<Url, OAuthError> {
        checked(&self.authorization_endpoint)
    }

    pub(crate) fn token_endpoint(&self) -> Result<Url, OAuthError> {
        checked(&self.token_endpoint)
    }

    pub(crate) fn registration_endpoint(&self) -> Result<Option<Url>, OAuthError> {
        let endpoint = self.registration_endpoint.as_deref();
        endpoint.map(checked).transpose()
    }
}
