use std::sync::Arc;

use scorel_peer::{Closed, ErrorObject, JsonText, Peer, RequestId, answer_head, refusal, request};
use scorel_proto::RpcError;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

/// Bytes that wait for a client that does not read. Everything that is written waits for room among them.
const OUTBOX: usize = 1024 * 1024;

/// The client at the other end: what it is told, in order. It is not called.
#[derive(Debug, Clone)]
pub(crate) struct McpClient {
    peer: Arc<Peer>,
}

/// An error of the protocol, as opposed to one of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProtocolError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Value,
}

impl From<RpcError> for ProtocolError {
    fn from(error: RpcError) -> Self {
        Self {
            code: error.code.number().into(),
            data: json!(error.data()),
            message: error.message,
        }
    }
}

impl McpClient {
    pub(crate) fn new() -> Self {
        Self {
            peer: Arc::new(Peer::new(OUTBOX, 1)),
        }
    }

    pub(crate) const fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The client is gone.
    pub(crate) async fn answer(
        &self,
        id: &RequestId,
        result: Result<Value, ProtocolError>,
    ) -> Result<(), Closed> {
        let body = match result {
            Ok(result) => format!("\"result\":{result}"),
            Err(ProtocolError {
                code,
                message,
                data,
            }) => {
                let error = ErrorObject {
                    code,
                    message,
                    data,
                };
                format!("\"error\":{}", json!(error))
            }
        };
        let text = JsonText::new(answer_head(id), body.into(), "}");
        self.peer.outbox().send(text).await
    }

    /// Refuses what cannot be read as a request.
    ///
    /// # Errors
    /// The client is gone.
    pub(crate) async fn refuse(&self, id: &RequestId, error: &RpcError) -> Result<(), Closed> {
        self.peer.outbox().send(refusal(id, error)).await
    }

    /// Tells that a request is still carried out, for so many seconds.
    ///
    /// # Errors
    /// The client is gone.
    pub(crate) async fn progress(&self, token: &Value, seconds: u64) -> Result<(), Closed> {
        let params = json!({"progressToken": token, "progress": seconds});
        let params = to_raw_value(&params).map_err(|_| Closed)?;
        let text = request(None, "notifications/progress", Some(&params));
        self.peer.outbox().send(text).await
    }
}
