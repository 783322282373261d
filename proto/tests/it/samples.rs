//! One value or more of every wire type.

mod agents;
mod files;
mod ids;
mod messages;
mod methods;
mod notifications;
mod persistent;
mod runners;
mod transient;

use scorel_proto::{AttachmentProblem, ErrorCode, ErrorData, RpcError, SpawnRefusal};
use serde_json::json;

use crate::golden::Golden;

/// Every golden.
pub(crate) fn all() -> Vec<Golden> {
    let mut all = messages::all();
    all.extend(persistent::all());
    all.extend(transient::all());
    all.extend(runners::all());
    all.extend(agents::all());
    all.extend(methods::all());
    all.extend(notifications::all());
    all.extend(errors());
    all
}

fn errors() -> impl Iterator<Item = Golden> {
    ErrorCode::ALL.iter().map(|code| {
        let error = RpcError::new(*code, "no").with_details(match code {
            ErrorCode::InvalidParams => json!({"field": "content"}),
            ErrorCode::PayloadTooLarge => json!({"limit": 8_388_608}),
            ErrorCode::RunnerError => json!({
                "runner": "codex", "kind": "runner_not_logged_in", "hint": "run `codex login`",
            }),
            ErrorCode::AgentNotFound => json!({"suggestion": "reviewer"}),
            ErrorCode::AttachmentRefused => json!({
                "path": "build.log", "kind": AttachmentProblem::TooLarge, "limit": 262_144,
            }),
            ErrorCode::SpawnRefused => json!({"kind": SpawnRefusal::TooMany, "limit": 32}),
            ErrorCode::AgentTaskBusy => json!({"phase": "running"}),
            _ => serde_json::Value::Null,
        });
        Golden::of::<ErrorData>(format!("error/{code}"), &error.data())
    })
}
