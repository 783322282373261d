use scorel_proto::{
    HookInfo, HookLayer, HookOnFailure, HookSandbox, HookState, ListHooks, ListHooksParams,
    ListHooksResult,
};

use super::{method, params_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let mut all = Vec::new();
    all.extend(method::<ListHooks>(
        &ListHooksParams {
            project_id: Some(ids::project()),
        },
        &ListHooksResult {
            hooks: vec![of_project(), own()],
            left_out: vec![".claude/settings.json: `Setup`: there is no such event here".into()],
            problems: vec![".claude/settings.local.json: 1:2: it is not JSON".into()],
        },
    ));
    all.push(params_of::<ListHooks>(".all", &ListHooksParams::default()));
    all
}

fn own() -> HookInfo {
    HookInfo {
        name: "guard".into(),
        layer: HookLayer::User,
        path: "/home/ada/.scorel/config.toml".into(),
        event: "PreToolUse".into(),
        matcher: Some("Bash".into()),
        condition: Some("Bash(git *)".into()),
        command: "npx block-no-verify".into(),
        timeout_seconds: 30,
        on_failure: HookOnFailure::Fail,
        sandbox: HookSandbox::None,
        may_allow: false,
        parallel: true,
        is_async: false,
        state: HookState::Active,
        matched: 12,
        ran: 12,
        denied: 2,
        changed: 1,
        failed: 1,
        last_error: Some("it exited with 127: sh: 1: npx: not found".into()),
        p95_ms: Some(80),
        warnings: Vec::new(),
    }
}

fn of_project() -> HookInfo {
    HookInfo {
        name: "format".into(),
        layer: HookLayer::Project,
        path: "/home/ada/demo/.scorel/config.toml".into(),
        event: "afterToolCall".into(),
        matcher: None,
        condition: None,
        command: "scripts/format".into(),
        timeout_seconds: 120,
        on_failure: HookOnFailure::Ignore,
        sandbox: HookSandbox::Workspace,
        may_allow: false,
        parallel: false,
        is_async: false,
        state: HookState::Untrusted,
        matched: 0,
        ran: 0,
        denied: 0,
        changed: 0,
        failed: 0,
        last_error: None,
        p95_ms: None,
        warnings: vec!["it is not run".into()],
    }
}
