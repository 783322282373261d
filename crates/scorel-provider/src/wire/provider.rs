use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use reqwest::header::HeaderMap;
use scorel_runtime::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderStream,
};

use super::{ConfiguredHeaders, ModelEndpoint, Wire, reader};
use crate::http::{HttpCall, provider_error};
use crate::sse;

/// A model behind a provider API over HTTP.
#[derive(Debug)]
pub(crate) struct HttpProvider<W: Wire> {
    endpoint: Arc<ModelEndpoint<W::Dialect>>,
    configured: ConfiguredHeaders,
}

impl<W: Wire> HttpProvider<W> {
    pub(crate) fn new(endpoint: ModelEndpoint<W::Dialect>, configured: ConfiguredHeaders) -> Self {
        Self {
            endpoint: Arc::new(endpoint),
            configured,
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
        stream::once(open::<W>(endpoint, configured, request))
            .try_flatten()
            .boxed()
    }
}

async fn open<W: Wire>(
    endpoint: Arc<ModelEndpoint<W::Dialect>>,
    configured: ConfiguredHeaders,
    request: ModelRequest,
) -> Result<ProviderStream, ProviderError> {
    let body = render::<W>(Arc::clone(&endpoint), request).await?;
    let call = HttpCall {
        url: endpoint.url.clone(),
        headers: headers::<W>(&endpoint, &configured)?,
        key: endpoint.key.clone(),
        body,
    };
    let events = sse::events(endpoint.http.post(call).await?);
    let settle = endpoint.http.timeouts().settle;
    let decoder = W::decoder(endpoint.origin());
    Ok(reader::read(events, decoder, endpoint.key.clone(), settle))
}

/// Renders on a blocking thread: images are read from files, and a long history takes time.
async fn render<W: Wire>(
    endpoint: Arc<ModelEndpoint<W::Dialect>>,
    request: ModelRequest,
) -> Result<Vec<u8>, ProviderError> {
    let rendered = tokio::task::spawn_blocking(move || W::render(&endpoint, &request)).await;
    rendered.map_err(|error| {
        let message = format!("cannot render the request: {error}");
        provider_error(ErrorCategory::InvalidRequest, false, message)
    })
}

fn headers<W: Wire>(
    endpoint: &ModelEndpoint<W::Dialect>,
    configured: &ConfiguredHeaders,
) -> Result<HeaderMap, ProviderError> {
    let headers = W::headers(endpoint);
    let key_header = W::key_header(endpoint.dialect);
    configured
        .complete(headers, key_header, endpoint.key.as_ref())
        .map_err(|message| provider_error(ErrorCategory::Auth, false, message))
}
