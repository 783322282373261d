//! Requests in the engine's types, and what arrives at an endpoint of them.

use std::io;
use std::sync::Arc;

use scorel_engine::ModelRequest;
use scorel_proto::BlobHash;
use scorel_provider::{BlobSource, Connector, ModelConfig, Secret};
use scorel_testkit::{ModelServer, RecordedRequest, ScriptedResponse};

use crate::collected::{KEY, collect};

/// The provider's name in stored metadata.
pub(crate) const PROVIDER: &str = "test";

/// A request in the engine's types.
#[derive(Debug)]
pub(crate) struct Rebuilt {
    pub(crate) model: String,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) stop_sequences: Vec<String>,
    pub(crate) request: ModelRequest,
}

/// Any image: the recordings do not contain their bytes.
#[derive(Debug)]
struct AnyPicture;

impl BlobSource for AnyPicture {
    fn read(&self, _blob: &BlobHash) -> io::Result<Vec<u8>> {
        Ok(b"picture".to_vec())
    }
}

/// Sends the request to an endpoint with a base path, in the dialect of a built-in provider if one is
/// named, and returns what arrived.
pub(crate) async fn sent_like(
    provider: Option<&str>,
    api: &str,
    base: &str,
    rebuilt: Rebuilt,
) -> RecordedRequest {
    let server = ModelServer::start().await.unwrap();
    server.answer(ScriptedResponse::status(400));
    let base_url = format!("http://{}{base}", server.address());
    let mut config = ModelConfig::custom(PROVIDER, api, base_url, rebuilt.model);
    config.stated.max_output_tokens = rebuilt.max_output_tokens;
    config.stop_sequences = rebuilt.stop_sequences;
    config.dialect = provider.map(str::to_owned);
    let provider = Connector::default()
        .connect(&config, Some(Secret::new(KEY)), Arc::new(AnyPicture))
        .unwrap();
    collect(provider.stream(rebuilt.request)).await;
    server.requests().remove(0)
}
