mod import_error;
mod write_code;

use std::error::Error;
use std::path::Path;

use scorel_config::{ConfigError, EditConfigError};
use scorel_engine::ProviderError;
use scorel_guidance::trust::TrustError;
use scorel_home::receipts::ReceiptError;
use scorel_home::{ProjectError, StateError};
use scorel_journal::BlobError;
use scorel_models::{ModelCallError, ModelError};
use scorel_oauth::OAuthError;
use scorel_orchestrator::OrchestratorError;
use scorel_proto::{ErrorCode, PermissionAnswer, PermissionConflict, RpcError, WorktreeOwner};
use scorel_provider::{ListError, SetupError};
use scorel_search::SearchError;
use scorel_session::SessionError;
use scorel_workplace::worktrees::WorktreeError;
use serde_json::{Value, json};

use super::CallError;
use write_code::write_code;

impl From<CallError> for RpcError {
    fn from(error: CallError) -> Self {
        let text = error.to_string();
        let plain = |code| Self::new(code, text.as_str());
        match error {
            CallError::Session(error) => session(&error),
            CallError::Blob(error) => blob(&error),
            CallError::Receipt(error) => Self::new(receipt_code(&error), text),
            CallError::ProjectNotFound(id) => {
                plain(ErrorCode::ProjectNotFound).with_details(json!({ "projectId": id }))
            }
            CallError::ProjectHasSessions(_) => plain(ErrorCode::ProjectHasSessions),
            CallError::Project { error, path } => project(&error, path.as_deref()),
            CallError::Configuration(error) => configuration(&error),
            CallError::Directories { error, path } => filesystem(&error, path.as_deref()),
            CallError::Attachment(refusal) => {
                let mut details = json!({ "path": refusal.path, "kind": refusal.kind });
                if let Some(limit) = refusal.limit {
                    details["limit"] = json!(limit);
                }
                Self::new(ErrorCode::AttachmentRefused, text).with_details(details)
            }
            CallError::UnknownName {
                kind,
                name,
                suggestion,
            } => {
                let details = json!({ "kind": kind, "name": name, "suggestion": suggestion });
                Self::new(ErrorCode::UnknownName, text).with_details(details)
            }
            CallError::Extension { state, reason } => {
                let details = json!({ "state": state, "reason": reason });
                Self::new(ErrorCode::ExtensionUnavailable, text).with_details(details)
            }
            CallError::Trust(error) => Self::new(trust_code(&error), chain(&error)),
            CallError::Login(OAuthError::Storage(_)) => plain(ErrorCode::FilesystemError),
            CallError::Login(_) => plain(ErrorCode::AuthFailed),
            CallError::Worktree(error) => worktree(&error),
            CallError::Search(error) => search(&error),
            CallError::Import(error) => import_error::import(&error),
            CallError::Model(error) => model(error),
            CallError::Runner { runner, error } => {
                let (kind, hint) = (error.kind, error.hint);
                let details = json!({ "runner": runner, "kind": kind, "hint": hint });
                Self::new(ErrorCode::RunnerError, text).with_details(details)
            }
            CallError::Orchestrator(error) => orchestrator(error),
            CallError::InvalidParams { field, .. } => {
                let details = field.map_or(Value::Null, |field| json!({ "field": field }));
                plain(ErrorCode::InvalidParams).with_details(details)
            }
            CallError::ProtocolMismatch { daemon, client, .. } => {
                let details = json!({ "daemon": daemon, "client": client });
                plain(ErrorCode::ProtocolMismatch).with_details(details)
            }
            CallError::Internal(_) | CallError::Task(_) => plain(ErrorCode::InternalError),
            CallError::Rpc(error) => error,
        }
    }
}

/// How many files in conflict an error names.
const MAX_CONFLICTS: usize = 100;

fn session(error: &SessionError) -> RpcError {
    let details = match error {
        SessionError::NotFound(id) => json!({ "sessionId": id }),
        SessionError::Expired {
            session_id,
            deleted_at,
        } => json!({ "sessionId": session_id, "kind": "expired", "deletedAt": deleted_at }),
        SessionError::Failed { session_id, reason } => {
            json!({ "sessionId": session_id, "reason": reason })
        }
        SessionError::Damaged { session_id, places } => {
            json!({ "sessionId": session_id, "damage": places })
        }
        SessionError::FilesConflict { paths } => {
            let shown: Vec<_> = paths.iter().take(MAX_CONFLICTS).collect();
            json!({ "kind": "files", "paths": shown, "count": paths.len() })
        }
        SessionError::CancelNotRecorded(cancel) => {
            json!({ "cancelled": cancel.cancelled, "storageStalled": cancel.stall })
        }
        SessionError::QueueChanged { version, items } => {
            json!({ "kind": "queue", "queueVersion": version, "queue": items })
        }
        SessionError::Busy { phase, queued } => {
            json!({ "phase": phase, "queueLength": queued })
        }
        SessionError::HasAgentTasks { open } => json!({ "kind": "runtimes", "open": open }),
        SessionError::WorksFor(id) => json!({ "kind": "runtime", "runtimeId": id }),
        SessionError::LeafMoved { active } => json!({ "kind": "leaf", "activeLeafId": active }),
        SessionError::InvalidTarget { event_id, problem } => {
            json!({ "eventId": event_id, "reason": problem.name() })
        }
        SessionError::Summarised { compacted_through } => {
            json!({ "compactedThrough": compacted_through })
        }
        SessionError::NothingToCompact => json!({ "kind": "nothing" }),
        SessionError::SpawnRefused { kind, limit } => match limit {
            Some(limit) => json!({ "kind": kind, "limit": limit }),
            None => json!({ "kind": kind }),
        },
        SessionError::AgentTaskNotFound(id) => json!({ "runtimeId": id }),
        SessionError::Answered(answer) => json!(PermissionConflict::Answered {
            answer: PermissionAnswer::clone(answer),
        }),
        SessionError::NotAsked(_) => json!(PermissionConflict::NotOpen),
        SessionError::Archived => json!({ "kind": "archived" }),
        SessionError::NotPrepared(error) => json!({ "reason": error.code }),
        SessionError::TooLarge { limit } => json!({ "limit": limit }),
        SessionError::QueueFull { limit } | SessionError::QueueTooLarge { limit } => {
            json!({ "limit": limit })
        }
        _ => Value::Null,
    };
    RpcError::new(error.code(), error.to_string()).with_details(details)
}

fn orchestrator(error: OrchestratorError) -> RpcError {
    let text = error.to_string();
    match error {
        OrchestratorError::Session(error) => session(&error),
        OrchestratorError::AgentNotFound {
            agent_type,
            suggestion,
        } => RpcError::new(ErrorCode::AgentNotFound, text)
            .with_details(json!({ "agentType": agent_type, "suggestion": suggestion })),
        OrchestratorError::AgentTaskNotFound(id) => {
            RpcError::new(ErrorCode::AgentTaskNotFound, text)
                .with_details(json!({ "runtimeId": id }))
        }
        OrchestratorError::Hook(_) => {
            RpcError::new(ErrorCode::Forbidden, text).with_details(json!({ "kind": "hook" }))
        }
        OrchestratorError::InvalidParams(_) => RpcError::new(ErrorCode::InvalidParams, text),
    }
}

fn search(error: &SearchError) -> RpcError {
    let (code, details) = match error {
        SearchError::Unavailable(_) => (ErrorCode::StorageStalled, Value::Null),
        SearchError::InvalidCursor => (ErrorCode::InvalidParams, json!({ "field": "cursor" })),
        SearchError::QueryTooLong { limit }
        | SearchError::TooManyWords { limit }
        | SearchError::PatternTooLarge { limit } => {
            let details = json!({ "field": "query", "limit": limit });
            (ErrorCode::InvalidParams, details)
        }
        SearchError::InvalidPattern {
            reason,
            offset,
            length,
        } => {
            let details =
                json!({ "field": "query", "reason": reason, "offset": offset, "length": length });
            (ErrorCode::InvalidParams, details)
        }
    };
    RpcError::new(code, error.to_string()).with_details(details)
}

fn blob(error: &BlobError) -> RpcError {
    match error {
        BlobError::TooLarge { max, .. } => {
            let text = format!("the blob is larger than {max} bytes");
            RpcError::new(ErrorCode::PayloadTooLarge, text).with_details(json!({ "limit": max }))
        }
        BlobError::NoSpace(_) | BlobError::ReadOnly(_) => {
            RpcError::new(ErrorCode::StorageStalled, error.to_string())
        }
        error => RpcError::new(ErrorCode::FilesystemError, error.to_string()),
    }
}

const fn receipt_code(error: &ReceiptError) -> ErrorCode {
    match error {
        ReceiptError::Reused(_) => ErrorCode::Conflict,
        ReceiptError::Full { .. } => ErrorCode::Overloaded,
        ReceiptError::Write(_) => ErrorCode::StorageStalled,
        ReceiptError::OtherKind | ReceiptError::Internal(_) => ErrorCode::InternalError,
    }
}

fn trust_code(error: &TrustError) -> ErrorCode {
    match error {
        TrustError::File(StateError::Write { source, .. }) => write_code(source),
        TrustError::File(_) => ErrorCode::FilesystemError,
        TrustError::Unknown(_) | TrustError::Refused { .. } | TrustError::NoDigest(_) => {
            ErrorCode::InvalidParams
        }
        TrustError::Changed(_) => ErrorCode::Conflict,
        TrustError::Io(error) => write_code(error),
    }
}

fn worktree(error: &WorktreeError) -> RpcError {
    let path = |path: &Path| json!({ "path": path });
    let (code, details) = match error {
        WorktreeError::NotFound(owner @ WorktreeOwner::RuntimeId(_)) => {
            (ErrorCode::AgentTaskNotFound, json!(owner))
        }
        WorktreeError::NotFound(owner) => (ErrorCode::RunNotFound, json!(owner)),
        WorktreeError::Dirty { path } => {
            let details = json!({ "kind": "dirty", "path": path });
            (ErrorCode::Conflict, details)
        }
        WorktreeError::Unclear { path, reason } => {
            let details = json!({ "kind": "unclear", "path": path, "reason": reason });
            (ErrorCode::Conflict, details)
        }
        WorktreeError::NoSpace(_) => (ErrorCode::StorageStalled, Value::Null),
        WorktreeError::Io { path: at, .. } | WorktreeError::NotText { path: at } => {
            (ErrorCode::FilesystemError, path(at))
        }
        WorktreeError::Record(error) => (ErrorCode::FilesystemError, path(error.path())),
        _ => (ErrorCode::FilesystemError, Value::Null),
    };
    RpcError::new(code, error.to_string()).with_details(details)
}

fn chain(error: &dyn Error) -> String {
    scorel_proto::ErrorChain(error).to_string()
}

fn project(error: &ProjectError, path: Option<&str>) -> RpcError {
    let failed = filesystem(error, path);
    match error {
        ProjectError::Quota(error) => RpcError::new(ErrorCode::InvalidParams, error.to_string())
            .with_details(json!({ "field": "policy" })),
        ProjectError::OtherQuota(policy) => RpcError::new(ErrorCode::Conflict, error.to_string())
            .with_details(json!({ "kind": "quota", "policy": policy })),
        ProjectError::File(StateError::Write { source, .. }) => match write_code(source) {
            ErrorCode::FilesystemError => failed,
            code => RpcError::new(code, failed.message),
        },
        _ => failed,
    }
}

fn configuration(error: &EditConfigError) -> RpcError {
    let (code, details) = match error {
        EditConfigError::File(ConfigError::Content { path, position, .. }) => {
            let (line, column) = position.map(|it| (it.line, it.column)).unzip();
            let details = json!({ "path": path, "line": line, "column": column });
            (ErrorCode::FilesystemError, details)
        }
        EditConfigError::File(ConfigError::File(_)) => (ErrorCode::FilesystemError, Value::Null),
        EditConfigError::Refused {
            field, suggestion, ..
        } => {
            let details = json!({ "field": field, "suggestion": suggestion });
            (ErrorCode::InvalidParams, details)
        }
        EditConfigError::Changed { path } | EditConfigError::Locked { path } => {
            (ErrorCode::Conflict, json!({ "kind": "file", "path": path }))
        }
        EditConfigError::Write { path, source } => (write_code(source), json!({ "path": path })),
        EditConfigError::BrokenLink { path } | EditConfigError::Unsafe { path, .. } => {
            (ErrorCode::FilesystemError, json!({ "path": path }))
        }
    };
    RpcError::new(code, chain(error)).with_details(details)
}

fn filesystem(error: &dyn Error, path: Option<&str>) -> RpcError {
    let mut text = error.to_string();
    if let Some(source) = error.source() {
        text = format!("{text}: {source}");
    }
    RpcError::new(ErrorCode::FilesystemError, text).with_details(json!({ "path": path }))
}

fn model(error: ModelCallError) -> RpcError {
    let text = error.to_string();
    match error {
        ModelCallError::Named(error) => named_model(&error),
        ModelCallError::UnknownProvider { .. } => RpcError::new(ErrorCode::InvalidParams, text)
            .with_details(json!({ "field": "provider" })),
        ModelCallError::Provider { provider, error } => unusable(&provider, &error),
        ModelCallError::List { provider, error } => match *error {
            ListError::Setup(error) => unusable(&provider, &error.into()),
            ListError::Call(error) => provider_failed(&provider, &error),
        },
        ModelCallError::Check { provider, error } => provider_failed(&provider, &error),
        ModelCallError::Task(_) => RpcError::new(ErrorCode::InternalError, text),
    }
}

fn named_model(error: &ModelError) -> RpcError {
    let mut refused = unusable(error.provider().unwrap_or_default(), error);
    if let Some(field) = mistaken_field(error) {
        refused.code = ErrorCode::InvalidParams;
        refused.details["field"] = json!(field);
    }
    refused
}

/// The parameter that asks for what no provider or model has; `None` if the provider is the problem.
fn mistaken_field(error: &ModelError) -> Option<&'static str> {
    match error {
        ModelError::Setup(
            SetupError::UnknownProvider { .. }
            | SetupError::MissingModel { .. }
            | SetupError::InvalidModelId { .. }
            | SetupError::NotTheDemo { .. }
            | SetupError::Retired { .. },
        ) => Some("model"),
        ModelError::Setup(SetupError::NoThinkingLevel { .. }) => Some("thinkingLevel"),
        _ => None,
    }
}

fn unusable(provider: &str, error: &ModelError) -> RpcError {
    let mut details = json!({ "provider": provider });
    match error {
        ModelError::NoKey { variables, .. } => details["keyVariables"] = json!(variables),
        ModelError::Setup(
            SetupError::UnknownProvider { suggestion, .. }
            | SetupError::NotTheDemo { suggestion, .. },
        ) => details["suggestion"] = json!(suggestion),
        ModelError::Setup(SetupError::Retired { on, successor, .. }) => {
            details["retiredOn"] = json!(on.to_string());
            details["suggestion"] = json!(successor);
        }
        ModelError::Setup(SetupError::NoThinkingLevel { levels, .. }) => {
            details = json!({ "thinkingLevels": levels });
        }
        _ => {}
    }
    RpcError::new(ErrorCode::ProviderError, error.to_string()).with_details(details)
}

fn provider_failed(provider: &str, error: &ProviderError) -> RpcError {
    let mut details = json!({
        "provider": provider,
        "category": error.category,
        "retryable": error.retryable,
    });
    if let Some(status) = error.status {
        details["status"] = json!(status);
    }
    if let Some(hint) = &error.hint {
        details["hint"] = json!(hint);
    }
    RpcError::new(ErrorCode::ProviderError, error.message.clone()).with_details(details)
}

#[cfg(test)]
mod tests;
