//! The Agent Client Protocol: JSON-RPC in both directions, one message a line.

mod calls;
mod permission;
mod services;

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, CancelNotification, ContentBlock, ImageContent, Implementation,
    InitializeRequest, InitializeResponse, LoadSessionRequest, McpServer, McpServerStdio,
    NewSessionRequest, NewSessionResponse, PlanEntryStatus, PromptRequest, PromptResponse,
    RequestPermissionRequest, ResumeSessionRequest, SessionNotification, SessionUpdate, StopReason,
};
use scorel_engine::{
    PlanEntry, PlanStatus, RunnerAnswer, RunnerEnd, RunnerError, RunnerErrorKind, RunnerEvent,
    RunnerInput, RunnerOrder, RunnerSpent, ServiceReply, ToolServer,
};
use scorel_proto::Usage;
use serde::Serialize;
use serde_json::{Value, json};

use self::permission::Permissions;
use self::services::Services;
use super::json::{number, parsed};
use crate::data_url::base64;
use crate::dialect::{Dialect, not_spoken};
use crate::exchange::Exchange;
use crate::rpc::{Incoming, JsonRpc, METHOD_NOT_FOUND, RpcFailure};
use crate::usage_meter::UsageMeter;

/// "Authentication required".
const AUTH_REQUIRED: i64 = -32000;

/// A request that no agent knows. Its refusal says that what was written before it has come.
const BARRIER: &str = "_scorel/barrier";

/// What a call of ours was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Initialize,
    New,
    /// The session is the one of the order.
    Resume,
    /// The same, with a replay of its messages.
    Load,
    Barrier,
    Prompt,
}

pub(crate) struct AcpDialect {
    order: RunnerOrder,
    rpc: JsonRpc<Purpose>,
    version: Option<String>,
    capabilities: AgentCapabilities,
    /// How to log in, by the agent's words.
    logins: Vec<String>,
    session: Option<String>,
    permissions: Permissions,
    services: Services,
    meter: UsageMeter,
}

impl AcpDialect {
    pub(crate) fn new(order: RunnerOrder) -> Self {
        Self {
            order,
            rpc: JsonRpc::new(true),
            version: None,
            capabilities: AgentCapabilities::default(),
            logins: Vec::new(),
            session: None,
            permissions: Permissions::default(),
            services: Services::default(),
            meter: UsageMeter::default(),
        }
    }

    fn call(
        &mut self,
        purpose: Purpose,
        method: &str,
        params: &impl Serialize,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        let call = self.rpc.call(purpose, method, &json!(params))?;
        out.send(&call)
    }

    fn open_session(&mut self, out: &mut Exchange) -> Result<(), RunnerError> {
        let directory = self.order.directory.clone();
        let servers = self.order.tools.as_deref().map(mcp_server);
        let servers: Vec<McpServer> = servers.into_iter().collect();
        let Some(session) = self.order.context.clone() else {
            let new = NewSessionRequest::new(directory).mcp_servers(servers);
            return self.call(Purpose::New, "session/new", &new, out);
        };
        if self.capabilities.session_capabilities.resume.is_some() {
            let resume = ResumeSessionRequest::new(session, directory).mcp_servers(servers);
            self.call(Purpose::Resume, "session/resume", &resume, out)
        } else if self.capabilities.load_session {
            let load = LoadSessionRequest::new(session, directory).mcp_servers(servers);
            self.call(Purpose::Load, "session/load", &load, out)
        } else {
            let message = "the agent does not resume sessions";
            Err(RunnerError::new(RunnerErrorKind::ContextLost, message))
        }
    }

    fn answered(
        &mut self,
        purpose: Purpose,
        result: Result<Value, RpcFailure>,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        match (purpose, result) {
            (Purpose::Initialize, Ok(result)) => {
                let response: InitializeResponse = parsed(result)?;
                if response.protocol_version != ProtocolVersion::V1 {
                    let message = "the agent speaks another version of the protocol";
                    return Err(RunnerError::new(RunnerErrorKind::Protocol, message));
                }
                self.version = response.agent_info.map(|info| info.version);
                self.capabilities = response.agent_capabilities;
                let names = response.auth_methods.iter();
                self.logins = names.map(|method| method.name().to_owned()).collect();
                self.open_session(out)
            }
            (Purpose::New, Ok(result)) => {
                let response: NewSessionResponse = parsed(result)?;
                self.opened(response.session_id.to_string(), out);
                Ok(())
            }
            // Gemini answers first, and then replays the session. Its turn must not begin with that.
            (Purpose::Load, Ok(_)) => self.call(Purpose::Barrier, BARRIER, &json!({}), out),
            (Purpose::Resume, Ok(_)) | (Purpose::Barrier, _) => {
                let session = self.order.context.clone().unwrap_or_default();
                self.opened(session, out);
                Ok(())
            }
            (Purpose::Prompt, Ok(result)) => self.prompt_ended(result, out),
            (_, Err(failure)) if failure.code == AUTH_REQUIRED => {
                Err(self.not_logged_in(failure.message))
            }
            (Purpose::Initialize, Err(failure)) => Err(not_spoken(failure.message)),
            (Purpose::Resume | Purpose::Load, Err(failure)) => {
                let kind = RunnerErrorKind::ContextLost;
                Err(RunnerError::new(kind, failure.message))
            }
            (Purpose::Prompt, Err(failure)) => {
                let error = RunnerError::new(RunnerErrorKind::Failed, failure.message);
                self.end(RunnerEnd::Failed(error), out);
                Ok(())
            }
            (_, Err(failure)) => Err(RunnerError::new(RunnerErrorKind::Failed, failure.message)),
        }
    }

    fn opened(&mut self, session: String, out: &mut Exchange) {
        self.session = Some(session.clone());
        out.event(RunnerEvent::Context { id: session });
    }

    fn not_logged_in(&self, message: String) -> RunnerError {
        let error = RunnerError::new(RunnerErrorKind::NotLoggedIn, message);
        match self.logins.as_slice() {
            [] => error,
            logins => error.with_hint(format!("run it once and log in: {}", logins.join(", "))),
        }
    }

    fn prompt_ended(&mut self, result: Value, out: &mut Exchange) -> Result<(), RunnerError> {
        if let Some(spent) = self.spent(&result) {
            out.event(RunnerEvent::Spent(spent));
        }
        let response: PromptResponse = parsed(result)?;
        let end = match response.stop_reason {
            StopReason::MaxTokens => RunnerEnd::Limit("max_tokens".to_owned()),
            StopReason::MaxTurnRequests => RunnerEnd::Limit("max_turn_requests".to_owned()),
            StopReason::Cancelled => RunnerEnd::Interrupted,
            StopReason::Refusal => {
                let message = "the agent's model refused to answer";
                RunnerEnd::Failed(RunnerError::new(RunnerErrorKind::Failed, message))
            }
            _ => RunnerEnd::Completed,
        };
        self.end(end, out);
        Ok(())
    }

    /// The draft of the protocol counts per session, Gemini per turn in a field of its own.
    fn spent(&mut self, result: &Value) -> Option<RunnerSpent> {
        let usage = &result["usage"];
        if usage.is_object() {
            let total = Usage {
                input_tokens: number(usage, "inputTokens"),
                output_tokens: number(usage, "outputTokens"),
                cache_read_tokens: number(usage, "cachedReadTokens"),
                cache_write_tokens: number(usage, "cachedWriteTokens"),
                reasoning_tokens: number(usage, "thoughtTokens"),
            };
            return self.meter.add(total, None);
        }
        let tokens = &result["_meta"]["quota"]["token_count"];
        tokens.is_object().then(|| RunnerSpent {
            usage: Usage {
                input_tokens: number(tokens, "input_tokens"),
                output_tokens: number(tokens, "output_tokens"),
                ..Usage::default()
            },
            cost: None,
        })
    }

    fn end(&mut self, end: RunnerEnd, out: &mut Exchange) {
        self.permissions = Permissions::default();
        self.services = Services::default();
        out.event(RunnerEvent::End(end));
    }

    fn updated(&self, params: Value, line: &[u8], out: &mut Exchange) {
        // The replay of a session that is loaded.
        let Some(session) = &self.session else { return };
        let Ok(notification) = serde_json::from_value::<SessionNotification>(params) else {
            out.unknown(line);
            return;
        };
        if notification.session_id.to_string() != *session {
            out.event(RunnerEvent::Progress);
            return;
        }
        match notification.update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                let delta = calls::block_text(&chunk.content);
                out.event(RunnerEvent::Text { delta });
            }
            SessionUpdate::AgentThoughtChunk(chunk) => {
                let delta = calls::block_text(&chunk.content);
                out.event(RunnerEvent::Thinking { delta });
            }
            SessionUpdate::ToolCall(call) => calls::started(&call, out),
            SessionUpdate::ToolCallUpdate(update) => calls::updated(&update, out),
            SessionUpdate::Plan(plan) => {
                let entries = plan.entries.into_iter().map(|entry| PlanEntry {
                    text: entry.content,
                    status: match entry.status {
                        PlanEntryStatus::Completed => PlanStatus::Completed,
                        PlanEntryStatus::InProgress => PlanStatus::InProgress,
                        _ => PlanStatus::Pending,
                    },
                });
                let entries = entries.collect();
                out.event(RunnerEvent::Plan { entries });
            }
            SessionUpdate::UserMessageChunk(_)
            | SessionUpdate::AvailableCommandsUpdate(_)
            | SessionUpdate::CurrentModeUpdate(_)
            | SessionUpdate::ConfigOptionUpdate(_)
            | SessionUpdate::SessionInfoUpdate(_)
            | SessionUpdate::UsageUpdate(_) => out.event(RunnerEvent::Progress),
            _ => out.unknown(line),
        }
    }

    fn asked(
        &mut self,
        id: &Value,
        method: &str,
        params: Value,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        if method != "session/request_permission" {
            if let Some((id, request)) = self.services.begin(id, method, params)? {
                out.event(RunnerEvent::Serve { id, request });
                return Ok(());
            }
            out.notice(format!("{method} is not supported"));
            let refusal = self.rpc.refusal(id, METHOD_NOT_FOUND, "method not found");
            return out.send(&refusal);
        }
        let request: RequestPermissionRequest = parsed(params)?;
        let question = self.permissions.ask(id, &request, &self.order.directory)?;
        match question {
            Ok(question) => {
                out.event(RunnerEvent::Ask(question));
                Ok(())
            }
            Err(refusal) => {
                out.notice("the agent offers no answer that holds once");
                out.send(&self.rpc.answer(id, &refusal))
            }
        }
    }
}

fn mcp_server(tools: &ToolServer) -> McpServer {
    let server = McpServerStdio::new(ToolServer::NAME, &tools.program);
    McpServer::Stdio(server.args(tools.arguments.clone()))
}

impl Dialect for AcpDialect {
    fn open(&mut self, out: &mut Exchange) -> Result<(), RunnerError> {
        let client = Implementation::new("scorel", env!("CARGO_PKG_VERSION"));
        let initialize = InitializeRequest::new(ProtocolVersion::V1)
            .client_info(client)
            .client_capabilities(services::offered());
        self.call(Purpose::Initialize, "initialize", &initialize, out)
    }

    fn is_open(&self) -> bool {
        self.session.is_some()
    }

    fn context_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn receive(&mut self, piece: &[u8], out: &mut Exchange) -> Result<(), RunnerError> {
        match self.rpc.incoming(piece) {
            Incoming::Request { id, method, params } => self.asked(&id, &method, params, out),
            Incoming::Notification { method, params } if method == "session/update" => {
                self.updated(params, piece, out);
                Ok(())
            }
            Incoming::Answer { purpose, result } => self.answered(purpose, result, out),
            Incoming::Notification { .. } => {
                out.unknown(piece);
                Ok(())
            }
            Incoming::Unknown => {
                out.junk(piece);
                Ok(())
            }
        }
    }

    fn prompt(&mut self, input: Vec<RunnerInput>, out: &mut Exchange) -> Result<(), RunnerError> {
        let takes_images = self.capabilities.prompt_capabilities.image;
        let block = |part: RunnerInput| match part {
            RunnerInput::Text(text) => Ok(ContentBlock::from(text)),
            RunnerInput::Image { media_type, bytes } if takes_images => Ok(ContentBlock::Image(
                ImageContent::new(base64(&bytes), media_type),
            )),
            RunnerInput::Image { .. } => {
                let message = "the agent takes no images";
                Err(RunnerError::new(RunnerErrorKind::Unsuitable, message))
            }
        };
        let blocks: Result<Vec<_>, _> = input.into_iter().map(block).collect();
        let session = self.session.clone().unwrap_or_default();
        let prompt = PromptRequest::new(session, blocks?);
        self.call(Purpose::Prompt, "session/prompt", &prompt, out)
    }

    fn answer(
        &mut self,
        question: &str,
        answer: RunnerAnswer,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        match self.permissions.answer(question, &answer) {
            Some((id, result)) => out.send(&self.rpc.answer(&id, &result)),
            None => Ok(()),
        }
    }

    fn served(
        &mut self,
        request: &str,
        reply: Result<ServiceReply, String>,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        let Some(id) = self.services.end(request) else {
            return Ok(());
        };
        match services::answer(reply) {
            Ok(result) => out.send(&self.rpc.answer(&id, &result)),
            Err((code, text)) => out.send(&self.rpc.refusal(&id, code, &text)),
        }
    }

    fn interrupt(&mut self, out: &mut Exchange) -> Result<bool, RunnerError> {
        let session = self.session.clone().unwrap_or_default();
        let cancel = json!(CancelNotification::new(session));
        out.send(&self.rpc.notification("session/cancel", &cancel))?;
        // The protocol wants open questions answered before the turn ends.
        for (question, id, result) in self.permissions.cancel() {
            out.event(RunnerEvent::AskWithdrawn { id: question });
            out.send(&self.rpc.answer(&id, &result))?;
        }
        Ok(true)
    }
}
