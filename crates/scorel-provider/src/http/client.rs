use std::net::IpAddr;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder, Request, Response, StatusCode, Url};
use scorel_proto::ErrorChain;
use scorel_runtime::{ErrorCategory, ProviderError};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::{
    ErrorBody, Origin, ReadError, Timeouts, classify, error_text, idle_limited, retry_after,
};
use crate::Secret;

/// How much of the body of a failure is read, in bytes.
const FAILURE_LIMIT: usize = 64 << 10;

/// The connections to all endpoints.
///
/// Nothing is set up before the first call: TLS and its certificates cost time and memory that a
/// daemon without a model at work should not pay.
#[derive(Debug)]
pub(crate) struct Http {
    timeouts: Timeouts,
    /// For servers on this machine without TLS: no proxy either.
    loopback: OnceCell<Client>,
    /// For other servers without TLS. They work where the platform has no certificates.
    plain: OnceCell<Client>,
    /// For servers with TLS, which the platform's certificates must vouch for.
    secure: OnceCell<Client>,
}

/// A request to an endpoint.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) url: Url,
    /// What the wire wants in the header, the key among it.
    pub(crate) headers: HeaderMap,
    /// What must not be in an error.
    pub(crate) key: Option<Secret>,
    /// The JSON text to post.
    pub(crate) body: Vec<u8>,
}

impl Http {
    pub(crate) fn new(timeouts: Timeouts) -> Self {
        Self {
            timeouts,
            loopback: OnceCell::new(),
            plain: OnceCell::new(),
            secure: OnceCell::new(),
        }
    }

    pub(crate) const fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    /// Posts the call; the body of a good response.
    pub(crate) async fn post(
        &self,
        call: Call,
    ) -> Result<BoxStream<'static, Result<Bytes, ReadError>>, ProviderError> {
        let key = call.key.clone();
        let answer = self.exchange(post(call)).await;
        answer.map_err(|error| without(key.as_ref(), error))
    }

    /// Gets a whole document of at most `limit` bytes.
    pub(crate) async fn get(
        &self,
        url: Url,
        headers: HeaderMap,
        key: Option<&Secret>,
        limit: usize,
    ) -> Result<Vec<u8>, ProviderError> {
        let mut request = Request::new(reqwest::Method::GET, url);
        *request.headers_mut() = headers;
        let read = async {
            let mut body = self.exchange(request).await?;
            let mut bytes = Vec::new();
            while let Some(chunk) = body.next().await {
                bytes.extend_from_slice(&chunk?);
                if bytes.len() > limit {
                    return Err(too_long(limit));
                }
            }
            Ok(bytes)
        };
        read.await.map_err(|error| without(key, error))
    }

    async fn exchange(
        &self,
        request: Request,
    ) -> Result<BoxStream<'static, Result<Bytes, ReadError>>, ProviderError> {
        let client = self.client(request.url()).await?;
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let response = timeout(self.timeouts.first_byte, client.execute(request))
            .await
            .map_err(|_| silent(&host))?
            .map_err(|error| unreachable(&host, error))?;
        let status = response.status();
        let headers = response.headers().clone();
        let body = idle_limited(chunks(response), self.timeouts.idle);
        if status.is_success() {
            return Ok(body);
        }
        let body = read_failure(body).await;
        Err(failure(&host, status, &headers, &body))
    }

    async fn client(&self, url: &Url) -> Result<&Client, ProviderError> {
        let connect = self.timeouts.connect;
        let common = Client::builder()
            .user_agent(concat!("scorel/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(connect)
            // A redirect could carry the key and the conversation to another host.
            .redirect(reqwest::redirect::Policy::none());
        match Route::of(url) {
            Route::Loopback => {
                let builder = common.no_proxy().tls_certs_only([]);
                self.loopback.get_or_try_init(|| build(builder)).await
            }
            Route::Plain => {
                let builder = common.tls_certs_only([]);
                self.plain.get_or_try_init(|| build(builder)).await
            }
            Route::Secure => self.secure.get_or_try_init(|| build(common)).await,
        }
    }
}

/// The kind of connection that a URL needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Loopback,
    Plain,
    Secure,
}

impl Route {
    fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        let local = address.map_or(host == "localhost", |address| address.is_loopback());
        match url.scheme() {
            "http" if local => Self::Loopback,
            "http" => Self::Plain,
            _ => Self::Secure,
        }
    }
}

/// Builds a client on a thread that may block: certificates are read from files.
async fn build(builder: ClientBuilder) -> Result<Client, ProviderError> {
    let built = tokio::task::spawn_blocking(move || {
        // An error means that the process has chosen a provider already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        builder
            .build()
            .map_err(|error| ErrorChain(&error).to_string())
    });
    let message = match built.await {
        Ok(Ok(client)) => return Ok(client),
        Ok(Err(message)) => message,
        Err(error) => error.to_string(),
    };
    Err(ProviderError {
        retryable: false,
        ..network(format!("cannot set up connections: {message}"))
    })
}

/// The error with nothing in it that is not to be shown.
fn without(key: Option<&Secret>, mut error: ProviderError) -> ProviderError {
    error.message = error_text(&error.message, key);
    error
}

fn post(call: Call) -> Request {
    let mut request = Request::new(reqwest::Method::POST, call.url);
    let headers = request.headers_mut();
    *headers = call.headers;
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    *request.body_mut() = Some(call.body.into());
    request
}

fn chunks(response: Response) -> BoxStream<'static, Result<Bytes, ReadError>> {
    response
        .bytes_stream()
        .map(|chunk| {
            chunk.map_err(|error| ReadError::Cut(ErrorChain(&error.without_url()).to_string()))
        })
        .boxed()
}

/// As much of the body as is worth reading; a failure to read it ends it.
async fn read_failure(mut body: BoxStream<'static, Result<Bytes, ReadError>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(Ok(chunk)) = body.next().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= FAILURE_LIMIT {
            bytes.truncate(FAILURE_LIMIT);
            break;
        }
    }
    bytes
}

fn failure(host: &str, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ProviderError {
    let body = if status.is_redirection() {
        redirection(headers)
    } else {
        ErrorBody::parse(body)
    };
    let (category, by_status) = classify(Origin::Status(status.as_u16()), &body);
    let advice = match header(headers, "x-should-retry") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    // The same request stays too large whatever the endpoint advises.
    let advice = advice.filter(|_| category != ErrorCategory::ContextOverflow);
    let mut message = format!("{host} answered with status {status}");
    if let Some(id) = request_id(headers) {
        message.push_str(" (request ");
        message.push_str(id);
        message.push(')');
    }
    if !body.message.is_empty() {
        message.push_str(": ");
        message.push_str(&body.message);
    }
    ProviderError {
        category,
        retryable: advice.unwrap_or(by_status),
        retry_after: retry_after(headers, &body, SystemTime::now()),
        status: Some(status.as_u16()),
        message,
        usage: None,
    }
}

fn redirection(headers: &HeaderMap) -> ErrorBody {
    let target = header(headers, "location").unwrap_or("nowhere");
    let target = target.split(['?', '#']).next().unwrap_or_default();
    ErrorBody {
        message: format!("redirects are not followed; set the base URL for {target} instead"),
        ..ErrorBody::default()
    }
}

fn request_id(headers: &HeaderMap) -> Option<&str> {
    [
        "x-request-id",
        "request-id",
        "apim-request-id",
        "x-ds-trace-id",
    ]
    .iter()
    .find_map(|name| header(headers, name))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn too_long(limit: usize) -> ProviderError {
    ProviderError {
        category: ErrorCategory::ServerError,
        retryable: false,
        ..network(format!("the endpoint's answer has more than {limit} bytes"))
    }
}

fn silent(host: &str) -> ProviderError {
    ProviderError {
        category: ErrorCategory::Timeout,
        ..network(format!("{host} did not begin to answer in time"))
    }
}

fn unreachable(host: &str, error: reqwest::Error) -> ProviderError {
    let category = if error.is_timeout() {
        ErrorCategory::Timeout
    } else {
        ErrorCategory::Network
    };
    ProviderError {
        category,
        ..network(format!(
            "cannot reach {host}: {}",
            ErrorChain(&error.without_url()).to_string()
        ))
    }
}

fn network(message: String) -> ProviderError {
    ProviderError {
        category: ErrorCategory::Network,
        retryable: true,
        retry_after: None,
        status: None,
        message,
        usage: None,
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::Route;

    #[test]
    fn only_plain_urls_of_this_machine_bypass_proxies() {
        for (url, route) in [
            ("http://127.0.0.1:11434/v1", Route::Loopback),
            ("http://localhost/v1", Route::Loopback),
            ("http://[::1]:8080/v1", Route::Loopback),
            ("http://ollama:11434/v1", Route::Plain),
            ("http://127.0.0.1.example.com/v1", Route::Plain),
            ("https://127.0.0.1/v1", Route::Secure),
        ] {
            assert_eq!(Route::of(&Url::parse(url).unwrap()), route, "{url}");
        }
    }
}
