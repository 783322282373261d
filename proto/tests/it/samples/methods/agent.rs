use std::collections::BTreeMap;

use scorel_proto::{
    AgentConfig, AgentEvent, AgentInfo, AgentTaskInfo, AgentTaskResult, AgentTaskStatus,
    AgentWorkspace, CostTotal, CreateSessionResult, EffectiveQuota, GetRuntime, GetRuntimeParams,
    GetRuntimeResult, ListAgents, ListAgentsParams, ListAgentsResult, ListRuntimes,
    ListRuntimesParams, ListRuntimesResult, ListWorktrees, ListWorktreesParams,
    ListWorktreesResult, MoveRuntime, MoveRuntimeParams, OpenOrchestrator, OpenOrchestratorParams,
    QuotaPolicy, QuotaSource, QuotaStrategy, RemoveWorktree, RemoveWorktreeParams,
    RemoveWorktreeResult, ResultDelivery, SeqResult, SetAgent, SetAgentParams, SetAgentResult,
    SetQuota, SetQuotaParams, SetQuotaResult, SpawnRuntime, SpawnRuntimeParams, SpawnRuntimeResult,
    StopRuntime, StopRuntimeParams, StopRuntimeResult, ThinkingLevel, ToolPreset, Usage,
    WorktreeInfo,
};

use serde_json::Number;

use super::{graph, method, params_of, result_of, session};
use crate::golden::Golden;
use crate::samples::{agents, ids, messages};

const AGENT: &str = "reviewer";

pub(super) fn all() -> Vec<Golden> {
    let mut all = configuring();
    all.extend(spawning());
    all.extend(reading());
    all.extend(graph::all());
    all.extend(worktrees());
    all
}

/// An agent with a task.
pub(in crate::samples) fn agent() -> AgentInfo {
    AgentInfo {
        agent_type: AGENT.into(),
        config: AgentConfig {
            display_name: "Reviewer".into(),
            description: "Reads code and says what is wrong with it.".into(),
            capabilities: vec!["rust".into(), "security".into()],
            runner: "codex".into(),
            model: Some("openai/gpt-5".into()),
            thinking_level: Some(ThinkingLevel::High),
            tools: Some(ToolPreset::Readonly),
            prompt: Some("Be brief.".into()),
            workspace: AgentWorkspace::Worktree,
            default_quota: 2,
            enabled: true,
            max_turn_tokens: Some(2_000_000),
            max_turn_seconds: Some(600),
            max_session_cost: Some(Number::from_f64(2.5).expect("finite")),
        },
        running: 1,
        queued: 3,
        quota: EffectiveQuota {
            effective: 1,
            source: QuotaSource::Serial,
        },
        policy: Some(policy()),
        finished: 12,
        last_event: Some(AgentEvent {
            runtime_id: ids::runtime(1),
            status: AgentTaskStatus::Running,
            ts: ids::TS,
            summary: "tool call success: cargo test".into(),
        }),
    }
}

/// An agent of which only the least is configured.
fn idle() -> AgentInfo {
    AgentInfo {
        agent_type: "scout".into(),
        config: AgentConfig {
            display_name: "Scout".into(),
            description: String::new(),
            capabilities: Vec::new(),
            runner: scorel_proto::OWN_RUNNER.into(),
            model: None,
            thinking_level: None,
            tools: None,
            prompt: None,
            workspace: AgentWorkspace::Shared,
            default_quota: 1,
            enabled: false,
            max_turn_tokens: None,
            max_turn_seconds: None,
            max_session_cost: None,
        },
        running: 0,
        queued: 0,
        quota: EffectiveQuota {
            effective: 0,
            source: QuotaSource::Default,
        },
        policy: None,
        finished: 0,
        last_event: None,
    }
}

fn configuring() -> Vec<Golden> {
    let project_id = Some(ids::project());
    let agents = vec![agent(), idle()];
    let mut all = Vec::from(method::<ListAgents>(
        &ListAgentsParams { project_id },
        &ListAgentsResult { agents },
    ));
    all.push(params_of::<ListAgents>(
        ".all",
        &ListAgentsParams::default(),
    ));
    all.extend(method::<SetAgent>(
        &changed(),
        &SetAgentResult { agent: agent() },
    ));
    all.push(params_of::<SetAgent>(".minimal", &enabled()));
    all.extend(method::<SetQuota>(
        &quota(policy()),
        &SetQuotaResult { agent: agent() },
    ));
    let expected = SetQuotaParams {
        expected: Some(policy()),
        ..quota(policy())
    };
    all.push(params_of::<SetQuota>(".expected", &expected));
    all.push(params_of::<SetQuota>(
        ".none",
        &quota(QuotaPolicy::default()),
    ));
    all
}

fn changed() -> SetAgentParams {
    let config = agent().config;
    SetAgentParams {
        agent_type: AGENT.into(),
        display_name: Some(Some(config.display_name)),
        description: Some(Some(config.description)),
        capabilities: Some(Some(config.capabilities)),
        runner: Some(Some(config.runner)),
        model: Some(config.model),
        thinking_level: Some(config.thinking_level),
        tools: Some(config.tools),
        prompt: Some(config.prompt),
        workspace: Some(Some(config.workspace)),
        default_quota: Some(Some(config.default_quota)),
        enabled: Some(Some(config.enabled)),
        max_turn_tokens: Some(config.max_turn_tokens),
        max_turn_seconds: Some(config.max_turn_seconds),
        max_session_cost: Some(config.max_session_cost),
        command_id: Some(ids::command()),
    }
}

fn enabled() -> SetAgentParams {
    SetAgentParams {
        agent_type: AGENT.into(),
        model: Some(None),
        enabled: Some(Some(false)),
        ..SetAgentParams::default()
    }
}

fn policy() -> QuotaPolicy {
    QuotaPolicy {
        project: Some(2),
        workflow: BTreeMap::from([("release".to_owned(), 1)]),
        strategy: QuotaStrategy::Serial,
    }
}

fn quota(policy: QuotaPolicy) -> SetQuotaParams {
    SetQuotaParams {
        project_id: ids::project(),
        agent_type: AGENT.into(),
        policy,
        expected: None,
        command_id: Some(ids::command()),
    }
}

fn spawning() -> Vec<Golden> {
    let minimal = SpawnRuntimeParams {
        session_id: ids::session(),
        agent_type: AGENT.into(),
        prompt: "Look at the parser, and say what is wrong with it.".into(),
        title: None,
        workflow_id: None,
        continued: None,
        deliver: None,
        command_id: None,
    };
    let full = SpawnRuntimeParams {
        title: Some("Look at the parser".into()),
        workflow_id: Some("release".into()),
        continued: Some(ids::runtime(2)),
        deliver: Some(ResultDelivery::Turn),
        command_id: Some(ids::command()),
        ..minimal.clone()
    };
    let opened = CreateSessionResult {
        session_id: ids::session(),
        session: session(),
    };
    let spawned = SpawnRuntimeResult {
        runtime_id: ids::runtime(1),
        session_id: ids::child(),
        seq: ids::seq(12),
    };
    let open = OpenOrchestratorParams {
        project_id: ids::project(),
        command_id: Some(ids::command()),
    };
    let mut all = Vec::from(method::<OpenOrchestrator>(&open, &opened));
    all.extend(method::<SpawnRuntime>(&full, &spawned));
    all.push(params_of::<SpawnRuntime>(".minimal", &minimal));
    all.extend(steering());
    all
}

fn steering() -> Vec<Golden> {
    let runtime_id = ids::runtime(1);
    let command_id = Some(ids::command());
    let seq = ids::seq(12);
    let to_the_front = MoveRuntimeParams {
        runtime_id,
        position: 1,
        command_id: command_id.clone(),
    };
    let stop = StopRuntimeParams {
        runtime_id,
        command_id,
    };
    let had_ended = StopRuntimeResult { seq: None };
    let mut all = Vec::from(method::<MoveRuntime>(&to_the_front, &SeqResult { seq }));
    all.extend(method::<StopRuntime>(
        &stop,
        &StopRuntimeResult { seq: Some(seq) },
    ));
    all.push(result_of::<StopRuntime>(".ended", &had_ended));
    all
}

/// A runtime with a question.
pub(in crate::samples) fn runtime() -> AgentTaskInfo {
    AgentTaskInfo {
        runtime_id: ids::runtime(1),
        version: 5,
        parent_session_id: ids::session(),
        project_id: ids::project(),
        agent_type: AGENT.into(),
        session_id: Some(ids::child()),
        bound: true,
        workflow_id: Some("release".into()),
        title: "Look at the parser".into(),
        status: AgentTaskStatus::WaitingInput,
        stopping: true,
        queue_position: None,
        queued_count: None,
        summary: Some("Bash {\"command\":\"make\"}".into()),
        waiting_for: Some(agents::question()),
        deliver: ResultDelivery::Turn,
        started_at: ids::TS,
        ended_at: None,
        usage: Usage::default(),
        cost: CostTotal::default(),
    }
}

/// A runtime that a person has spawned, and that waits for its agent.
pub(super) fn queued() -> AgentTaskInfo {
    AgentTaskInfo {
        runtime_id: ids::runtime(2),
        version: 2,
        bound: false,
        workflow_id: None,
        status: AgentTaskStatus::Queued,
        stopping: false,
        queue_position: Some(1),
        queued_count: Some(3),
        summary: None,
        waiting_for: None,
        deliver: ResultDelivery::None,
        ..runtime()
    }
}

fn ended() -> AgentTaskInfo {
    let finished = agents::finished();
    AgentTaskInfo {
        version: finished.stamp.version,
        status: finished.final_status,
        stopping: false,
        waiting_for: None,
        ended_at: Some(finished.ended_at),
        usage: messages::usage(),
        cost: finished.metadata.cost,
        ..runtime()
    }
}

fn reading() -> Vec<Golden> {
    let prompt = "Look at the parser, and say what is wrong with it.";
    let finished = agents::finished();
    let done = GetRuntimeResult {
        runtime: ended(),
        prompt: prompt.into(),
        result: Some(AgentTaskResult {
            reason: finished.reason,
            last_message: finished.last_message,
            last_message_blob: finished.last_message_blob,
        }),
    };
    let waits = GetRuntimeResult {
        runtime: queued(),
        prompt: prompt.into(),
        result: None,
    };
    let filter = ListRuntimesParams {
        project_id: Some(ids::project()),
        session_id: Some(ids::session()),
        agent_type: Some(AGENT.into()),
        status: Some(AgentTaskStatus::Completed),
        limit: Some(20),
        cursor: Some("1785542400000.rti_01K1H9Q8000000000000000001".into()),
    };
    let runtimes = vec![queued(), runtime(), ended()];
    let runtime_id = ids::runtime(1);
    let mut all = Vec::from(method::<GetRuntime>(
        &GetRuntimeParams { runtime_id },
        &done,
    ));
    all.push(result_of::<GetRuntime>(".queued", &waits));
    all.extend(method::<ListRuntimes>(
        &filter,
        &ListRuntimesResult {
            runtimes,
            next_cursor: Some("1785542400000.rti_01K1H9Q8000000000000000001".into()),
        },
    ));
    all.push(params_of::<ListRuntimes>(
        ".all",
        &ListRuntimesParams::default(),
    ));
    all
}

fn worktrees() -> Vec<Golden> {
    let runtime_id = ids::runtime(1);
    let used = WorktreeInfo {
        runtime_id: Some(runtime_id),
        run_id: None,
        session_id: Some(ids::child()),
        project_id: ids::project(),
        path: "/home/ada/.scorel/worktrees/rti_01K1H9Q8000000000000000001".into(),
        branch: "scorel/look-at-the-parser-00000001".into(),
        dirty: Some(true),
        commits: Some(2),
    };
    let left = WorktreeInfo {
        runtime_id: None,
        run_id: Some(ids::run()),
        session_id: None,
        dirty: None,
        commits: None,
        ..used.clone()
    };
    let removed = RemoveWorktreeResult {
        branch: used.branch.clone(),
    };
    let force = RemoveWorktreeParams {
        runtime_id: Some(runtime_id),
        run_id: None,
        force: Some(true),
        command_id: Some(ids::command()),
    };
    let gentle = RemoveWorktreeParams {
        runtime_id: None,
        run_id: Some(ids::run()),
        force: None,
        command_id: None,
    };
    let project_id = Some(ids::project());
    let worktrees = vec![used, left];
    let mut all = Vec::from(method::<ListWorktrees>(
        &ListWorktreesParams { project_id },
        &ListWorktreesResult { worktrees },
    ));
    all.push(params_of::<ListWorktrees>(
        ".all",
        &ListWorktreesParams::default(),
    ));
    all.extend(method::<RemoveWorktree>(&force, &removed));
    all.push(params_of::<RemoveWorktree>(".gentle", &gentle));
    all
}
