use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    CancelRequestNotification, RequestId as CallId, SessionNotification, SessionUpdate,
};
use scorel_peer::{
    CallError, Closed, ErrorObject, JsonText, Peer, RequestId, answer_head, request,
};
use scorel_proto::SessionId;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::failure::Failure;

/// Bytes that wait for an editor that does not read. Everything that is written waits for room among them.
const OUTBOX: usize = 1024 * 1024;

/// The questions that are open at a time. More wait.
const MAX_CALLS: usize = 256;

/// The editor: what it is told and asked, in order.
#[derive(Debug, Clone)]
pub(crate) struct Editor {
    peer: Arc<Peer>,
}

impl Editor {
    pub(crate) fn new() -> Self {
        Self {
            peer: Arc::new(Peer::new(OUTBOX, MAX_CALLS)),
        }
    }

    pub(crate) const fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The editor is gone.
    pub(crate) async fn answer<T: Serialize>(
        &self,
        id: &RequestId,
        result: Result<T, Failure>,
    ) -> Result<(), Closed> {
        let body = result.and_then(|result| {
            let text = serde_json::to_string(&result);
            text.map_err(|error| Failure::invalid(error.to_string()))
        });
        let body = match body {
            Ok(text) => format!("\"result\":{text}"),
            Err(failure) => format!("\"error\":{}", error_object(failure)),
        };
        let text = JsonText::new(answer_head(id), body.into(), "}");
        self.peer.outbox().send(text).await
    }

    /// Tells something about a session.
    ///
    /// # Errors
    /// The editor is gone.
    pub(crate) async fn update(
        &self,
        session_id: SessionId,
        update: SessionUpdate,
    ) -> Result<(), Closed> {
        let update = SessionNotification::new(session_id.to_string(), update);
        self.notify("session/update", &update).await
    }

    /// Asks. `named` takes the id by which the question can be withdrawn.
    ///
    /// # Errors
    /// Those of the call.
    pub(crate) async fn ask(
        &self,
        method: &str,
        params: &impl Serialize,
        named: impl FnOnce(u64) + Send,
    ) -> Result<Box<RawValue>, CallError> {
        let params = to_raw_value(params).ok();
        self.peer.call_named(method, params.as_deref(), named).await
    }

    /// Withdraws a question. An answer that still comes is dropped.
    ///
    /// # Errors
    /// The editor is gone.
    pub(crate) async fn withdraw(&self, call: u64) -> Result<(), Closed> {
        let id = CallId::Number(i64::try_from(call).unwrap_or_default());
        self.notify("$/cancel_request", &CancelRequestNotification::new(id))
            .await
    }

    async fn notify(&self, method: &str, params: &impl Serialize) -> Result<(), Closed> {
        let params = to_raw_value(params).map_err(|_| Closed)?;
        let text = request(None, method, Some(&params));
        self.peer.outbox().send(text).await
    }
}

fn error_object(failure: Failure) -> String {
    let Failure {
        code,
        message,
        data,
    } = failure;
    serde_json::json!(ErrorObject {
        code,
        message,
        data
    })
    .to_string()
}
