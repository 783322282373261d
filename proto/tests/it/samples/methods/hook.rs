use scorel_proto::{
    HookInfo, HookLayer, HookOnFailure, HookSandbox, HookState, HookTestEffect, HookTestEffectKind,
    HookTestRun, ListHooks, ListHooksParams, ListHooksResult, TestHook, TestHookParams,
    TestHookResult,
};
use serde_json::json;

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
            left_out: vec![".claude/settings.json: `Setup`: not taken over".into()],
            dropped: 3,
            problems: vec![".claude/settings.local.json: 1:2: it is not JSON".into()],
        },
    ));
    all.push(params_of::<ListHooks>(".all", &ListHooksParams::default()));
    let input = json!({"tool_input": {"command": "git commit --no-verify"}});
    all.extend(method::<TestHook>(
        &TestHookParams {
            project_id: ids::project(),
            name: "guard".into(),
            tool: Some("Bash".into()),
            input: input.as_object().cloned(),
        },
        &tested(),
    ));
    all
}

fn tested() -> TestHookResult {
    TestHookResult {
        hook: own(),
        matched: true,
        reason: None,
        runs: vec![HookTestRun {
            stdin: json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
            exit_code: Some(2),
            stdout: String::new(),
            stderr: "--no-verify is not allowed".into(),
        }],
        effects: vec![HookTestEffect {
            kind: HookTestEffectKind::Denied,
            text: Some("--no-verify is not allowed".into()),
        }],
        failure: None,
        duration_ms: 120,
    }
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
