use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::request::RecordedRequest;
use super::response::ScriptedResponse;

/// Shared by all connections.
#[derive(Debug, Default)]
pub(super) struct ServerState {
    script: Mutex<ResponseScript>,
    pub(super) requests: watch::Sender<Vec<RecordedRequest>>,
}

#[derive(Debug, Default)]
pub(super) struct ResponseScript {
    pub(super) answers: VecDeque<ScriptedResponse>,
    pub(super) make: Option<ResponseMaker>,
    pub(super) fallback: Option<ScriptedResponse>,
}

/// A function with a `Debug` implementation.
pub(super) struct ResponseMaker(
    pub(super) Box<dyn FnMut(&RecordedRequest) -> ScriptedResponse + Send>,
);

impl fmt::Debug for ResponseMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseMaker")
    }
}

impl ResponseScript {
    fn next(&mut self, request: &RecordedRequest) -> Option<ScriptedResponse> {
        let scripted = self.answers.pop_front();
        let made = || self.make.as_mut().map(|make| (make.0)(request));
        scripted.or_else(made).or_else(|| self.fallback.clone())
    }
}

impl ServerState {
    pub(super) fn script(&self) -> MutexGuard<'_, ResponseScript> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request and takes its response.
    pub(super) fn take(&self, request: RecordedRequest) -> ScriptedResponse {
        let answer = self.script().next(&request);
        self.requests.send_modify(|requests| requests.push(request));
        answer.unwrap_or_else(|| {
            ScriptedResponse::json(
                500,
                r#"{"error":{"message":"the script has no response for this request"}}"#,
            )
        })
    }
}
