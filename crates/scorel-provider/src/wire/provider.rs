use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use scorel_runtime::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderStream,
};

use super::{Endpoint, Wire, reader};
use crate::http::Call;
use crate::{Secret, sse};

/// A model behind a wire over HTTP.
#[derive(Debug)]
pub(crate) struct HttpProvider<W: Wire> {
    endpoint: Arc<Endpoint<W>>,
}

impl<W: Wire> HttpProvider<W> {
    pub(crate) fn new(endpoint: Endpoint<W>) -> Self {
        Self {
            endpoint: Arc::new(endpoint),
        }
    }
}

impl<W: Wire> Provider for HttpProvider<W> {
    fn model(&self) -> &ModelInfo {
        &self.endpoint.model
    }

    fn stream(&self, request: ModelRequest) -> ProviderStream {
        let endpoint = Arc::clone(&self.endpoint);
        stream::once(open(endpoint, request)).try_flatten().boxed()
    }
}

async fn open<W: Wire>(
    endpoint: Arc<Endpoint<W>>,
    request: ModelRequest,
) -> Result<ProviderStream, ProviderError> {
    let body = render(Arc::clone(&endpoint), request).await?;
    let call = Call {
        url: endpoint.url.clone(),
        headers: headers(&endpoint)?,
        key: endpoint.key.clone(),
        body,
    };
    let events = sse::events(endpoint.http.post(call).await?);
    let settle = endpoint.http.timeouts().settle;
    let answer = W::answer(endpoint.origin());
    Ok(reader::read(events, answer, endpoint.key.clone(), settle))
}

/// Renders on a thread that may block: pictures are read from files, histories may be long.
async fn render<W: Wire>(
    endpoint: Arc<Endpoint<W>>,
    request: ModelRequest,
) -> Result<Vec<u8>, ProviderError> {
    let rendered = tokio::task::spawn_blocking(move || W::render(&endpoint, &request)).await;
    rendered.map_err(|error| {
        unsent(
            ErrorCategory::InvalidRequest,
            format!("the request could not be rendered: {error}"),
        )
    })
}

fn headers<W: Wire>(endpoint: &Endpoint<W>) -> Result<HeaderMap, ProviderError> {
    let mut headers = W::headers(endpoint);
    if let Some(key) = &endpoint.key {
        let (name, value) = key_header(W::key_header(endpoint.dialect), key)?;
        headers.insert(name, value);
    }
    Ok(headers)
}

fn key_header(
    name: Option<HeaderName>,
    key: &Secret,
) -> Result<(HeaderName, HeaderValue), ProviderError> {
    let (name, value) = match name {
        Some(name) => (name, HeaderValue::try_from(key.expose())),
        None => {
            let value = HeaderValue::try_from(format!("Bearer {}", key.expose()));
            (AUTHORIZATION, value)
        }
    };
    let mut value = value.map_err(|_| {
        let message = "the key has characters that no header may have";
        unsent(ErrorCategory::Auth, message.to_owned())
    })?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// A failure before anything was sent, which would come again.
fn unsent(category: ErrorCategory, message: String) -> ProviderError {
    ProviderError {
        category,
        retryable: false,
        retry_after: None,
        status: None,
        message,
        usage: None,
    }
}
