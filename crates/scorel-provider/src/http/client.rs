use bytes::Bytes;
use futures_util::stream::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Request, Response, Url};
use scorel_engine::{ErrorCategory, ProviderError};
use scorel_http::{EndpointAddress, HttpClients, HttpSetupError, Redirects, is_refused};
use scorel_proto::ErrorChain;
use tokio::time::timeout;

use super::body::BodyStream;
use super::content_encoding::decoded;
use super::failure::status_failure;
use super::page_guard::no_page;
use super::provider_error::provider_error;
use super::{BodyError, Timeouts, idle_limited, redacted};
use crate::Secret;

/// The part of the body of a failed response that is read, in bytes. Error messages are far shorter; a
/// gateway's HTML page need not be read to its end.
const FAILURE_LIMIT: usize = 64 << 10;

/// The HTTP clients for all providers.
#[derive(Debug)]
pub(crate) struct Http {
    timeouts: Timeouts,
    clients: HttpClients,
}

impl Http {
    pub(crate) fn new(timeouts: Timeouts) -> Self {
        Self {
            timeouts,
            // A redirect would carry the key and the conversation to another host.
            clients: HttpClients::new(timeouts.connect, Redirects::Refused),
        }
    }

    pub(crate) const fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    /// Posts JSON and returns the body of a successful response, which is an event stream. `key` is redacted in
    /// errors.
    pub(crate) async fn post(
        &self,
        url: Url,
        mut headers: HeaderMap,
        key: Option<&Secret>,
        json: Bytes,
    ) -> Result<BodyStream, ProviderError> {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let mut request = Request::new(Method::POST, url);
        *request.headers_mut() = headers;
        *request.body_mut() = Some(json.into());
        let response = self.exchange(request).await;
        let (headers, body) = response.map_err(|error| redacted(error, key))?;
        Ok(no_page(&headers, body))
    }

    /// Gets a whole document of at most `limit` bytes.
    pub(crate) async fn get(
        &self,
        url: Url,
        headers: HeaderMap,
        key: Option<&Secret>,
        limit: usize,
    ) -> Result<Vec<u8>, ProviderError> {
        let mut request = Request::new(Method::GET, url);
        *request.headers_mut() = headers;
        let read = async {
            let (_, mut body) = self.exchange(request).await?;
            let mut bytes = Vec::new();
            while let Some(chunk) = body.next().await {
                bytes.extend_from_slice(&chunk?);
                if bytes.len() > limit {
                    return Err(too_long(limit));
                }
            }
            Ok(bytes)
        };
        read.await.map_err(|error| redacted(error, key))
    }

    async fn exchange(&self, request: Request) -> Result<(HeaderMap, BodyStream), ProviderError> {
        let client = self
            .clients
            .of(request.url())
            .await
            .map_err(|error| no_client(&error))?;
        let address = EndpointAddress::of(request.url());
        let response = timeout(self.timeouts.first_byte, client.execute(request))
            .await
            .map_err(|_| silent(&address))?
            .map_err(|error| unreachable(&address, error))?;
        let status = response.status();
        let headers = response.headers().clone();
        let body = idle_limited(chunks(response), self.timeouts.idle);
        let body = decoded(&headers, body);
        if status.is_success() {
            return Ok((headers, body?));
        }
        // The status says more than that its explanation cannot be read.
        let body = match body {
            Ok(body) => read_failure(body).await,
            Err(_) => Vec::new(),
        };
        Err(status_failure(&address.short(), status, &headers, &body))
    }
}

fn no_client(error: &HttpSetupError) -> ProviderError {
    provider_error(ErrorCategory::Network, false, error.to_string())
}

fn chunks(response: Response) -> BodyStream {
    response
        .bytes_stream()
        // The URL may hold a token in its query.
        .map(|chunk| {
            chunk.map_err(|error| BodyError::Cut(ErrorChain(&error.without_url()).to_string()))
        })
        .boxed()
}

/// The beginning of the body. A read error only shortens it: the status is the error to report.
async fn read_failure(mut body: BodyStream) -> Vec<u8> {
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

fn too_long(limit: usize) -> ProviderError {
    let message = format!("the response has more than {limit} bytes");
    provider_error(ErrorCategory::ServerError, false, message)
}

fn silent(address: &EndpointAddress) -> ProviderError {
    let message = format!("{address} did not respond in time");
    provider_error(ErrorCategory::Timeout, true, message)
}

fn unreachable(address: &EndpointAddress, error: reqwest::Error) -> ProviderError {
    let category = if error.is_timeout() {
        ErrorCategory::Timeout
    } else {
        ErrorCategory::Network
    };
    let error = error.without_url();
    let is_refused = is_refused(&error);
    let cause = if is_refused {
        "connection refused".to_owned()
    } else {
        ErrorChain(&error).to_string()
    };
    let message = format!("cannot reach {address}: {cause}");
    ProviderError {
        hint: is_refused.then(|| address.nothing_listens()),
        ..provider_error(category, true, message)
    }
}
