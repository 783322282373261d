//! Methods that create, list, change and delete sessions.

use std::path::PathBuf;
use std::sync::Arc;

use scorel_home::receipts::Effect;
use scorel_proto::{
    AcceptDamage, AcceptDamageParams, ArchiveSession, ArchiveSessionParams, CloneSession,
    CloneSessionParams, CreateSession, CreateSessionParams, CreateSessionResult, DeleteChildren,
    DeleteSession, DeleteSessionParams, DeleteSessionResult, GetSessionParams, GetSessionResult,
    ListSessionsParams, ListSessionsResult, OWN_RUNNER, SeqResult, SessionChanges, SessionId,
    ThinkingLevel, UndeleteSession, UndeleteSessionParams, UndeleteSessionResult, UpdateSession,
    UpdateSessionParams, UpdateSessionResult,
};
use scorel_rpc::RpcCall;
use scorel_session::{DamageAcceptance, Lane, ListFilter, MutationCommand, UpdateRequest};

use super::caller::command;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};
use crate::runners::HostRunners;

/// Bytes of a title, a reason or a model's name.
const MAX_NAME: usize = 1024;

pub(super) async fn create(
    host: Arc<Host>,
    call: RpcCall,
    mut params: CreateSessionParams,
) -> Reply<CreateSessionResult> {
    check_name("title", params.title.as_deref())?;
    check_name("model", params.model.as_deref())?;
    check_runner(&host, params.runner.as_deref())?;
    let command = command::<CreateSession>(&call, params.command_id.take(), &params)?;
    let effect = Effect::CreateSession {
        session_id: SessionId::generate(),
        params,
    };
    made(&host, command, effect).await
}

pub(super) async fn clone(
    host: Arc<Host>,
    call: RpcCall,
    mut params: CloneSessionParams,
) -> Reply<CreateSessionResult> {
    let command = command::<CloneSession>(&call, params.command_id.take(), &params)?;
    let effect = Effect::CloneSession {
        session_id: SessionId::generate(),
        params,
    };
    made(&host, command, effect).await
}

/// Carries out an effect that makes a session, and describes it.
pub(super) async fn made(
    host: &Arc<Host>,
    command: MutationCommand,
    effect: Effect,
) -> Reply<CreateSessionResult> {
    let session_id = host.mutate(command, effect).await?.session()?;
    Ok(CreateSessionResult {
        session_id,
        session: host.sessions.get(session_id).await?.session()?,
    })
}

pub(super) async fn get(host: Arc<Host>, params: GetSessionParams) -> Reply<GetSessionResult> {
    let lane = host.sessions.get(params.session_id).await?;
    Ok(GetSessionResult {
        session: lane.session()?,
    })
}

pub(super) async fn list(host: Arc<Host>, params: ListSessionsParams) -> Reply<ListSessionsResult> {
    host.named_dir(params.project_id)?;
    let deleted = params.deleted.unwrap_or(false);
    if deleted && params.archived.is_some() {
        let text = "`archived` and `deleted` cannot be combined";
        return Err(CallError::invalid_field("archived", text));
    }
    let filter = ListFilter {
        project_id: params.project_id,
        kind: params.kind,
        archived: params.archived.unwrap_or(false),
        deleted,
        limit: limit(params.limit, 50, 1000)?,
        cursor: params.cursor,
    };
    Ok(host.sessions.list(filter).await?)
}

pub(super) async fn update(
    host: Arc<Host>,
    call: RpcCall,
    mut params: UpdateSessionParams,
) -> Reply<UpdateSessionResult> {
    check_name("title", params.title.as_deref())?;
    check_name("model", params.model.as_deref())?;
    check_runner(&host, params.runner.as_deref())?;
    let command = command::<UpdateSession>(&call, params.command_id.take(), &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    check_model(&host, &lane, params.model.as_deref(), params.thinking_level).await?;
    let changes = SessionChanges {
        title: params.title,
        title_source: None,
        model: params.model,
        runner: params.runner,
        thinking_level: params.thinking_level,
        tools: params.tools,
        on_restart: params.on_restart,
        archived: None,
        refresh_instructions: params.refresh_instructions.filter(|refresh| *refresh),
    };
    change(&lane, command, changes).await
}

pub(super) async fn archive(
    host: Arc<Host>,
    call: RpcCall,
    mut params: ArchiveSessionParams,
) -> Reply<UpdateSessionResult> {
    let command = command::<ArchiveSession>(&call, params.command_id.take(), &params)?;
    let archived = Some(params.archived.unwrap_or(true));
    let changes = SessionChanges {
        archived,
        ..SessionChanges::default()
    };
    let lane = host.sessions.get(params.session_id).await?;
    let changed = change(&lane, command, changes).await?;
    if changed.session.archived {
        host.forget_orchestrator(params.session_id).await;
    }
    Ok(changed)
}

async fn change(
    lane: &Arc<Lane>,
    command: MutationCommand,
    changes: SessionChanges,
) -> Result<UpdateSessionResult, CallError> {
    if changes == SessionChanges::default() {
        return Err(CallError::invalid("there is nothing to change"));
    }
    let (seq, session) = lane.mutate(UpdateRequest { command, changes }).await?;
    Ok(UpdateSessionResult { seq, session })
}

pub(super) async fn delete(
    host: Arc<Host>,
    call: RpcCall,
    mut params: DeleteSessionParams,
) -> Reply<DeleteSessionResult> {
    let command = command::<DeleteSession>(&call, params.command_id.take(), &params)?;
    let session_id = params.session_id;
    let (command, children) = match params.children {
        None => (command, None),
        Some(DeleteChildren::Delete) => {
            let children = host.orchestrator.open_children(session_id).await?;
            (with_receipt(command)?, Some(children))
        }
    };
    let effect = Effect::DeleteSession {
        session_id,
        children,
        now: params.now.unwrap_or(false),
    };
    host.mutate(command, effect).await?;
    Ok(DeleteSessionResult { session_id })
}

pub(super) async fn undelete(
    host: Arc<Host>,
    call: RpcCall,
    mut params: UndeleteSessionParams,
) -> Reply<UndeleteSessionResult> {
    let command = command::<UndeleteSession>(&call, params.command_id.take(), &params)?;
    let session_id = params.session_id;
    // With a receipt in any case: its line makes durable that an earlier deletion is done, which the
    // next daemon would otherwise repeat.
    let command = with_receipt(command)?;
    host.mutate(command, Effect::UndeleteSession { session_id })
        .await?;
    Ok(UndeleteSessionResult { session_id })
}

/// A call without an id gets a receipt all the same, by which the next daemon finds unfinished work.
/// Of several sessions, all are deleted or none.
fn with_receipt(command: MutationCommand) -> Result<MutationCommand, CallError> {
    if command.id.is_some() {
        return Ok(command);
    }
    let id = scorel_proto::EventId::generate().to_string();
    let id = id
        .parse()
        .map_err(|error| CallError::Internal(format!("{error}")))?;
    Ok(MutationCommand {
        id: Some(id),
        ..command
    })
}

pub(super) async fn accept_damage(
    host: Arc<Host>,
    call: RpcCall,
    mut params: AcceptDamageParams,
) -> Reply<SeqResult> {
    let command = command::<AcceptDamage>(&call, params.command_id.take(), &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    lane.check_writable()?;
    let acceptance = DamageAcceptance {
        command,
        offset: params.offset,
        length: params.length,
    };
    let seq = lane.mutate(acceptance).await?;
    Ok(SeqResult { seq })
}

/// Items per page.
pub(super) fn limit(asked: Option<u32>, default: usize, max: usize) -> Result<usize, CallError> {
    match asked.map(|limit| limit as usize) {
        None => Ok(default),
        Some(limit) if (1..=max).contains(&limit) => Ok(limit),
        Some(_) => {
            let text = format!("`limit` must be between 1 and {max}");
            Err(CallError::invalid(text))
        }
    }
}

/// Checks that a model can be used, with the thinking level, before a session gets them. Those that
/// the session has already are not checked again: the call may be a retry of a command that was
/// applied, and must succeed.
pub(super) async fn check_model(
    host: &Host,
    lane: &Arc<Lane>,
    model: Option<&str>,
    level: Option<ThinkingLevel>,
) -> Result<(), CallError> {
    let session = lane.session()?;
    let model = model.filter(|model| session.model.as_deref() != Some(*model));
    let level = level.filter(|level| session.thinking_level != *level);
    if model.is_none() && level.is_none() {
        return Ok(());
    }
    let Some(project) = host.projects.get(session.project_id) else {
        return Ok(());
    };
    let dir = PathBuf::from(project.work_dir);
    let model = model.or(session.model.as_deref()).map(str::to_owned);
    let level = level.unwrap_or(session.thinking_level);
    Ok(host.models.accept(dir, model, level).await?)
}

/// Titles and names of models are short, not empty, and on one line.
pub(super) fn check_name(field: &str, name: Option<&str>) -> Result<(), CallError> {
    let Some(name) = name else { return Ok(()) };
    let problem = if name.trim().is_empty() {
        "is empty"
    } else if name.len() > MAX_NAME {
        "is too long"
    } else if name.chars().any(char::is_control) {
        "has control characters in it"
    } else {
        return Ok(());
    };
    Err(CallError::invalid(format!("`{field}` {problem}")))
}

/// The daemon's own engine, or a runner of the user's configuration. A project configures none.
pub(super) fn check_runner(host: &Host, runner: Option<&str>) -> Result<(), CallError> {
    let Some(name) = runner.filter(|name| *name != OWN_RUNNER) else {
        return Ok(());
    };
    match HostRunners::find(&host.config.current(None), name) {
        Ok(_) => Ok(()),
        Err(unknown) => {
            let text = format!("{unknown}; {}", unknown.hint());
            Err(CallError::invalid_field("runner", text))
        }
    }
}
