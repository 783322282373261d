use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, CancelNotification, ClientCapabilities, Implementation, InitializeRequest,
    InitializeResponse, LoadSessionResponse, NewSessionResponse, PromptCapabilities, PromptRequest,
    ResumeSessionResponse, SessionCapabilities, SessionDeleteCapabilities, SessionListCapabilities,
    SessionResumeCapabilities, SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
};
use scorel_peer::{Closed, RequestId};
use scorel_proto::Session;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::daemon::{Connector, Daemon};
use crate::editor::Editor;
use crate::failure::Failure;
use crate::room::Taken;
use crate::v1::opening::{Opened, Replay};
use crate::v1::prompt::Prompt;
use crate::v1::sessions::Sessions;
use crate::v1::{content, list, opening, options};

/// The agent that an editor sees: the daemon's sessions.
#[derive(Debug)]
pub(crate) struct Agent<C>(Arc<AgentState<C>>);

#[derive(Debug)]
struct AgentState<C> {
    daemon: Daemon<C>,
    editor: Editor,
    sessions: Arc<Sessions>,
    shows_notices: AtomicBool,
}

impl<C> Clone for Agent<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// A request to open a session, new or not.
struct Opening {
    replay: Replay,
    names_mcp_servers: bool,
}

impl<C: Connector> Agent<C> {
    pub(crate) fn new(daemon: Daemon<C>, editor: Editor) -> Self {
        Self(Arc::new(AgentState {
            daemon,
            editor,
            sessions: Arc::default(),
            shows_notices: AtomicBool::new(false),
        }))
    }

    /// Begins to carry out a request. `taken` is held until its answer is queued; a prompt's only until the daemon has
    /// it, so that prompts which wait keep nothing else from being read.
    pub(crate) fn request(&self, id: RequestId, method: &str, params: &str, taken: Taken) {
        match method {
            "session/prompt" => self.prompt(id, params, taken),
            _ => {
                let (agent, method) = (self.clone(), method.to_owned());
                let params = params.to_owned();
                tokio::spawn(async move {
                    // Fails if the editor is gone.
                    let _: Result<(), Closed> = agent.carry_out(&id, &method, &params).await;
                    drop(taken);
                });
            }
        }
    }

    /// Takes a notification. Unknown ones are ignored.
    pub(crate) fn notification(&self, method: &str, params: &str) {
        if method == "session/cancel"
            && let Ok(params) = read::<CancelNotification>(params)
            && let Some(session) = self.0.sessions.find(&params.session_id.0)
        {
            session.cancel.notify_one();
        }
    }

    async fn carry_out(&self, id: &RequestId, method: &str, params: &str) -> Result<(), Closed> {
        let state = &*self.0;
        match method {
            "initialize" => self.answer(id, self.initialize(params)).await,
            "session/new" => self.new_session(id, params).await,
            "session/load" => self.load(id, params).await,
            "session/resume" => self.resume(id, params).await,
            "session/list" => {
                let listed = match read(params) {
                    Ok(request) => list::list(request, &state.daemon).await,
                    Err(failure) => Err(failure),
                };
                self.answer(id, listed).await
            }
            "session/delete" => {
                let deleted = match read(params) {
                    Ok(request) => list::delete(&request, &state.daemon).await,
                    Err(failure) => Err(failure),
                };
                self.answer(id, deleted).await
            }
            "session/set_config_option" => self.answer(id, self.set_option(params).await).await,
            _ => {
                let unknown = Failure::unknown_method(method);
                self.answer::<()>(id, Err(unknown)).await
            }
        }
    }

    fn initialize(&self, params: &str) -> Result<InitializeResponse, Failure> {
        let request: InitializeRequest = read(params)?;
        self.0.shows_notices.store(
            shows_notices(&request.client_capabilities),
            Ordering::Relaxed,
        );
        let prompts = PromptCapabilities::new().image(true).embedded_context(true);
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .resume(SessionResumeCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(prompts)
            .session_capabilities(sessions);
        let info =
            Implementation::new("scorel", env!("CARGO_PKG_VERSION")).title("Scorel".to_owned());
        Ok(InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .agent_info(info))
    }

    async fn new_session(&self, id: &RequestId, params: &str) -> Result<(), Closed> {
        let created = async {
            let request: agent_client_protocol_schema::v1::NewSessionRequest = read(params)?;
            let opening = Opening {
                replay: Replay::All,
                names_mcp_servers: !request.mcp_servers.is_empty(),
            };
            let session = opening::create(&request.cwd, &self.0.daemon).await?;
            Ok((self.open(&session, &opening).await?, opening))
        };
        self.opened(id, created.await, |opened| {
            NewSessionResponse::new(opened.session.id.to_string())
                .config_options(opened.options.clone())
        })
        .await
    }

    async fn load(&self, id: &RequestId, params: &str) -> Result<(), Closed> {
        let loaded = async {
            let request: agent_client_protocol_schema::v1::LoadSessionRequest = read(params)?;
            let opening = Opening {
                replay: Replay::All,
                names_mcp_servers: !request.mcp_servers.is_empty(),
            };
            let id = &request.session_id.0;
            let session = opening::find(id, &request.cwd, &self.0.daemon).await?;
            Ok((self.open(&session, &opening).await?, opening))
        };
        self.opened(id, loaded.await, |opened| {
            LoadSessionResponse::new().config_options(opened.options.clone())
        })
        .await
    }

    async fn resume(&self, id: &RequestId, params: &str) -> Result<(), Closed> {
        let resumed = async {
            let request: agent_client_protocol_schema::v1::ResumeSessionRequest = read(params)?;
            let opening = Opening {
                replay: Replay::Nothing,
                names_mcp_servers: !request.mcp_servers.is_empty(),
            };
            let id = &request.session_id.0;
            let session = opening::find(id, &request.cwd, &self.0.daemon).await?;
            Ok((self.open(&session, &opening).await?, opening))
        };
        self.opened(id, resumed.await, |opened| {
            ResumeSessionResponse::new().config_options(opened.options.clone())
        })
        .await
    }

    async fn open(&self, session: &Session, opening: &Opening) -> Result<Opened, Failure> {
        let AgentState {
            daemon,
            editor,
            sessions,
            ..
        } = &*self.0;
        opening::open(session, opening.replay, sessions, daemon, editor).await
    }

    /// Answers, then tells what the editor takes only of a session that it knows.
    async fn opened<T: Serialize>(
        &self,
        id: &RequestId,
        opened: Result<(Opened, Opening), Failure>,
        response: impl FnOnce(&Opened) -> T,
    ) -> Result<(), Closed> {
        let (opened, opening) = match opened {
            Ok(opened) => opened,
            Err(failure) => return self.answer::<()>(id, Err(failure)).await,
        };
        self.answer(id, Ok(response(&opened))).await?;
        let state = &*self.0;
        if opening.names_mcp_servers {
            let as_notice = state.shows_notices.load(Ordering::Relaxed);
            opening::tell_of_mcp(&opened.session, as_notice, &state.editor).await?;
        }
        opening::tell_news(opened, &state.daemon, &state.editor);
        Ok(())
    }

    async fn set_option(&self, params: &str) -> Result<SetSessionConfigOptionResponse, Failure> {
        let request: SetSessionConfigOptionRequest = read(params)?;
        let session = self.0.sessions.get(&request.session_id.0)?;
        let options = options::set(session.id, &request, &self.0.daemon).await?;
        Ok(SetSessionConfigOptionResponse::new(options))
    }

    /// The prompt takes its place at once: a request to cancel that follows is for it.
    fn prompt(&self, id: RequestId, params: &str, taken: Taken) {
        let prompt = self.open_prompt(params);
        let agent = self.clone();
        tokio::spawn(async move {
            let sent = match prompt {
                Ok(prompt) => prompt.send(&agent.0.daemon).await,
                Err(failure) => Err(failure),
            };
            let answered = match sent {
                Ok(sent) => {
                    drop(taken);
                    let ended = sent.ended().await;
                    agent.answer(&id, ended).await
                }
                // Held until the answer is queued.
                Err(failure) => {
                    let answered = agent.answer::<()>(&id, Err(failure)).await;
                    drop(taken);
                    answered
                }
            };
            // Fails if the editor is gone.
            let _: Result<(), Closed> = answered;
        });
    }

    fn open_prompt(&self, params: &str) -> Result<Prompt, Failure> {
        let request: PromptRequest = read(params)?;
        let session = self.0.sessions.get(&request.session_id.0)?;
        let parts = content::parts(request.prompt, &session.work_dir)?;
        Prompt::new(session, parts)
    }

    async fn answer<T: Serialize>(
        &self,
        id: &RequestId,
        result: Result<T, Failure>,
    ) -> Result<(), Closed> {
        self.0.editor.answer(id, result).await
    }
}

fn shows_notices(capabilities: &ClientCapabilities) -> bool {
    let session = capabilities.session.as_ref();
    session.is_some_and(|session| session.notices.is_some())
}

fn read<T: DeserializeOwned>(params: &str) -> Result<T, Failure> {
    serde_json::from_str(params).map_err(|error| Failure::invalid(error.to_string()))
}
