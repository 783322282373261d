use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Request, Response, StatusCode, Url};
use scorel_http::{EndpointAddress, HttpClients, Redirects, is_refused};
use scorel_proto::ErrorChain;
use tokio::time::timeout;

use crate::error::OAuthError;

/// The time for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The time for an answer as a whole.
const ANSWER: Duration = Duration::from_secs(20);

/// Bytes of the largest document.
const MAX_BYTES: usize = 256 * 1024;

/// Requests to authorization servers. Those to another host are never followed.
#[derive(Debug)]
pub(crate) struct OAuthHttp {
    clients: HttpClients,
}

/// A whole answer.
pub(crate) struct Document {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl OAuthHttp {
    pub(crate) fn new() -> Self {
        Self {
            clients: HttpClients::new(CONNECT, Redirects::SameOrigin),
        }
    }

    pub(crate) async fn get(&self, url: &Url) -> Result<Document, OAuthError> {
        let mut request = Request::new(Method::GET, url.clone());
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(ACCEPT, json);
        self.exchange(request).await
    }

    pub(crate) async fn post_json(&self, url: &Url, json: String) -> Result<Document, OAuthError> {
        self.post(url, "application/json", json, None).await
    }

    /// Posts a form. `authorization` is for the header of this name.
    pub(crate) async fn post_form(
        &self,
        url: &Url,
        form: &[(&str, &str)],
        authorization: Option<String>,
    ) -> Result<Document, OAuthError> {
        let kind = "application/x-www-form-urlencoded";
        self.post(url, kind, encoded(form), authorization).await
    }

    async fn post(
        &self,
        url: &Url,
        kind: &'static str,
        body: String,
        authorization: Option<String>,
    ) -> Result<Document, OAuthError> {
        let mut request = Request::new(Method::POST, url.clone());
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        let accept = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accept);
        if let Some(text) = authorization {
            let mut value = HeaderValue::try_from(text)
                .map_err(|_| OAuthError::Refused("the client's secret is not text".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        *request.body_mut() = Some(body.into());
        self.exchange(request).await
    }

    async fn exchange(&self, request: Request) -> Result<Document, OAuthError> {
        let address = EndpointAddress::of(request.url());
        let client = self.clients.of(request.url()).await;
        let client = client.map_err(|error| OAuthError::Unreachable(error.to_string()))?;
        let answer = async {
            let response = client.execute(request).await;
            read(
                response.map_err(|error| unreachable(&address, error))?,
                &address,
            )
            .await
        };
        let late = || OAuthError::Unreachable(format!("{address} did not answer in time"));
        timeout(ANSWER, answer).await.map_err(|_| late())?
    }
}

fn encoded(form: &[(&str, &str)]) -> String {
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(form).finish()
}

async fn read(mut response: Response, address: &EndpointAddress) -> Result<Document, OAuthError> {
    if response.status().is_redirection() {
        let reason = format!("{address} redirects to another place, which is not followed");
        return Err(OAuthError::Refused(reason));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| unreachable(address, error))?
    {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BYTES {
            let reason = format!("the answer of {address} has more than {MAX_BYTES} bytes");
            return Err(OAuthError::Refused(reason));
        }
    }
    Ok(Document {
        status: response.status(),
        headers: std::mem::take(response.headers_mut()),
        body,
    })
}

fn unreachable(address: &EndpointAddress, error: reqwest::Error) -> OAuthError {
    let error = error.without_url();
    OAuthError::Unreachable(match is_refused(&error) {
        true => format!("cannot reach {address}: connection refused"),
        false => format!("cannot reach {address}: {}", ErrorChain(&error)),
    })
}

impl Document {
    /// The content of a successful answer.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, what: &str) -> Result<T, OAuthError> {
        if !self.status.is_success() {
            let reason = format!("{what} was refused with HTTP {}", self.status.as_u16());
            return Err(OAuthError::Refused(reason));
        }
        serde_json::from_slice(&self.body)
            .map_err(|error| OAuthError::Refused(format!("{what} cannot be read: {error}")))
    }
}
