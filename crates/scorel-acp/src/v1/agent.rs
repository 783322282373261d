use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, CancelNotification, DeleteSessionRequest, Implementation,
    InitializeResponse, ListSessionsRequest, LoadSessionRequest, LoadSessionResponse,
    McpCapabilities, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest,
    ResumeSessionRequest, ResumeSessionResponse, SessionCapabilities, SessionDeleteCapabilities,
    SessionListCapabilities, SessionResumeCapabilities, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
};
use scorel_client::Connect;
use scorel_peer::{Closed, RequestId, RequestObject};
use scorel_proto::{ErrorCode, UpdateSession};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::mcp::EditorServers;
use super::note::note;
use super::open::{Opened, Opener, Opening, first_line};
use super::open_session::OpenSession;
use super::options::{Settings, chosen};
use super::prompt::{Prompt, left};
use super::sessions::{Sessions, parsed};
use super::{list, projects};
use crate::daemon::Daemon;
use crate::editor::Editor;
use crate::failure::Failure;
use crate::room::Taken;

/// Prompts that wait for their turns at a time. Others are refused, since a cancel must still be read.
const MAX_PROMPTS: usize = 256;

/// The agent, as the protocol calls what an editor talks to.
#[derive(Debug)]
pub(crate) struct Agent<C> {
    daemon: Daemon<C>,
    editor: Editor,
    sessions: Arc<Sessions>,
    prompts: Arc<Semaphore>,
}

impl<C: Connect + Clone + Send + Sync + 'static> Agent<C> {
    pub(crate) fn new(daemon: Daemon<C>, editor: Editor) -> Self {
        Self {
            daemon,
            editor,
            sessions: Arc::default(),
            prompts: Arc::new(Semaphore::new(MAX_PROMPTS)),
        }
    }

    /// Takes a request at once, in the order of reading. What it returns carries the request out.
    pub(crate) fn request(
        self: &Arc<Self>,
        id: RequestId,
        request: &RequestObject<'_>,
        room: Taken,
    ) -> impl Future<Output = ()> + Send + use<C> {
        let agent = Arc::clone(self);
        let method = request.method.clone();
        let params = request.params.map(str::to_owned);
        let prompt = (&*method == "session/prompt").then(|| self.prompt(&id, request.params));
        async move {
            // Fails if the editor is gone.
            let _: Result<(), Closed> = match prompt {
                Some(prompt) => agent.run_prompt(&id, prompt, room).await,
                None => {
                    let answered = agent.carry_out(&id, &method, params.as_deref()).await;
                    drop(room);
                    answered
                }
            };
        }
    }

    pub(crate) fn notified(&self, notification: &RequestObject<'_>) {
        match &*notification.method {
            "session/cancel" => {
                let cancel: Result<CancelNotification, _> = params(notification.params);
                let id = cancel.map(|cancel| cancel.session_id.to_string());
                if let Ok(session) = id.and_then(|id| self.sessions.get(&id)) {
                    session.cancel();
                }
            }
            "$/cancel_request" => {
                let request: Result<Value, _> = params(notification.params);
                let id = request.ok().and_then(|it| {
                    let id = serde_json::value::to_raw_value(&it["requestId"]).ok()?;
                    RequestId::parse(&id)
                });
                if let Some(id) = id {
                    self.sessions.cancel_request(&id.key);
                }
            }
            _ => {}
        }
    }

    fn prompt(
        &self,
        id: &RequestId,
        json: Option<&str>,
    ) -> Result<(Prompt, PromptRequest), Failure> {
        let request: PromptRequest = params(json)?;
        let session = self.sessions.get(&request.session_id.0)?;
        Ok((Prompt::new(session, id.key.clone()), request))
    }

    async fn run_prompt(
        &self,
        id: &RequestId,
        prompt: Result<(Prompt, PromptRequest), Failure>,
        room: Taken,
    ) -> Result<(), Closed> {
        let Ok(_slot) = self.prompts.try_acquire() else {
            let message = format!("{MAX_PROMPTS} prompts wait already");
            let failure = Failure::new(ErrorCode::Overloaded, message);
            return self.editor.answer::<()>(id, Err(failure)).await;
        };
        let answer = match prompt {
            Ok((prompt, request)) => {
                let (daemon, editor) = (&self.daemon, &self.editor);
                prompt.run(daemon, editor, request.prompt, room).await
            }
            Err(failure) => Err(failure),
        };
        self.editor.answer(id, answer).await
    }

    async fn carry_out(
        &self,
        id: &RequestId,
        method: &str,
        json: Option<&str>,
    ) -> Result<(), Closed> {
        let opened = match method {
            "session/new" => self.create(json).await,
            "session/load" => self.load(json).await,
            "session/resume" => self.resume(json).await,
            _ => {
                let answer = self.call(method, json).await;
                return self.editor.answer(id, answer).await;
            }
        };
        match opened {
            Ok(opened) => self.answer_opened(id, opened).await,
            Err(failure) => self.editor.answer::<()>(id, Err(failure)).await,
        }
    }

    async fn call(&self, method: &str, json: Option<&str>) -> Result<Value, Failure> {
        match method {
            "initialize" => Ok(json!(initialized())),
            "session/list" => {
                let request: ListSessionsRequest = params(json)?;
                Ok(json!(list::list(&self.daemon, request).await?))
            }
            "session/delete" => {
                let request: DeleteSessionRequest = params(json)?;
                let id = parsed(&request.session_id.0)?;
                list::delete(&self.daemon, id).await?;
                self.sessions.remove(id, &left());
                Ok(json!({}))
            }
            "session/set_config_option" => self.set(params(json)?).await,
            _ => Err(Failure::unknown_method(method)),
        }
    }

    async fn create(
        &self,
        json: Option<&str>,
    ) -> Result<(Opening, Opened<C>, EditorServers), Failure> {
        let request: NewSessionRequest = params(json)?;
        let opened = self.opener().create(request.cwd).await?;
        Ok((Opening::New, opened, EditorServers::of(request.mcp_servers)))
    }

    async fn load(
        &self,
        json: Option<&str>,
    ) -> Result<(Opening, Opened<C>, EditorServers), Failure> {
        let request: LoadSessionRequest = params(json)?;
        let servers = EditorServers::of(request.mcp_servers);
        self.reopen(Opening::Load, &request.session_id.0, request.cwd, servers)
            .await
    }

    async fn resume(
        &self,
        json: Option<&str>,
    ) -> Result<(Opening, Opened<C>, EditorServers), Failure> {
        let request: ResumeSessionRequest = params(json)?;
        let servers = EditorServers::of(request.mcp_servers);
        self.reopen(Opening::Resume, &request.session_id.0, request.cwd, servers)
            .await
    }

    async fn reopen(
        &self,
        opening: Opening,
        session: &str,
        cwd: PathBuf,
        servers: EditorServers,
    ) -> Result<(Opening, Opened<C>, EditorServers), Failure> {
        projects::absolute(&cwd)?;
        let id = parsed(session)?;
        let opened = self.opener().reopen(opening, id, cwd).await?;
        Ok((opening, opened, servers))
    }

    /// An editor knows a session from the answer on, so what else is told of it follows.
    async fn answer_opened(
        &self,
        id: &RequestId,
        (opening, opened, servers): (Opening, Opened<C>, EditorServers),
    ) -> Result<(), Closed> {
        let session = Arc::clone(&opened.session);
        let options = Some(opened.options.clone());
        let answer = match opening {
            Opening::New => {
                let answer = NewSessionResponse::new(session.id.to_string());
                json!(answer.config_options(options))
            }
            Opening::Load => json!(LoadSessionResponse::new().config_options(options)),
            Opening::Resume => json!(ResumeSessionResponse::new().config_options(options)),
        };
        opened.admit(&self.sessions);
        self.editor.answer(id, Ok(answer)).await?;
        if opening == Opening::New {
            let first = note(&first_line(session.id));
            self.editor.update(session.id, first).await?;
        }
        if let Some(text) = self.take_servers(&session, servers).await {
            self.editor.update(session.id, note(&text)).await?;
        }
        opened.follow(&self.daemon, &self.sessions);
        Ok(())
    }

    /// Keeps the servers of the editor for its prompts, and gives them to the daemon now, so that their prompts are
    /// listed. Returns what the editor's user has to know.
    async fn take_servers(&self, session: &OpenSession, servers: EditorServers) -> Option<String> {
        let mut known = session.servers.lock().await;
        let had_none = known.is_empty();
        *known = servers;
        if had_none && known.has_none() {
            return None;
        }
        let unused = match known.offer(&self.daemon, session.id).await {
            Ok(refused) if refused.is_empty() => return None,
            Ok(refused) => refused.join("; "),
            Err(failure) => failure.message,
        };
        Some(format!(
            "[MCP servers of the editor that are not used: {unused}]\n\n"
        ))
    }

    async fn set(&self, request: SetSessionConfigOptionRequest) -> Result<Value, Failure> {
        let session = self.sessions.get(&request.session_id.0)?;
        let mut settings = session.settings.lock().await;
        let options = settings.options(&self.daemon, session.project_id).await?;
        let value = request.value.as_value_id().map(|it| &*it.0);
        let value = value.ok_or_else(|| Failure::invalid("`value` must be a string"))?;
        let change = chosen(session.id, &options, &request.config_id.0, value)?;
        let changed = self.daemon.call::<UpdateSession>(&change).await?;
        *settings = Settings::of(&changed.session);
        let options = settings.options(&self.daemon, session.project_id).await?;
        Ok(json!(SetSessionConfigOptionResponse::new(options)))
    }

    /// Takes the servers of the editor back, which goes.
    pub(crate) async fn leave(&self) {
        for session in self.sessions.all() {
            let mut servers = session.servers.lock().await;
            if !servers.is_empty() {
                *servers = EditorServers::default();
                // They end with the session at the latest.
                let _: Result<_, Failure> = servers.offer(&self.daemon, session.id).await;
            }
        }
    }

    fn opener(&self) -> Opener<'_, C> {
        Opener {
            daemon: &self.daemon,
            editor: &self.editor,
            sessions: &self.sessions,
        }
    }
}

/// Whichever version the editor asks for, this one is spoken.
fn initialized() -> InitializeResponse {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .delete(SessionDeleteCapabilities::new())
        .resume(SessionResumeCapabilities::new());
    let prompts = PromptCapabilities::new().image(true).embedded_context(true);
    let capabilities = AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(prompts)
        .mcp_capabilities(McpCapabilities::new().http(true))
        .session_capabilities(sessions);
    let info = Implementation::new("scorel", env!("CARGO_PKG_VERSION")).title("Scorel".to_owned());
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .agent_info(info)
}

/// # Errors
/// They are not those of the method.
fn params<T: DeserializeOwned>(json: Option<&str>) -> Result<T, Failure> {
    serde_json::from_str(json.unwrap_or("{}")).map_err(|error| Failure::invalid(error.to_string()))
}
