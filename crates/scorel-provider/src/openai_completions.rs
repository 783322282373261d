//! The wire `openai-completions`: chat completions over HTTP, as many servers speak it.

mod answer;
mod history;
mod image;
mod origin;
mod reader;
mod reasoning;
mod request;
mod stop;
mod tool_calls;
mod usage;

use std::fmt;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use reqwest::Url;
use scorel_runtime::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderStream,
};

use crate::blobs::BlobSource;
use crate::dialect::Dialect;
use crate::http::{Call, Http};
use crate::{Secret, sse};

use origin::ModelOrigin;

/// The wire's name in configurations and in what is kept with messages.
pub(crate) const API: &str = "openai-completions";

/// A model behind the wire.
#[derive(Debug)]
pub(crate) struct OpenAiCompletions {
    endpoint: Arc<Endpoint>,
}

/// All that a call needs beside the request.
pub(crate) struct Endpoint {
    pub(crate) model: ModelInfo,
    /// Where to post.
    pub(crate) url: Url,
    pub(crate) key: Option<Secret>,
    pub(crate) dialect: Dialect,
    /// The bound to state for an answer; `None` to leave it to the endpoint.
    pub(crate) output_limit: Option<u64>,
    /// Whether the model can be told how much to think.
    pub(crate) reasoning: bool,
    pub(crate) blobs: Arc<dyn BlobSource>,
    pub(crate) http: Arc<Http>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("model", &self.model)
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

impl OpenAiCompletions {
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint: Arc::new(endpoint),
        }
    }
}

impl Provider for OpenAiCompletions {
    fn model(&self) -> &ModelInfo {
        &self.endpoint.model
    }

    fn stream(&self, request: ModelRequest) -> ProviderStream {
        let endpoint = Arc::clone(&self.endpoint);
        stream::once(endpoint.open(request)).try_flatten().boxed()
    }
}

impl Endpoint {
    async fn open(self: Arc<Self>, request: ModelRequest) -> Result<ProviderStream, ProviderError> {
        let body = Arc::clone(&self).render(request).await?;
        let call = Call {
            url: self.url.clone(),
            key: self.key.clone(),
            body,
        };
        let events = sse::events(self.http.post(call).await?);
        let settle = self.http.timeouts().settle;
        Ok(reader::answer(
            events,
            self.origin(),
            self.key.clone(),
            settle,
        ))
    }

    /// Renders on a thread that may block: pictures are read from files, histories may be long.
    async fn render(self: Arc<Self>, request: ModelRequest) -> Result<Vec<u8>, ProviderError> {
        let rendered = tokio::task::spawn_blocking(move || request::render(&self, &request)).await;
        rendered.map_err(|error| ProviderError {
            category: ErrorCategory::InvalidRequest,
            retryable: false,
            retry_after: None,
            status: None,
            message: format!("the request could not be rendered: {error}"),
            usage: None,
        })
    }

    fn origin(&self) -> ModelOrigin {
        ModelOrigin::new(&self.model)
    }
}
