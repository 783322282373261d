use std::fmt;
use std::sync::Arc;

use reqwest::Url;
use scorel_engine::ModelInfo;

use super::ModelOrigin;
use crate::blobs::BlobSource;
use crate::http::Http;
use crate::{Secret, ThinkingLevels};

/// A configured model at a provider: what a call needs besides the request. `D` is the wire's dialect.
pub(crate) struct ModelEndpoint<D> {
    pub(crate) api: &'static str,
    pub(crate) model: ModelInfo,
    pub(crate) url: Url,
    pub(crate) key: Option<Secret>,
    pub(crate) dialect: D,
    /// The output limit to state, in tokens; `None` leaves it to the provider where the API allows.
    pub(crate) output_limit: Option<u64>,
    /// True if the model takes parameters that control reasoning.
    pub(crate) reasoning: bool,
    /// The levels of reasoning that the model takes, or that its API takes at least.
    pub(crate) levels: ThinkingLevels,
    /// True if the model takes image input.
    pub(crate) images: bool,
    pub(crate) stop_sequences: Vec<String>,
    pub(crate) blobs: Arc<dyn BlobSource>,
    pub(crate) http: Arc<Http>,
}

impl<D> ModelEndpoint<D> {
    pub(crate) fn origin(&self) -> ModelOrigin {
        ModelOrigin::new(self.api, &self.model)
    }
}

/// Leaves out the key, and of the URL all but the host: paths and queries of gateways can hold
/// tokens.
impl<D> fmt::Debug for ModelEndpoint<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("model", &self.model)
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}
