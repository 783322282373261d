use std::fmt;
use std::sync::Arc;

use reqwest::Url;
use scorel_runtime::ModelInfo;

use super::{ModelOrigin, Wire};
use crate::Secret;
use crate::blobs::BlobSource;
use crate::http::Http;

/// All that a call needs beside the request.
pub(crate) struct Endpoint<W: Wire> {
    pub(crate) model: ModelInfo,
    /// Where to post.
    pub(crate) url: Url,
    pub(crate) key: Option<Secret>,
    pub(crate) dialect: W::Dialect,
    /// The bound to state for an answer; `None` to leave it to the endpoint where the wire can.
    pub(crate) output_limit: Option<u64>,
    /// Whether the model can be told how much to think.
    pub(crate) reasoning: bool,
    /// Whether the model takes pictures.
    pub(crate) images: bool,
    /// Texts at which the model is to stop.
    pub(crate) stop_sequences: Vec<String>,
    pub(crate) blobs: Arc<dyn BlobSource>,
    pub(crate) http: Arc<Http>,
}

impl<W: Wire> Endpoint<W> {
    pub(crate) fn origin(&self) -> ModelOrigin {
        ModelOrigin::new(W::API, &self.model)
    }
}

impl<W: Wire> fmt::Debug for Endpoint<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("model", &self.model)
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}
