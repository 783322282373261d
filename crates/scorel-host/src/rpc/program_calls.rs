//! Calls of extensions' programs: methods of clients, for records of their own.

use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use scorel_inbound::ChannelSender;
use scorel_proto::{
    AppendCustom, AppendCustomMessage, AppendCustomMessageParams, AppendCustomParams, CommandId,
    ErrorCode, GetEvents, GetEventsParams, Method, RpcError, SendMessage, SendMessageParams,
    SessionId,
};
use scorel_session::MutationCommand;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::channel_command::channel_command;
use super::{append, conversation, reading};
use crate::host::Host;
use crate::programs::{ProgramCaller, ProgramCalls};
use crate::rpc::call_error::{CallError, Reply};

/// Calls of programs to a host, which owns the programs.
#[derive(Debug)]
pub(super) struct HostCalls(pub(super) Weak<Host>);

impl ProgramCalls for HostCalls {
    fn call(
        &self,
        caller: ProgramCaller,
        method: &str,
        params: Value,
    ) -> BoxFuture<'static, Result<Value, RpcError>> {
        let (host, method) = (self.0.upgrade(), method.to_owned());
        Box::pin(async move {
            let ending = || RpcError::new(ErrorCode::ShuttingDown, "the daemon is ending");
            let call = ProgramCall {
                host: host.ok_or_else(ending)?,
                caller,
            };
            call.answer(&method, params).await.map_err(RpcError::from)
        })
    }
}

struct ProgramCall {
    host: Arc<Host>,
    caller: ProgramCaller,
}

impl ProgramCall {
    async fn answer(self, method: &str, params: Value) -> Reply<Value> {
        match method {
            AppendCustom::NAME => {
                let mut params: AppendCustomParams = parsed(params)?;
                self.check(params.session_id, [&params.kind]).await?;
                let id = params.command_id.take();
                let command = self.command::<AppendCustom>(id, &params);
                Ok(json!(append::write(&self.host, command, params).await?))
            }
            AppendCustomMessage::NAME => {
                let mut params: AppendCustomMessageParams = parsed(params)?;
                self.check(params.session_id, [&params.kind]).await?;
                let id = params.command_id.take();
                let command = self.command::<AppendCustomMessage>(id, &params);
                Ok(json!(
                    append::write_message(&self.host, command, params).await?
                ))
            }
            GetEvents::NAME => {
                let params: GetEventsParams = parsed(params)?;
                let kinds = params.kinds.as_ref().ok_or_else(|| {
                    CallError::invalid_field("kinds", "an extension reads records by their `kinds`")
                })?;
                self.check(params.session_id, kinds).await?;
                Ok(json!(reading::get_events(self.host, params).await?))
            }
            SendMessage::NAME => {
                let params: SendMessageParams = parsed(params)?;
                self.check(params.session_id, []).await?;
                let sender = ChannelSender::Extension(&self.caller.channels);
                let command = channel_command(&self.host, sender, &params)?;
                Ok(json!(
                    conversation::accept(&self.host, command, params).await?
                ))
            }
            other => {
                let text = format!("there is no method `{other}` for extensions");
                Err(RpcError::new(ErrorCode::MethodNotFound, text).into())
            }
        }
    }

    /// Refuses records of others, and sessions of other projects than the extension's own.
    async fn check(
        &self,
        session_id: SessionId,
        kinds: impl IntoIterator<Item = &String>,
    ) -> Result<(), CallError> {
        let (id, host) = (&self.caller.id, &self.host);
        if let Some(kind) = kinds.into_iter().find(|kind| !self.caller.owns(kind)) {
            let text =
                format!("an extension has the kinds `{id}.…`, and `{kind}` is not one of them");
            return Err(forbidden(text, json!({ "field": "kind" })));
        }
        let lane = host.sessions.get(session_id).await?;
        if self
            .caller
            .project
            .is_some_and(|it| it != lane.project_id())
        {
            let text = "an extension of a project reaches the sessions of its project";
            return Err(forbidden(text, json!({ "field": "sessionId" })));
        }
        Ok(())
    }

    fn command<M: Method>(&self, id: Option<CommandId>, params: &M::Params) -> MutationCommand {
        MutationCommand::new(self.caller.client_id(), id, M::NAME, params)
    }
}

fn parsed<T: DeserializeOwned>(params: Value) -> Result<T, CallError> {
    serde_json::from_value(params).map_err(|error| CallError::invalid(error.to_string()))
}

fn forbidden(text: impl Into<String>, details: Value) -> CallError {
    RpcError::new(ErrorCode::Forbidden, text)
        .with_details(details)
        .into()
}
