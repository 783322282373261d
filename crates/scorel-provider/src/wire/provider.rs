use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use reqwest::header::HeaderMap;
use scorel_engine::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderStream,
};
use scorel_http::EndpointAddress;

use super::{CallAdvice, ConfiguredHeaders, ModelEndpoint, Wire, reader, refusal, render};
use crate::http::provider_error;
use crate::sse;

/// A model behind a provider API over HTTP.
#[derive(Debug)]
pub(crate) struct HttpProvider<W: Wire> {
    endpoint: Arc<ModelEndpoint<W::Dialect>>,
    configured: ConfiguredHeaders,
    advice: CallAdvice,
}

impl<W: Wire> HttpProvider<W> {
    pub(crate) fn new(
        endpoint: ModelEndpoint<W::Dialect>,
        configured: ConfiguredHeaders,
        advice: CallAdvice,
    ) -> Self {
        Self {
            endpoint: Arc::new(endpoint),
            configured,
            advice,
        }
    }
}

impl<W: Wire> Provider for HttpProvider<W> {
    fn model(&self) -> &ModelInfo {
        &self.endpoint.model
    }

    fn stream(&self, request: ModelRequest) -> ProviderStream {
        let endpoint = Arc::clone(&self.endpoint);
        let configured = self.configured.clone();
        let advice = self.advice.clone();
        let opened = async move {
            match open::<W>(&endpoint, &configured, request).await {
                Ok(events) => Ok(events
                    .map_err(move |error| advice.at_once(&endpoint, located(&endpoint, error)))
                    .boxed()),
                Err(error) => Err(advice.with_names(&endpoint, error).await),
            }
        };
        stream::once(opened).try_flatten().boxed()
    }
}

/// The error with the endpoint's address. Those before the reply begins name it themselves.
fn located<D>(endpoint: &ModelEndpoint<D>, mut error: ProviderError) -> ProviderError {
    let address = EndpointAddress::of(&endpoint.url).short();
    error.message = format!("{address}: {}", error.message);
    error
}

async fn open<W: Wire>(
    endpoint: &Arc<ModelEndpoint<W::Dialect>>,
    configured: &ConfiguredHeaders,
    request: ModelRequest,
) -> Result<ProviderStream, ProviderError> {
    let answered = request.messages.len() > 1;
    let sent = rendered::<W>(endpoint, request).await?;
    let headers = headers::<W>(endpoint, configured)?;
    let (url, key) = (endpoint.url.clone(), endpoint.key.as_ref());
    let body = match endpoint.http.post(url, headers, key, sent.clone()).await {
        Ok(body) => body,
        Err(error) if answered && refusal::is_refusal(&error) => {
            return Err(explained(endpoint, error, &sent));
        }
        Err(error) => return Err(error),
    };
    // The next request writes on in it.
    drop(sent);
    let events = sse::events(body);
    let settle = endpoint.http.timeouts().settle;
    let (origin, key) = (endpoint.origin(), endpoint.key.clone());
    Ok(reader::read::<W::Decoder>(events, origin, key, settle))
}

/// Renders on a blocking thread: images are read from files, and a long history takes time.
async fn rendered<W: Wire>(
    endpoint: &Arc<ModelEndpoint<W::Dialect>>,
    request: ModelRequest,
) -> Result<Bytes, ProviderError> {
    let endpoint = Arc::clone(endpoint);
    let rendered = scorel_engine::spawn_blocking(move || render::<W>(&endpoint, &request)).await;
    rendered.map_err(|error| {
        let message = format!("cannot render the request: {error}");
        provider_error(ErrorCategory::InvalidRequest, false, message)
    })
}

/// Adds an explanation that the sent request gives, and redacts the key.
fn explained<D>(endpoint: &ModelEndpoint<D>, error: ProviderError, sent: &[u8]) -> ProviderError {
    let mut error = refusal::explain(error, sent);
    if let Some(key) = &endpoint.key {
        error.message = key.redact(&error.message);
    }
    error
}

fn headers<W: Wire>(
    endpoint: &ModelEndpoint<W::Dialect>,
    configured: &ConfiguredHeaders,
) -> Result<HeaderMap, ProviderError> {
    configured
        .complete(W::headers(endpoint), W::KEY_HEADER, endpoint.key.as_ref())
        .map_err(|message| provider_error(ErrorCategory::Auth, false, message))
}
