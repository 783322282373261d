//! What real endpoints would say to the requests of a session.

use futures_util::StreamExt;
use scorel_engine::ModelRequest;
use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret};
use scorel_testkit::{StrictServer, WireApi};

/// Sends every request over every API to an endpoint that rejects what the real ones reject.
///
/// Real sockets need the real clock: the test's is resumed.
pub(crate) async fn assert_accepted(requests: &[ModelRequest]) {
    tokio::time::resume();
    let endpoint = StrictServer::start_trusting().await.expect("a port");
    let connector = Connector::default();
    for api in WireApi::ALL {
        let url = endpoint.server().base_url();
        let config = ModelConfig::custom("strict", api.name(), &url, "model-1");
        let key = Some(Secret::new("sk-strict"));
        let provider = connector.connect(&config, key, std::sync::Arc::new(NoBlobs));
        let provider = provider.expect("an API of ours");
        for request in requests {
            provider.stream(request.clone()).collect::<Vec<_>>().await;
        }
    }
    let sent = endpoint.server().requests().len();
    assert_eq!(sent, requests.len() * WireApi::ALL.len());
    assert_eq!(endpoint.rejections(), [""; 0]);
}
