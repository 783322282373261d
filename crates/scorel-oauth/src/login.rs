use std::time::Duration;

use reqwest::Url;
use tokio::time::Instant;

use crate::client_identity::ClientIdentity;
use crate::error::OAuthError;

/// The time that a person has to log in.
const TIME: Duration = Duration::from_secs(600);

/// Logins that wait for a person; the oldest goes first.
const MAX: usize = 16;

/// A login that was begun, for the browser of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunLogin {
    pub login_id: String,
    /// The page on which the person logs in.
    pub url: String,
}

/// The answer that a browser brings to the redirect address.
#[derive(Clone)]
pub struct LoginAnswer {
    pub login_id: String,
    pub code: String,
    pub state: String,
    /// The parameter `iss`.
    pub issuer: Option<String>,
}

impl std::fmt::Debug for LoginAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("LoginAnswer");
        shown
            .field("login_id", &self.login_id)
            .finish_non_exhaustive()
    }
}

/// A login that waits for a person.
pub(crate) struct OpenLogin {
    pub(crate) id: String,
    pub(crate) began: Instant,
    pub(crate) url: String,
    pub(crate) resource: String,
    pub(crate) issuer: String,
    pub(crate) names_issuer: bool,
    pub(crate) token_endpoint: Url,
    pub(crate) client: ClientIdentity,
    pub(crate) redirect: String,
    pub(crate) state: String,
    pub(crate) verifier: String,
}

impl std::fmt::Debug for OpenLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenLogin")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl OpenLogin {
    /// Refuses an answer that the server that was asked did not give to this login.
    pub(crate) fn check(&self, answer: &LoginAnswer) -> Result<(), OAuthError> {
        let refused = |reason: &str| Err(OAuthError::Refused(reason.to_owned()));
        if answer.state != self.state {
            return refused("the answer is not that to this login");
        }
        match &answer.issuer {
            Some(issuer) if *issuer != self.issuer => {
                refused("another authorization server has answered than the one that was asked")
            }
            None if self.names_issuer => {
                refused("the answer does not say which authorization server gave it")
            }
            _ => Ok(()),
        }
    }
}

/// The logins that wait.
#[derive(Debug, Default)]
pub(crate) struct OpenLogins(Vec<OpenLogin>);

impl OpenLogins {
    pub(crate) fn add(&mut self, login: OpenLogin) {
        self.0.retain(|it| it.began.elapsed() < TIME);
        if self.0.len() == MAX {
            self.0.remove(0);
        }
        self.0.push(login);
    }

    /// Takes a login out: an answer counts once.
    pub(crate) fn take(&mut self, id: &str) -> Result<OpenLogin, OAuthError> {
        self.0.retain(|it| it.began.elapsed() < TIME);
        let at = self.0.iter().position(|it| it.id == id);
        at.map(|at| self.0.remove(at))
            .ok_or(OAuthError::UnknownLogin)
    }
}
