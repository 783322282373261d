use scorel_proto::{
    CheckRunner, CheckRunnerParams, CheckRunnerResult, ForgetContext, ForgetContextParams,
    ForgetContextResult, HookReach, ListRunners, ListRunnersParams, ListRunnersResult,
    RunnerCapabilities, RunnerErrorKind, RunnerInfo, RunnerProblem, RunnerType,
};

use super::{method, params_of, result_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let forget = ForgetContextParams {
        session_id: ids::session(),
        runner: "codex".into(),
        command_id: Some(ids::command()),
    };
    let mut all = Vec::new();
    all.extend(method::<ListRunners>(
        &ListRunnersParams {
            project_id: Some(ids::project()),
        },
        &ListRunnersResult {
            runners: vec![own(), codex(), missing()],
        },
    ));
    all.push(params_of::<ListRunners>(
        ".all",
        &ListRunnersParams::default(),
    ));
    all.extend(method::<CheckRunner>(
        &CheckRunnerParams {
            runner: "codex".into(),
        },
        &CheckRunnerResult {
            runner: codex(),
            duration_ms: 740,
        },
    ));
    all.extend(method::<ForgetContext>(
        &forget,
        &ForgetContextResult {
            seq: Some(ids::seq(12)),
        },
    ));
    all.push(result_of::<ForgetContext>(
        ".nothing",
        &ForgetContextResult { seq: None },
    ));
    all
}

fn own() -> RunnerInfo {
    RunnerInfo {
        name: scorel_proto::OWN_RUNNER.into(),
        label: "Scorel".into(),
        runner_type: RunnerType::Scorel,
        capabilities: RunnerCapabilities::ALL,
        hooks: HookReach::Before,
        installed: None,
        version: None,
        problem: None,
        login_command: None,
    }
}

fn codex() -> RunnerInfo {
    RunnerInfo {
        name: "codex".into(),
        label: "Codex".into(),
        runner_type: RunnerType::Codex,
        capabilities: RunnerCapabilities {
            cost: false,
            ..own().capabilities
        },
        hooks: HookReach::Before,
        installed: Some(true),
        version: Some("0.153.0".into()),
        problem: None,
        login_command: Some("codex login".into()),
    }
}

fn missing() -> RunnerInfo {
    RunnerInfo {
        name: "claude-code-glm".into(),
        label: "Claude Code (GLM)".into(),
        runner_type: RunnerType::ClaudeCode,
        capabilities: RunnerCapabilities::default(),
        hooks: HookReach::Before,
        installed: Some(false),
        version: None,
        problem: Some(RunnerProblem {
            kind: RunnerErrorKind::NotInstalled,
            message: "`claude` was not found".into(),
            hint: Some("install Claude Code, or set `command`".into()),
        }),
        login_command: None,
    }
}
