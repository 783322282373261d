//! One request, with what may have to be done before it is answered.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Request, Response, StatusCode};
use scorel_http::{EndpointAddress, is_refused};
use scorel_oauth::{Challenge, OAuthError};
use scorel_process::Secrets;
use scorel_proto::ErrorChain;

use crate::failure::HttpFailure;
use crate::message::Message;
use crate::server::HttpServer;
use crate::session::HttpSession;

const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The longest pause before a stream is taken up again.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A request to a server.
pub(crate) enum Ask<'a> {
    Post(&'a Message),
    /// For events, after the last one that came.
    Events(Option<&'a str>),
    /// The end of the session.
    Delete,
}

/// A response, with the secrets that must not come back with it.
pub(crate) struct Answered {
    pub(crate) response: Response,
    pub(crate) secrets: Secrets,
}

impl HttpServer {
    /// Asks, with the login if there is one. A token that is refused is renewed once.
    pub(crate) async fn ask(
        &self,
        ask: &Ask<'_>,
        session: &HttpSession,
    ) -> Result<Answered, HttpFailure> {
        let token = self.token(None).await?;
        let response = self.send(ask, session, token.as_deref()).await?;
        let answered = |response, token: Option<String>| Answered {
            response,
            secrets: match token {
                Some(token) => self.secrets.clone().and(token),
                None => self.secrets.clone(),
            },
        };
        let challenge = Challenge::of(response.headers());
        match response.status() {
            StatusCode::FORBIDDEN if challenge.wants_more() => {
                self.challenged(challenge);
                Err(HttpFailure::Login(
                    "the login has too few rights for this".to_owned(),
                ))
            }
            StatusCode::UNAUTHORIZED => {
                self.challenged(challenge);
                let renewed = match &token {
                    Some(token) => self.token(Some(token)).await?,
                    None => None,
                };
                let wanted = || HttpFailure::Login("it wants a login".to_owned());
                let token = renewed.ok_or_else(wanted)?;
                let response = self.send(ask, session, Some(&token)).await?;
                match response.status() {
                    StatusCode::UNAUTHORIZED => Err(wanted()),
                    _ => Ok(answered(response, Some(token))),
                }
            }
            _ => Ok(answered(response, token)),
        }
    }

    fn challenged(&self, challenge: Challenge) {
        if let Some(login) = &self.login {
            login.oauth.challenged(&login.url, challenge);
        }
    }

    async fn token(&self, refused: Option<&str>) -> Result<Option<String>, HttpFailure> {
        let Some(login) = &self.login else {
            return Ok(None);
        };
        let token = match refused {
            None => login.oauth.token(&login.url).await,
            Some(refused) => login.oauth.token_after(&login.url, refused).await,
        };
        token.map_err(|error| match error {
            OAuthError::LoginNeeded(reason) => HttpFailure::Login(reason),
            other => HttpFailure::Unreachable(other.to_string()),
        })
    }

    async fn send(
        &self,
        ask: &Ask<'_>,
        session: &HttpSession,
        token: Option<&str>,
    ) -> Result<Response, HttpFailure> {
        let client = self.clients.of(&self.url).await;
        let client = client.map_err(|error| HttpFailure::Unreachable(error.to_string()))?;
        let mut headers = self.headers.clone();
        if let Some(token) = token {
            let value = HeaderValue::try_from(format!("Bearer {token}"));
            let mut value = value
                .map_err(|_| HttpFailure::Login("the token of the login is not text".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let response = client.execute(self.request(ask, session, headers)).await;
        let response = response.map_err(|error| self.unanswered(error))?;
        match response.status().is_redirection() {
            false => Ok(response),
            true => {
                let address = EndpointAddress::of(&self.url);
                let reason = format!("{address} redirects to another host, which is not followed");
                Err(HttpFailure::Refused(reason))
            }
        }
    }

    fn request(&self, ask: &Ask<'_>, session: &HttpSession, mut headers: HeaderMap) -> Request {
        let accept = |text| (ACCEPT, HeaderValue::from_static(text));
        let method = match ask {
            Ask::Post(_) => Method::POST,
            Ask::Events(_) => Method::GET,
            Ask::Delete => Method::DELETE,
        };
        let mut request = Request::new(method, self.url.clone());
        match ask {
            Ask::Post(message) => {
                headers.extend([
                    accept("application/json, text/event-stream"),
                    (CONTENT_TYPE, HeaderValue::from_static("application/json")),
                ]);
                if !message.is_stateless {
                    session.add_to(&mut headers);
                }
                let own = message.headers.iter();
                headers.extend(own.map(|(name, value)| (name.clone(), value.clone())));
                *request.body_mut() = Some(message.body.clone().into());
            }
            Ask::Events(last) => {
                session.add_to(&mut headers);
                headers.extend([accept("text/event-stream")]);
                let last = last.and_then(|it| HeaderValue::from_str(it).ok());
                headers.extend(last.map(|it| (LAST_EVENT, it)));
            }
            Ask::Delete => session.add_to(&mut headers),
        }
        *request.headers_mut() = headers;
        request
    }

    fn unanswered(&self, error: reqwest::Error) -> HttpFailure {
        let address = EndpointAddress::of(&self.url);
        let error = error.without_url();
        if is_refused(&error) {
            return HttpFailure::Unreachable(format!("cannot reach {address}: connection refused"));
        }
        let reason = ErrorChain(&error).to_string();
        match error.is_connect() || error.is_builder() {
            true => HttpFailure::Unreachable(format!("cannot reach {address}: {reason}")),
            false => HttpFailure::Lost(format!("the connection to {address} was lost: {reason}")),
        }
    }
}
