use std::collections::BTreeMap;

use scorel_proto::{
    AcceptDamage, AcceptDamageParams, AgentHistory, ArchiveSession, ArchiveSessionParams,
    CloneSession, CloneSessionParams, CostTotal, CreateSession, CreateSessionParams,
    CreateSessionResult, DeleteChildren, DeleteSession, DeleteSessionParams, DeleteSessionResult,
    GetSession, GetSessionParams, GetSessionResult, ImportReport, ImportSession,
    ImportSessionParams, ImportSessionResult, ImportTool, ListSessions, ListSessionsParams,
    ListSessionsResult, OnRestart, Phase, Project, RunMode, RunPhase, RunReason, SeqResult,
    Session, SessionAgent, SessionDeletion, SessionKind, SessionOrigin, SessionParent, SessionRun,
    SessionWorktree, StorageStall, ThinkingLevel, TitleSource, UndeleteSession,
    UndeleteSessionParams, UndeleteSessionResult, UnreadableSession, UpdateSession,
    UpdateSessionParams, UpdateSessionResult, Usage,
};

use super::{method, params_of, result_of};
use crate::golden::Golden;
use crate::samples::{agents, ids, messages, persistent, runners};

pub(in crate::samples) fn project() -> Project {
    Project {
        project_id: ids::project(),
        display_name: "Sources".into(),
        work_dir: "/home/ada/src".into(),
        created_at: ids::TS,
        updated_at: ids::TS,
        orchestrator_session_id: Some(ids::session()),
    }
}

fn history() -> BTreeMap<String, AgentHistory> {
    let history = AgentHistory {
        finished: 2,
        last_event: super::agent::agent().last_event,
    };
    BTreeMap::from([("reviewer".to_owned(), history)])
}

/// A session in the middle of a turn.
pub(in crate::samples) fn session() -> Session {
    Session {
        session_id: ids::session(),
        project_id: ids::project(),
        kind: SessionKind::Subagent,
        parent: Some(SessionParent {
            session_id: ids::session(),
            event_id: Some(ids::event(1)),
            task_id: Some("task-1".into()),
        }),
        agent: Some(SessionAgent {
            agent_type: "reviewer".into(),
            depth: 1,
            worktree: Some(SessionWorktree {
                path: "/home/ada/.scorel/worktrees/rti_01K1H9Q8000000000000000001".into(),
                branch: "scorel/look-at-the-parser-00000001".into(),
            }),
        }),
        origin: Some(origin()),
        run: Some(run()),
        worktree: Some(SessionWorktree {
            path: "/home/ada/.scorel/worktrees/run_01K1H9Q8000000000000000001".into(),
            branch: "scorel/create-story-00000001".into(),
        }),
        title: Some("Read me".into()),
        title_source: Some(TitleSource::Generated),
        model: Some("openai/gpt-5".into()),
        runner: "codex".into(),
        runner_contexts: [("codex".to_owned(), runners::context())].into(),
        thinking_level: ThinkingLevel::Medium,
        tools: None,
        phase: Phase::AwaitingPermission,
        turn_id: Some(ids::turn()),
        active_leaf_id: Some(ids::event(2)),
        current_seq: ids::seq(65_540),
        last_persistent_seq: ids::seq(65_537),
        queue: vec![persistent::item()],
        queue_version: 3,
        queue_paused: true,
        usage: messages::usage(),
        cost: CostTotal {
            micro_usd: 5_120,
            unpriced: 300,
        },
        on_restart: Some(OnRestart::Resume),
        created_at: ids::TS,
        updated_at: ids::TS + 1_000,
        archived: true,
        problem: Some("events.jsonl is damaged at byte 4096".into()),
        runtimes: Some(scorel_proto::AgentTaskCounts {
            total: 3,
            open: 1,
            agents: history(),
        }),
        child_questions: vec![agents::question()],
        storage_stalled: Some(StorageStall {
            since: ids::TS,
            unsaved: None,
        }),
        deleted: Some(SessionDeletion {
            at: ids::TS,
            until: ids::TS + 604_800_000,
        }),
    }
}

fn run() -> SessionRun {
    SessionRun {
        run_id: ids::run(),
        workflow: "create-story".into(),
        phase: RunPhase::WaitingUser,
        reason: RunReason::Question,
        node_id: "step-01-select-story".into(),
        mode: RunMode::Run,
    }
}

fn origin() -> SessionOrigin {
    SessionOrigin {
        tool: ImportTool::ClaudeCode,
        id: "7d4f0c1e-6b1a-4a7e-9f5f-0d9b2d8f3a11".into(),
        sha256: "0".repeat(64),
    }
}

fn import() -> [Golden; 2] {
    let params = ImportSessionParams {
        project_id: ids::project(),
        path: "/home/ada/.claude/projects/-home-ada-src/7d4f0c1e.jsonl".into(),
        command_id: Some(ids::command()),
    };
    let report = ImportReport {
        lines: 12,
        imported: 6,
        sidechains: 1,
        branches: 1,
        gaps: 1,
        skipped: 2,
        unknown: 1,
        unknown_types: vec!["telemetry".into()],
        torn: true,
        messages: 5,
        images: 1,
        dropped_images: 1,
    };
    let result = ImportSessionResult {
        session_id: ids::session(),
        session: session(),
        report,
    };
    method::<ImportSession>(&params, &result)
}

fn empty() -> Session {
    Session {
        kind: SessionKind::User,
        parent: None,
        agent: None,
        origin: None,
        run: None,
        worktree: None,
        title: None,
        title_source: None,
        model: None,
        runner: scorel_proto::OWN_RUNNER.into(),
        runner_contexts: BTreeMap::new(),
        thinking_level: ThinkingLevel::Default,
        tools: None,
        phase: Phase::Idle,
        turn_id: None,
        active_leaf_id: None,
        current_seq: ids::seq(0),
        last_persistent_seq: ids::seq(0),
        queue: Vec::new(),
        queue_version: 0,
        queue_paused: false,
        usage: Usage::default(),
        cost: CostTotal::default(),
        on_restart: None,
        archived: false,
        problem: None,
        runtimes: None,
        child_questions: Vec::new(),
        storage_stalled: None,
        deleted: None,
        ..session()
    }
}

pub(super) fn all() -> Vec<Golden> {
    let mut all = creating();
    all.extend(reading());
    all.extend(changing());
    all.extend(import());
    all
}

fn creating() -> Vec<Golden> {
    let session_id = ids::session();
    let minimal = CreateSessionParams {
        project_id: ids::project(),
        title: None,
        model: None,
        runner: None,
        thinking_level: None,
        tools: None,
        command_id: None,
    };
    let full = CreateSessionParams {
        title: Some("Read me".into()),
        model: Some("gpt-5".into()),
        runner: Some("codex".into()),
        thinking_level: Some(ThinkingLevel::Low),
        tools: None,
        command_id: Some(ids::command()),
        ..minimal
    };
    let created = CreateSessionResult {
        session_id,
        session: empty(),
    };
    let clone = CloneSessionParams {
        session_id,
        event_id: Some(ids::event(2)),
        command_id: Some(ids::command()),
    };
    let clone_nothing = CloneSessionParams {
        session_id,
        event_id: None,
        command_id: None,
    };
    let mut all = Vec::from(method::<CreateSession>(&full, &created));
    all.push(params_of::<CreateSession>(".minimal", &minimal));
    all.extend(method::<CloneSession>(&clone, &created));
    all.push(params_of::<CloneSession>(".nothing", &clone_nothing));
    all
}

fn reading() -> Vec<Golden> {
    let filter = ListSessionsParams {
        project_id: Some(ids::project()),
        kind: Some(SessionKind::User),
        archived: Some(false),
        deleted: Some(false),
        limit: Some(20),
        cursor: Some("c1".into()),
    };
    let page = ListSessionsResult {
        sessions: vec![session(), empty()],
        unreadable: Vec::new(),
        next_cursor: Some("c2".into()),
    };
    let last = ListSessionsResult {
        sessions: Vec::new(),
        unreadable: vec![UnreadableSession {
            session_id: ids::session(),
            problem: "the log has no header".into(),
        }],
        next_cursor: None,
    };
    let mut all = Vec::from(method::<GetSession>(
        &GetSessionParams {
            session_id: ids::session(),
        },
        &GetSessionResult { session: session() },
    ));
    all.extend(method::<ListSessions>(&filter, &page));
    all.push(params_of::<ListSessions>(
        ".all",
        &ListSessionsParams::default(),
    ));
    all.push(result_of::<ListSessions>(".last", &last));
    all
}

fn changing() -> Vec<Golden> {
    let session_id = ids::session();
    let command_id = Some(ids::command());
    let updated = UpdateSessionResult {
        seq: ids::seq(12),
        session: session(),
    };
    let update = UpdateSessionParams {
        session_id,
        title: Some("New".into()),
        model: Some("gpt-5".into()),
        runner: Some("scorel".into()),
        thinking_level: Some(ThinkingLevel::None),
        tools: None,
        on_restart: Some(OnRestart::Resume),
        refresh_instructions: None,
        command_id: command_id.clone(),
    };
    let archive = ArchiveSessionParams {
        session_id,
        archived: Some(true),
        command_id: command_id.clone(),
    };
    let delete = DeleteSessionParams {
        session_id,
        children: Some(DeleteChildren::Delete),
        now: Some(true),
        command_id: command_id.clone(),
    };
    let accept = AcceptDamageParams {
        session_id,
        offset: 4096,
        length: 310,
        command_id,
    };
    let mut all = Vec::from(method::<UpdateSession>(&update, &updated));
    all.extend(method::<ArchiveSession>(&archive, &updated));
    all.extend(method::<DeleteSession>(
        &delete,
        &DeleteSessionResult { session_id },
    ));
    all.push(params_of::<DeleteSession>(
        ".refused",
        &DeleteSessionParams {
            session_id,
            children: None,
            now: None,
            command_id: None,
        },
    ));
    let undelete = UndeleteSessionParams {
        session_id,
        command_id: accept.command_id.clone(),
    };
    all.extend(method::<UndeleteSession>(
        &undelete,
        &UndeleteSessionResult { session_id },
    ));
    all.extend(method::<AcceptDamage>(
        &accept,
        &SeqResult { seq: ids::seq(12) },
    ));
    all
}
