use std::path::Path;

use scorel_home::{CREDENTIALS, FormatVersion, StateBody, StateError, StateFile, StateKind};
use serde::{Deserialize, Serialize};

use crate::client_identity::ClientIdentity;
use crate::error::OAuthError;
use crate::grant::Grant;

/// `credentials.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Credentials {
    version: FormatVersion<1>,
    #[serde(default)]
    credentials: Vec<Credential>,
}

/// The login to one resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Credential {
    /// The address under which a server is configured.
    pub(crate) url: String,
    /// The identifier for which tokens are asked.
    pub(crate) resource: String,
    /// The authorization server that gave the tokens.
    pub(crate) issuer: String,
    pub(crate) token_endpoint: String,
    pub(crate) client: ClientIdentity,
    /// Absent once the login was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) grant: Option<Grant>,
}

impl StateBody for Credentials {
    const KIND: &'static StateKind = &CREDENTIALS;
}

/// The logins of a home. Methods block.
#[derive(Debug)]
pub(crate) struct CredentialFile(StateFile<Credentials>);

impl From<StateError> for OAuthError {
    fn from(error: StateError) -> Self {
        Self::Storage(scorel_proto::ErrorChain(&error).to_string())
    }
}

impl CredentialFile {
    pub(crate) fn new(home: &Path) -> Self {
        Self(StateFile::new(home.join(CREDENTIALS.place)))
    }

    pub(crate) fn of(&self, url: &str) -> Result<Option<Credential>, OAuthError> {
        self.0.with(|body| {
            let mut all = body.credentials.into_iter();
            Ok(all.find(|it| it.url == url))
        })
    }

    /// Keeps a login in place of the one before.
    pub(crate) fn keep(&self, credential: Credential) -> Result<(), OAuthError> {
        self.0.modify(|body| {
            body.credentials.retain(|it| it.url != credential.url);
            body.credentials.push(credential);
            Ok(())
        })
    }

    /// Forgets a login, and returns whether there was one.
    pub(crate) fn forget(&self, url: &str) -> Result<bool, OAuthError> {
        self.0.modify(|body| {
            let before = body.credentials.len();
            body.credentials.retain(|it| it.url != url);
            Ok(before > body.credentials.len())
        })
    }
}
