use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};

use crate::error::OAuthError;
use crate::http::Document;

/// A token is not used in the last moments of its time.
const MARGIN: Duration = Duration::from_secs(10);

/// The tokens that a login gave.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Grant {
    pub(crate) access_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_token: Option<String>,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<String>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    #[serde(default)]
    token_type: String,
    refresh_token: Option<String>,
    expires_in: Option<f64>,
    scope: Option<String>,
}

#[derive(Deserialize)]
struct TokenRefusal {
    error: String,
}

impl std::fmt::Debug for Grant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grant").finish_non_exhaustive()
    }
}

impl Grant {
    /// That of a token endpoint's answer. What it leaves out stays as it was `before`.
    pub(crate) fn read(answer: &Document, before: Option<&Self>) -> Result<Self, OAuthError> {
        if answer.status == StatusCode::BAD_REQUEST || answer.status == StatusCode::UNAUTHORIZED {
            let refusal = serde_json::from_slice::<TokenRefusal>(&answer.body);
            let reason = refusal.map_or_else(|_| "for no reason".to_owned(), |it| it.error);
            return Err(OAuthError::LoginNeeded(format!(
                "the login was refused: {reason}"
            )));
        }
        if answer.status.is_server_error() {
            let status = answer.status.as_u16();
            let reason = format!("the authorization server has failed with HTTP {status}");
            return Err(OAuthError::Unreachable(reason));
        }
        let read: TokenAnswer = answer.json("the token")?;
        if !read.token_type.is_empty() && !read.token_type.eq_ignore_ascii_case("bearer") {
            let reason = "the authorization server gives tokens of another kind";
            return Err(OAuthError::Refused(reason.to_owned()));
        }
        let lasts = read
            .expires_in
            .and_then(|it| Duration::try_from_secs_f64(it).ok());
        Ok(Self {
            access_token: read.access_token,
            refresh_token: (read.refresh_token)
                .or_else(|| before.and_then(|it| it.refresh_token.clone())),
            expires_at: lasts.map(|it| now().saturating_add(it).as_secs()),
            scope: read
                .scope
                .or_else(|| before.and_then(|it| it.scope.clone())),
        })
    }

    pub(crate) fn has_expired(&self) -> bool {
        let end = self.expires_at.map(Duration::from_secs);
        end.is_some_and(|end| now() + MARGIN >= end)
    }
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}
