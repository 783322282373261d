use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use reqwest::header::HeaderMap;
use scorel_runtime::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderStream,
};

use super::{ConfiguredHeaders, Endpoint, Wire, reader};
use crate::http::Call;
use crate::sse;

/// A model behind a wire over HTTP.
#[derive(Debug)]
pub(crate) struct HttpProvider<W: Wire> {
    endpoint: Arc<Endpoint<W>>,
    configured: ConfiguredHeaders,
}

impl<W: Wire> HttpProvider<W> {
    pub(crate) fn new(endpoint: Endpoint<W>, configured: ConfiguredHeaders) -> Self {
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
        stream::once(open(endpoint, configured, request))
            .try_flatten()
            .boxed()
    }
}

async fn open<W: Wire>(
    endpoint: Arc<Endpoint<W>>,
    configured: ConfiguredHeaders,
    request: ModelRequest,
) -> Result<ProviderStream, ProviderError> {
    let body = render(Arc::clone(&endpoint), request).await?;
    let call = Call {
        url: endpoint.url.clone(),
        headers: headers(&endpoint, &configured)?,
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

fn headers<W: Wire>(
    endpoint: &Endpoint<W>,
    configured: &ConfiguredHeaders,
) -> Result<HeaderMap, ProviderError> {
    let headers = W::headers(endpoint);
    let key_header = W::key_header(endpoint.dialect);
    configured
        .complete(headers, key_header, endpoint.key.as_ref())
        .map_err(|message| unsent(ErrorCategory::Auth, message.to_owned()))
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
