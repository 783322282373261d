use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use scorel_client::new_command_id;
use scorel_peer::Closed;
use scorel_proto::{
    PermissionDecision, PermissionRequestBody, PermissionRequestId, RespondPermission,
    RespondPermissionParams, SessionId,
};
use tokio::task::AbortHandle;

use crate::daemon::{Connector, Daemon};
use crate::editor::Editor;
use crate::v1::tool_call;

/// The questions of one session that the editor was asked.
#[derive(Debug, Default)]
pub(super) struct Questions {
    asked: Arc<Mutex<HashMap<PermissionRequestId, Question>>>,
}

#[derive(Debug)]
struct Question {
    tool_call_id: String,
    /// By which it can be withdrawn, once it is asked.
    call: Arc<OnceLock<u64>>,
    task: Option<AbortHandle>,
}

impl Questions {
    /// Asks what is open and was not asked, and withdraws what was asked and is no longer open.
    pub(super) async fn reconcile<C: Connector>(
        &self,
        open: &[PermissionRequestBody],
        session_id: SessionId,
        work_dir: &Path,
        daemon: &Daemon<C>,
        editor: &Editor,
    ) -> Result<(), Closed> {
        for question in self.take_closed(open) {
            question.withdraw(session_id, editor).await?;
        }
        for body in open {
            let request = request(session_id, body, work_dir);
            let call = Arc::new(OnceLock::new());
            let question = Question {
                tool_call_id: body.tool_call_id.clone(),
                call: Arc::clone(&call),
                task: None,
            };
            if !self.insert(body.request_id, question) {
                continue;
            }
            let asked = Arc::clone(&self.asked);
            let (id, daemon, editor) = (body.request_id, daemon.clone(), editor.clone());
            let task = tokio::spawn(async move {
                let named = |number| call.set(number).unwrap_or_default();
                let method = "session/request_permission";
                let answer = editor.ask(method, &request, named).await;
                // Without a usable answer the question stays open for other clients.
                let Some(decision) = answer.ok().and_then(|answer| decision(answer.get())) else {
                    return;
                };
                lock(&asked).remove(&id);
                respond(session_id, id, decision, &daemon).await;
            });
            self.note_task(id, task.abort_handle());
        }
        Ok(())
    }

    fn take_closed(&self, open: &[PermissionRequestBody]) -> Vec<Question> {
        let is_open = |id: &PermissionRequestId| open.iter().any(|body| body.request_id == *id);
        let mut asked = lock(&self.asked);
        let closed = asked.extract_if(|id, _| !is_open(id));
        closed.map(|(_, question)| question).collect()
    }

    /// False if it was asked before.
    fn insert(&self, id: PermissionRequestId, question: Question) -> bool {
        let mut asked = lock(&self.asked);
        let is_new = !asked.contains_key(&id);
        if is_new {
            asked.insert(id, question);
        }
        is_new
    }

    fn note_task(&self, id: PermissionRequestId, task: AbortHandle) {
        if let Some(question) = lock(&self.asked).get_mut(&id) {
            question.task = Some(task);
        }
    }
}

impl Question {
    /// Tells the editor that it needs no answer any more. An answer that still comes finds no call.
    async fn withdraw(self, session_id: SessionId, editor: &Editor) -> Result<(), Closed> {
        if let Some(task) = self.task {
            task.abort();
        }
        if let Some(call) = self.call.get() {
            editor.withdraw(*call).await?;
        }
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
        let call = ToolCallUpdate::new(self.tool_call_id, fields);
        editor
            .update(session_id, SessionUpdate::ToolCallUpdate(call))
            .await
    }
}

type Asked = Mutex<HashMap<PermissionRequestId, Question>>;

fn lock(asked: &Asked) -> MutexGuard<'_, HashMap<PermissionRequestId, Question>> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn respond<C: Connector>(
    session_id: SessionId,
    request_id: PermissionRequestId,
    decision: PermissionDecision,
    daemon: &Daemon<C>,
) {
    let params = RespondPermissionParams {
        session_id,
        request_id,
        decision,
        reason: None,
        command_id: Some(new_command_id()),
    };
    // A conflict means that another client answered first, which the session's events tell.
    drop(daemon.call::<RespondPermission>(&params).await);
}

fn request(
    session_id: SessionId,
    question: &PermissionRequestBody,
    work_dir: &Path,
) -> RequestPermissionRequest {
    let options = DECISIONS.iter().filter(|(decision, ..)| {
        !(question.session_only && *decision == PermissionDecision::Always)
    });
    let options = options
        .map(|(_, id, name, kind)| PermissionOption::new(*id, *name, *kind))
        .collect();
    let call = tool_call::asked(question, work_dir);
    RequestPermissionRequest::new(session_id.to_string(), call, options)
}

const DECISIONS: [(PermissionDecision, &str, &str, PermissionOptionKind); 4] = {
    use PermissionDecision as D;
    use PermissionOptionKind as K;
    [
        (D::Once, "once", "Allow once", K::AllowOnce),
        (
            D::Session,
            "session",
            "Allow for this session",
            K::AllowAlways,
        ),
        (D::Always, "always", "Always allow", K::AllowAlways),
        (D::Deny, "deny", "Deny", K::RejectOnce),
    ]
};

/// The decision in an answer. None if the editor gave up the question, as it does with a cancelled prompt.
fn decision(answer: &str) -> Option<PermissionDecision> {
    let answer: RequestPermissionResponse = serde_json::from_str(answer).ok()?;
    let RequestPermissionOutcome::Selected(selected) = answer.outcome else {
        return None;
    };
    let option = DECISIONS
        .iter()
        .find(|(_, id, ..)| *id == &*selected.option_id.0);
    option.map(|(decision, ..)| *decision)
}
