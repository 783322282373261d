use scorel_proto::{
    AgentWorkspace, CheckWorkflow, CheckWorkflowParams, CheckWorkflowResult, DeleteRun,
    DeleteRunParams, DeleteRunResult, GetRun, GetRunParams, GetRunResult, ListRuns, ListRunsParams,
    ListRunsResult, ListWorkflows, ListWorkflowsParams, ListWorkflowsResult, RebindRun,
    RebindRunParams, RepairRun, RepairRunParams, ResumeRun, ResumeRunParams, RunInfo, RunMode,
    RunNode, RunPackage, RunPhase, RunProblem, RunReason, RunRestore, RunResult, RunWay,
    SessionWorktree, SkillSource, StartRun, StartRunParams, StartRunResult, TrustState,
    UnreadableRun, UpdateRun, UpdateRunParams, WorkflowInfo, WorkflowProblem,
};
use serde_json::{Map, Value, json};

use super::{method, params_of, result_of};
use crate::golden::Golden;
use crate::samples::ids;

const NODE: &str = "step-01-select-story";

fn variables() -> Map<String, Value> {
    Map::from_iter([("storyKey".to_owned(), json!("1-2"))])
}

fn run() -> RunInfo {
    RunInfo {
        run_id: ids::run(),
        project_id: ids::project(),
        session_id: Some(ids::session()),
        workflow: "create-story".into(),
        package: RunPackage {
            id: "create-story".into(),
            version: "1.0.0".into(),
            digest: "5c".repeat(32),
        },
        phase: RunPhase::WaitingUser,
        reason: RunReason::StateInvalid,
        node_id: NODE.into(),
        agent_id: Some("sm".into()),
        autopilot: true,
        mode: RunMode::Run,
        worktree: Some(SessionWorktree {
            path: "/home/ada/.scorel/worktrees/run_01K1H9Q8000000000000000001".into(),
            branch: "scorel/create-story-00000001".into(),
        }),
        package_changed: true,
        problem: Some(RunProblem {
            code: "state_invalid".into(),
            message: "`,` or `]` is missing".into(),
            line: Some(7),
            column: Some(18),
            pointer: None,
        }),
        created_at: ids::TS,
    }
}

fn found() -> GetRunResult {
    GetRunResult {
        run: run(),
        sessions: vec![ids::session()],
        nodes: vec![RunNode {
            id: NODE.into(),
            kind: "step".into(),
            title: "Select a story".into(),
            visits: 1,
            current: true,
            waits: true,
            next: vec![RunWay {
                to: "end-99".into(),
                label: "next".into(),
            }],
        }],
        steps_completed: vec![NODE.into()],
        variables: variables(),
        artifacts: vec!["artifacts/create-story/target.md".into()],
        document: "/home/ada/.scorel/runs/run_01K1H9Q8000000000000000001/state/workflow.md".into(),
    }
}

fn packages() -> Vec<Golden> {
    let problem = WorkflowProblem {
        file: "workflow.graph.json".into(),
        pointer: "/nodes/2".into(),
        code: "missing_file".into(),
        message: "there is no file `steps/two.md`".into(),
    };
    let mut all = Vec::new();
    all.extend(method::<ListWorkflows>(
        &ListWorkflowsParams {
            project_id: Some(ids::project()),
        },
        &ListWorkflowsResult {
            workflows: vec![WorkflowInfo {
                id: "create-story".into(),
                source: SkillSource::Project,
                path: "/home/ada/src/.scorel/workflows/create-story".into(),
                name: Some("create-story".into()),
                version: Some("1.0.0".into()),
                description: Some("A story from the epics.".into()),
                workflows: vec!["main".into()],
                trust: Some(TrustState::Trusted),
                problems: 0,
                problem: None,
            }],
        },
    ));
    all.extend(method::<CheckWorkflow>(
        &CheckWorkflowParams {
            path: None,
            workflow: Some("create-story/main".into()),
            project_id: Some(ids::project()),
        },
        &CheckWorkflowResult {
            problems: Vec::new(),
            warnings: Vec::new(),
            plan: Some(json!({"entry": NODE})),
            plan_text: vec!["create-story 1.0.0".into()],
            digest: Some("a1".repeat(32)),
        },
    ));
    all.push(result_of::<CheckWorkflow>(
        ".problems",
        &CheckWorkflowResult {
            problems: vec![problem.clone()],
            warnings: vec![problem],
            plan: None,
            plan_text: Vec::new(),
            digest: None,
        },
    ));
    all
}

fn going_on() -> Vec<Golden> {
    let started = StartRunResult {
        run_id: ids::run(),
        session_id: ids::session(),
        seq: ids::seq(65_537),
    };
    let start = StartRunParams {
        project_id: ids::project(),
        workflow: "create-story".into(),
        confirm: "a1".repeat(32),
        agent_id: Some("sm".into()),
        autopilot: Some(true),
        variables: Some(variables()),
        input: Some("1-2".into()),
        model: Some("openai/gpt-5".into()),
        workspace: Some(AgentWorkspace::Worktree),
        command_id: Some(ids::command()),
    };
    let mut all = Vec::new();
    all.extend(method::<StartRun>(&start, &started));
    all.push(params_of::<StartRun>(
        ".minimal",
        &StartRunParams {
            agent_id: None,
            autopilot: None,
            variables: None,
            input: None,
            model: None,
            workspace: None,
            command_id: None,
            ..start
        },
    ));
    all.extend(method::<ResumeRun>(
        &ResumeRunParams {
            run_id: ids::run(),
            new_session: Some(true),
            variables: Some(variables()),
            input: Some("go on".into()),
            command_id: Some(ids::command()),
        },
        &started,
    ));
    all
}

fn reading() -> Vec<Golden> {
    let mut all = Vec::new();
    all.extend(method::<GetRun>(
        &GetRunParams { run_id: ids::run() },
        &found(),
    ));
    all.extend(method::<ListRuns>(
        &ListRunsParams {
            project_id: Some(ids::project()),
            limit: Some(10),
        },
        &ListRunsResult {
            runs: vec![run()],
            unreadable: vec![UnreadableRun {
                run_id: ids::run(),
                problem: "run.json is damaged".into(),
            }],
        },
    ));
    all
}

pub(super) fn all() -> Vec<Golden> {
    let (run_id, command_id) = (ids::run(), Some(ids::command()));
    let changed = RunResult { run: run() };
    let mut all = packages();
    all.extend(going_on());
    all.extend(reading());
    all.extend(method::<UpdateRun>(
        &UpdateRunParams {
            run_id,
            autopilot: Some(false),
            mode: Some(RunMode::Chat),
            goto: Some(NODE.into()),
            command_id: command_id.clone(),
        },
        &changed,
    ));
    all.extend(method::<RebindRun>(
        &RebindRunParams {
            run_id,
            digest: Some("5c".repeat(32)),
            command_id: command_id.clone(),
        },
        &changed,
    ));
    all.extend(method::<RepairRun>(
        &RepairRunParams {
            run_id,
            restore: RunRestore::LastGood,
            command_id: command_id.clone(),
        },
        &changed,
    ));
    all.extend(method::<DeleteRun>(
        &DeleteRunParams { run_id, command_id },
        &DeleteRunResult { run_id },
    ));
    all
}
