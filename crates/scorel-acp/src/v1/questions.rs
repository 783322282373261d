use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use agent_client_protocol_schema::v1::{
    Diff, PermissionOption, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, ToolCallContent, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields,
};
use scorel_client::{Connect, new_command_id};
use scorel_peer::Closed;
use scorel_proto::{
    ErrorCode, PermissionDecision, PermissionRequestBody, PermissionRequestId, RespondPermission,
    RespondPermissionParams,
};
use tokio::task::{AbortHandle, JoinSet};

use super::change::Change;
use super::note::note;
use super::open_session::OpenSession;
use super::tool_call::{kind, title};
use crate::daemon::Daemon;
use crate::editor::Editor;
use crate::visible::one_line;

/// Told where an editor's answer is not one of those that it was offered.
const OPEN: &str =
    "\n[the question is still open: `scorelctl approve` answers it, or another client]\n";

/// The permission requests of a session that the editor was asked about.
#[derive(Debug)]
pub(crate) struct Questions<C> {
    daemon: Daemon<C>,
    editor: Editor,
    session: Arc<OpenSession>,
    open: HashMap<PermissionRequestId, Asked>,
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Asked {
    /// The call that waits, by the name that the model gave it.
    call: String,
    task: AbortHandle,
    progress: Arc<Progress>,
}

/// The stage of a question.
#[derive(Debug, Default)]
struct Progress {
    /// The id of the call to the editor; 0 before it is sent.
    call: AtomicU64,
    is_answered: AtomicBool,
}

impl<C: Connect + Clone + Send + Sync + 'static> Questions<C> {
    pub(crate) fn new(daemon: Daemon<C>, editor: Editor, session: Arc<OpenSession>) -> Self {
        Self {
            daemon,
            editor,
            session,
            open: HashMap::new(),
            tasks: JoinSet::new(),
        }
    }

    /// Asks the editor, unless it was asked. `call_id` is the call as it knows it.
    pub(crate) fn ask(&mut self, request: &PermissionRequestBody, call_id: String, call: String) {
        while self.tasks.try_join_next().is_some() {}
        if self.open.contains_key(&request.request_id) {
            return;
        }
        let progress = Arc::<Progress>::default();
        let asking = Asking {
            daemon: self.daemon.clone(),
            editor: self.editor.clone(),
            session: Arc::clone(&self.session),
            progress: Arc::clone(&progress),
            request: request.clone(),
        };
        let task = self.tasks.spawn(asking.run(call_id));
        self.open.insert(
            request.request_id,
            Asked {
                call,
                task,
                progress,
            },
        );
    }

    /// Withdraws a question that is decided. Returns the call if it was decided elsewhere.
    ///
    /// # Errors
    /// The editor is gone.
    pub(crate) async fn decided(
        &mut self,
        id: PermissionRequestId,
    ) -> Result<Option<String>, Closed> {
        let Some(asked) = self.open.remove(&id) else {
            return Ok(None);
        };
        if asked.progress.is_answered.load(Ordering::Acquire) {
            return Ok(None);
        }
        asked.task.abort();
        let call = asked.progress.call.load(Ordering::Acquire);
        if call != 0 {
            self.editor.withdraw(call).await?;
        }
        Ok(Some(asked.call))
    }

    /// Withdraws all but those that are open.
    ///
    /// # Errors
    /// The editor is gone.
    pub(crate) async fn keep(&mut self, open: &[PermissionRequestBody]) -> Result<(), Closed> {
        let is_open = |id| open.iter().any(|request| request.request_id == id);
        let gone: Vec<_> = self
            .open
            .keys()
            .copied()
            .filter(|id| !is_open(*id))
            .collect();
        for id in gone {
            self.decided(id).await?;
        }
        Ok(())
    }
}

struct Asking<C> {
    daemon: Daemon<C>,
    editor: Editor,
    session: Arc<OpenSession>,
    progress: Arc<Progress>,
    request: PermissionRequestBody,
}

impl<C: Connect + Clone> Asking<C> {
    async fn run(self, call_id: String) {
        let question = RequestPermissionRequest::new(
            self.session.id.to_string(),
            shown(&self.request, call_id, self.diff().await),
            options(&self.request),
        );
        let named = |call| self.progress.call.store(call, Ordering::Release);
        let method = "session/request_permission";
        let answer = self.editor.ask(method, &question, named).await.ok();
        let answer = answer.and_then(|it| {
            let answer = serde_json::from_str::<RequestPermissionResponse>(it.get());
            answer.ok()
        });
        // Nothing is left to be withdrawn.
        self.progress.call.store(0, Ordering::Release);
        match answer.map(|answer| answer.outcome) {
            Some(RequestPermissionOutcome::Selected(selected))
                if let Some(decision) = decision(&selected.option_id.0) =>
            {
                self.respond(decision).await;
            }
            // Closing a card cancels the editor's own turn, never that of another client.
            Some(RequestPermissionOutcome::Cancelled) if self.session.prompts().runs() => {
                self.session.cancel();
            }
            Some(RequestPermissionOutcome::Cancelled) => {}
            // An editor that cannot ask leaves the question to other clients.
            _ => self.tell(OPEN).await,
        }
    }

    /// The change that is asked about, with the whole file where that is here.
    async fn diff(&self) -> Option<Diff> {
        let (name, input) = (&self.request.tool_name, &self.request.input);
        let change = Change::of(name, input, &self.session.work_dir)?;
        if !self.daemon.is_local {
            return Some(change.parts());
        }
        let read = move || change.whole().unwrap_or_else(|| change.parts());
        tokio::task::spawn_blocking(read).await.ok()
    }

    async fn tell(&self, text: &str) {
        // Fails if the editor is gone.
        let _: Result<(), Closed> = self.editor.update(self.session.id, note(text)).await;
    }

    async fn respond(&self, decision: PermissionDecision) {
        self.progress.is_answered.store(true, Ordering::Release);
        let params = RespondPermissionParams {
            session_id: self.session.id,
            request_id: self.request.request_id,
            decision,
            reason: None,
            command_id: Some(new_command_id()),
        };
        let answered = self.daemon.call::<RespondPermission>(&params).await;
        // A conflict means that another client was quicker, which the session's events tell.
        if let Err(failure) = answered
            && !failure.is(ErrorCode::Conflict)
        {
            let text = format!("\n[the answer was not taken: {}]\n", failure.message);
            self.tell(&text).await;
        }
    }
}

fn shown(request: &PermissionRequestBody, call_id: String, diff: Option<Diff>) -> ToolCallUpdate {
    let (name, input) = (&request.tool_name, &request.input);
    let mut content: Vec<_> = diff.map(ToolCallContent::Diff).into_iter().collect();
    content.push(one_line(&request.reason).into());
    let fields = ToolCallUpdateFields::new()
        .title(title(name, input))
        .kind(kind(name))
        .status(ToolCallStatus::Pending)
        .content(content)
        .raw_input(input.clone());
    ToolCallUpdate::new(call_id, fields)
}

/// The answers that the request takes.
fn options(request: &PermissionRequestBody) -> Vec<PermissionOption> {
    let rules = one_line(&request.rules.join(", "));
    let mut options = vec![PermissionOption::new(
        "once",
        "Allow once",
        PermissionOptionKind::AllowOnce,
    )];
    let lasting = |id: &'static str, text: &str| {
        let name = format!("{text}: {rules}");
        PermissionOption::new(id, name, PermissionOptionKind::AllowAlways)
    };
    if !request.rules.is_empty() {
        options.push(lasting("session", "Allow for this session"));
        if !request.session_only {
            options.push(lasting("always", "Always allow in this project"));
        }
    }
    let deny = PermissionOption::new("deny", "Deny", PermissionOptionKind::RejectOnce);
    options.push(deny);
    options
}

fn decision(option: &str) -> Option<PermissionDecision> {
    Some(match option {
        "once" => PermissionDecision::Once,
        "session" => PermissionDecision::Session,
        "always" => PermissionDecision::Always,
        "deny" => PermissionDecision::Deny,
        _ => return None,
    })
}
