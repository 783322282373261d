use std::io;
use std::sync::Arc;
use std::time::Duration;

use scorel_peer::{Closed, IdKey, Peer, RequestId, RequestObject, StdioService, serve_stdio};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval_at, timeout};

use crate::era::{Era, UnservedVersion, discovered, initialized};
use crate::mcp_client::{McpClient, ProtocolError};
use crate::open_requests::{NotBegun, OpenRequest, OpenRequests};
use crate::outcome::call_result;
use crate::tool_set::{ToolCall, ToolSet};

/// The longest line of a client, in bytes.
const MAX_LINE: usize = 4 * 1024 * 1024;

/// The time that requests have once the client has closed its end.
const GOODBYE: Duration = Duration::from_secs(5);

/// The time between two notifications of progress.
const PROGRESS: Duration = Duration::from_secs(1);

/// Serves tools to the client at the other end of the standard streams, until it closes its end.
///
/// # Errors
/// The client's output has no end or cannot be read, or the standard output cannot be used.
pub(crate) async fn serve(tools: impl ToolSet) -> io::Result<()> {
    let server = Server {
        tools: Arc::new(tools),
        client: McpClient::new(),
        open: OpenRequests::default(),
        tasks: JoinSet::new(),
    };
    serve_stdio(server, MAX_LINE).await
}

struct Server<T> {
    tools: Arc<T>,
    client: McpClient,
    open: OpenRequests,
    tasks: JoinSet<()>,
}

impl<T: ToolSet> StdioService for Server<T> {
    fn peer(&self) -> &Arc<Peer> {
        self.client.peer()
    }

    async fn called(
        &mut self,
        id: RequestId,
        request: &RequestObject<'_>,
        _: usize,
    ) -> Result<(), Closed> {
        while self.tasks.try_join_next().is_some() {}
        let open = match self.opened(&id) {
            Ok(open) => open,
            Err(error) => return self.client.refuse(&id, &error).await,
        };
        let request = Request {
            tools: Arc::clone(&self.tools),
            client: self.client.clone(),
            method: request.method.clone(),
            // The envelope was parsed, so these are JSON.
            params: serde_json::from_str(request.params.unwrap_or("{}")).unwrap_or_default(),
        };
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                // The protocol wants no answer then.
                () = open.withdrawn() => {}
                () = request.carry_out(&id) => {}
            }
        });
        Ok(())
    }

    fn notified(&mut self, notification: &RequestObject<'_>) {
        if &*notification.method != "notifications/cancelled" {
            return;
        }
        let params: Value = notification
            .params
            .and_then(|params| serde_json::from_str(params).ok())
            .unwrap_or_default();
        let id = to_raw_value(&params["requestId"]).ok();
        if let Some(id) = id.and_then(|id| RequestId::parse(&id)) {
            self.open.withdraw(&id.key);
        }
    }

    async fn finish(&mut self) {
        let _ended = timeout(GOODBYE, async {
            while self.tasks.join_next().await.is_some() {}
        })
        .await;
    }
}

impl<T> Server<T> {
    fn opened(&self, id: &RequestId) -> Result<OpenRequest, RpcError> {
        if matches!(id.key, IdKey::Null) {
            let reason = "a request has an id other than null";
            return Err(RpcError::new(ErrorCode::InvalidRequest, reason));
        }
        self.open.begin(id.key.clone()).map_err(|why| match why {
            NotBegun::SameId => {
                RpcError::new(ErrorCode::InvalidRequest, "an open request has this id")
            }
            NotBegun::TooMany => RpcError::new(ErrorCode::Overloaded, "too many requests are open"),
        })
    }
}

/// A request that is carried out.
struct Request<T> {
    tools: Arc<T>,
    client: McpClient,
    method: Box<str>,
    params: Value,
}

impl<T: ToolSet> Request<T> {
    async fn carry_out(&self, id: &RequestId) {
        let answer = tokio::select! {
            answer = self.answer() => answer,
            // The client is gone.
            () = self.tell_progress() => return,
        };
        // Fails if the client is gone.
        let _: Result<(), Closed> = self.client.answer(id, answer).await;
    }

    /// Tells the client in intervals, if it asks for that, until it is gone.
    async fn tell_progress(&self) {
        let token = &self.params["_meta"]["progressToken"];
        if !(token.is_string() || token.is_number()) {
            return std::future::pending().await;
        }
        let mut ticks = interval_at(Instant::now() + PROGRESS, PROGRESS);
        let mut seconds = 0;
        loop {
            ticks.tick().await;
            seconds += PROGRESS.as_secs();
            if self.client.progress(token, seconds).await.is_err() {
                return;
            }
        }
    }

    async fn answer(&self) -> Result<Value, ProtocolError> {
        let instructions = self.tools.instructions();
        let era = Era::of(&self.params).map_err(|version| unserved(&version))?;
        let result = match &*self.method {
            "initialize" => return Ok(initialized(&self.params, instructions)),
            "server/discover" => return Ok(Era::Stateless.complete(discovered(instructions))),
            "ping" => json!({}),
            "tools/list" => self.list(era).await?,
            "tools/call" => self.call().await?,
            method => {
                let message = format!("`{method}` is not a method that is offered here");
                return Err(RpcError::new(ErrorCode::MethodNotFound, message).into());
            }
        };
        Ok(era.complete(result))
    }

    async fn list(&self, era: Era) -> Result<Value, ProtocolError> {
        let tools = self.tools.tools().await;
        let tools = tools.map_err(|failure| {
            RpcError::new(ErrorCode::InternalError, failure.message.clone())
                .with_details(failure.to_json())
        })?;
        let mut result = json!({"tools": tools});
        if era == Era::Stateless {
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
        }
        Ok(result)
    }

    async fn call(&self) -> Result<Value, ProtocolError> {
        let invalid = |message: &str| RpcError::new(ErrorCode::InvalidParams, message);
        let name = self.params["name"].as_str();
        let arguments = match &self.params["arguments"] {
            Value::Null => json!({}),
            object @ Value::Object(_) => object.clone(),
            _ => return Err(invalid("`arguments` must be an object").into()),
        };
        let call = ToolCall {
            name: name
                .ok_or_else(|| invalid("`name` must be a string"))?
                .to_owned(),
            arguments,
        };
        Ok(call_result(self.tools.call(call).await))
    }
}

fn unserved(version: &UnservedVersion) -> ProtocolError {
    ProtocolError {
        code: UnservedVersion::CODE,
        data: version.data(),
        message: "this version of the protocol is not served".to_owned(),
    }
}
