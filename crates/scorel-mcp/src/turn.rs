//! The tools of a turn, for the runner that runs it.

use std::path::PathBuf;
use std::sync::Arc;

use scorel_client::{ClientError, Dial as _};
use scorel_peer::Peer;
use scorel_proto::{ErrorCode, RpcError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use crate::failure::Failure;
use crate::outcome::{CallResult, Outcome};
use crate::tool_set::{ToolCall, ToolSet};
use crate::tool_spec::ToolSpec;

/// Bytes of a request that wait to be written.
const OUTBOX: usize = 8 * 1024 * 1024;

/// The tools behind the socket of a turn. Each request has a connection of its own: the next turn has its socket at the
/// same place, and a request that is withdrawn ends with its connection.
#[derive(Debug)]
pub(crate) struct TurnTools {
    socket: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Listed {
    tools: Vec<ListedTool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedTool {
    name: String,
    description: String,
    input_schema: Value,
    read_only: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Called {
    text: String,
    is_error: bool,
    details: Option<Value>,
}

impl TurnTools {
    pub(crate) const fn new(socket: PathBuf) -> Self {
        Self { socket }
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, params: &Value) -> Result<T, Failure> {
        let stream = self.socket.as_path().dial().await;
        let stream = stream.map_err(|_| Failure::new("turn_over", "no turn runs"))?;
        let peer = Arc::new(Peer::new(OUTBOX, 1));
        let running = Arc::clone(&peer);
        let _running = AbortOnDropHandle::new(tokio::spawn(async move {
            running.run(stream, ()).await;
        }));
        let unreadable = |error: serde_json::Error| {
            let message = format!("the daemon is not understood: {error}");
            Failure::from(RpcError::new(ErrorCode::InternalError, message))
        };
        let params = to_raw_value(params).map_err(unreadable)?;
        let answer = peer.call(method, Some(&params)).await;
        let answer = answer.map_err(|error| match ClientError::from(error) {
            ClientError::Closed => Failure::new("turn_over", "the turn is over"),
            other => other.into(),
        })?;
        serde_json::from_str(answer.get()).map_err(unreadable)
    }
}

impl ToolSet for TurnTools {
    fn instructions(&self) -> Option<&str> {
        None
    }

    async fn tools(&self) -> Result<Vec<ToolSpec>, Failure> {
        let listed: Listed = self.ask("listTools", &json!({})).await?;
        let tools = listed.tools.into_iter().map(|tool| {
            ToolSpec::told(
                tool.name,
                tool.description,
                tool.input_schema,
                tool.read_only,
            )
        });
        Ok(tools.collect())
    }

    async fn call(&self, call: ToolCall) -> Outcome {
        let params = json!({"name": call.name, "input": call.arguments});
        let called: Called = self.ask("callTool", &params).await?;
        Ok(CallResult::Text {
            text: called.text,
            is_error: called.is_error,
            details: called.details,
        })
    }
}
