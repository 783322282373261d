use scorel_proto::{
    ActiveSession, CheckModel, CheckModelParams, CheckModelResult, ConfigProblem, ConfigStatus,
    CostTotal, DaemonExecutable, DaemonManager, DirectoryEntry, Discover, GarbageKind, GarbageRow,
    Gc, GcParams, GcResult, GetStatus, GetUsage, GetUsageParams, GetUsageResult, Hello,
    HelloParams, HelloResult, ListDirectories, ListDirectoriesParams, ListDirectoriesResult,
    ListModels, ListModelsParams, ListModelsResult, ListProjects, ListProjectsResult, Model,
    ModelDifference, ModelPrice, ModelProvider, NoParams, Phase, ProcessState, ProcessStatus,
    ProtocolRange, RegisterProject, RegisterProjectParams, RegisterProjectResult, RemoveProject,
    RemoveProjectParams, RemoveProjectResult, SearchStatus, SessionsByPhase, Shutdown,
    ShutdownParams, ShutdownResult, Status, StorageStatus, SubscribeHost, SubscriberStatus,
    ThinkingLevel, UnsubscribeHost, UnsubscribeParams, UpdateProject, UpdateProjectParams,
    UpdateProjectResult, Usage, UsageGrouping, UsageRow, UsageTotal,
};
use serde_json::{json, value::to_raw_value};

use super::{method, params_of, project, result_of};
use crate::golden::Golden;
use crate::samples::{ids, messages};

pub(super) fn all() -> Vec<Golden> {
    let mut all = Vec::new();
    all.extend(method::<Hello>(
        &HelloParams {
            client_id: Some(ids::client()),
            name: Some("scorelctl".into()),
            protocol: ProtocolRange { min: 1, max: 2 },
        },
        &HelloResult {
            protocol: 1,
            device_id: ids::device(),
            version: "0.1.0".into(),
        },
    ));
    let anonymous = HelloParams {
        client_id: None,
        name: None,
        protocol: ProtocolRange::SUPPORTED,
    };
    all.push(params_of::<Hello>(".anonymous", &anonymous));
    all.extend(method::<GetUsage>(&usage_params(), &usage_result()));
    all.extend(method::<GetStatus>(&NoParams {}, &status()));
    all.extend(method::<Gc>(
        &GcParams { apply: Some(true) },
        &GcResult {
            applied: true,
            rows: vec![GarbageRow {
                kind: GarbageKind::Blobs,
                items: 2,
                bytes: 4096,
            }],
            problems: vec!["session ses_01K1H9Q8000000000000000001: it has failed".into()],
        },
    ));
    all.extend(method::<Shutdown>(
        &ShutdownParams { park: Some(true) },
        &ShutdownResult { pid: 4711 },
    ));
    all.extend(method::<ListModels>(
        &ListModelsParams {
            project_id: Some(ids::project()),
            provider: None,
            live: None,
        },
        &models(),
    ));
    all.push(params_of::<ListModels>(
        ".offline",
        &ListModelsParams {
            project_id: None,
            provider: Some("openai".into()),
            live: Some(false),
        },
    ));
    all.extend(method::<CheckModel>(
        &CheckModelParams {
            project_id: None,
            model: Some("gpt-5-mini".into()),
        },
        &CheckModelResult {
            model: "openai/gpt-5-mini".into(),
            answered_by: Some("gpt-5-mini-2025-08-07".into()),
            usage: Some(Usage {
                input_tokens: 12,
                output_tokens: 64,
                ..Usage::default()
            }),
            duration_ms: 740,
            cut_off_at: Some(64),
        },
    ));
    all.extend(method::<Discover>(
        &NoParams {},
        &to_raw_value(&json!({"openrpc": "1.3.2"})).unwrap(),
    ));
    all.extend(method::<SubscribeHost>(&NoParams {}, &"s1".to_owned()));
    let unsubscribe = UnsubscribeParams {
        subscription: "s1".into(),
    };
    all.extend(method::<UnsubscribeHost>(&unsubscribe, &true));
    all.extend(projects());
    all
}

fn status() -> Status {
    Status {
        version: "0.1.0".into(),
        protocol: ProtocolRange::SUPPORTED,
        device_id: ids::device(),
        display_name: "workbench".into(),
        pid: 4711,
        home: "/home/ada/.scorel".into(),
        started_at: ids::TS,
        connections: 2,
        loaded_sessions: 1,
        active: vec![ActiveSession {
            session_id: ids::session(),
            phase: Phase::Running,
            turn_id: Some(ids::turn()),
            problem: None,
            storage_stalled: None,
        }],
        default_model: "demo/demo".into(),
        draining: false,
        config_problem: Some("config.toml:3:1: unknown key `modle`".into()),
        executable: Some(DaemonExecutable {
            path: "/home/ada/.cargo/bin/scoreld".into(),
            version: "0.1.0".into(),
            changed: true,
        }),
        manager: DaemonManager::Systemd,
        sessions_by_phase: SessionsByPhase {
            running: 1,
            ..SessionsByPhase::default()
        },
        questions: 1,
        subscribers: vec![SubscriberStatus {
            client_id: Some(ids::client()),
            session_id: ids::session(),
            lag_events: 7,
        }],
        resident_bytes: Some(31_457_280),
        storage: StorageStatus {
            free_bytes: Some(53_687_091_200),
            stalled_sessions: 1,
        },
        search: SearchStatus {
            compared: true,
            backlog_bytes: 1_048_576,
            behind_sessions: 2,
            problem: Some("the disk is full".into()),
        },
        config: ConfigStatus {
            generation: 3,
            problems: vec![ConfigProblem {
                path: "/home/ada/.scorel/config.toml".into(),
                line: Some(3),
                column: Some(1),
                key: None,
                message: "unknown key `modle`".into(),
                suggestion: Some("model".into()),
            }],
        },
        processes: vec![ProcessStatus {
            process: "extension:notes".into(),
            project_id: Some(ids::project()),
            state: ProcessState::Backoff,
            reason: Some("it exited with code 1".into()),
            starts_in_ms: Some(3_800),
            starts: 3,
            problems: vec!["3:1: `nmae`: there is no such key here; did you mean `name`?".into()],
        }],
        dropped_hook_runs: 3,
    }
}

fn models() -> ListModelsResult {
    ListModelsResult {
        models: vec![
            Model {
                provider: "openai".into(),
                id: "gpt-5-mini".into(),
                name: Some("GPT-5 mini".into()),
                context_window: Some(400_000),
                max_output_tokens: Some(128_000),
                reasoning: Some(true),
                images: Some(true),
                price: Some(ModelPrice {
                    input: 0.25,
                    output: 2.0,
                    cache_read: Some(0.025),
                    cache_write: None,
                    noted_on: Some("2026-11-21".into()),
                    estimated: true,
                }),
                thinking_levels: vec![ThinkingLevel::Low, ThinkingLevel::Xhigh, ThinkingLevel::Max],
                live: false,
                has_key: Some(false),
                source: Some("https://example.org/models".into()),
                unverified: true,
                retires_on: Some("2026-12-11".into()),
                successor: Some("gpt-6.1-terra".into()),
                differences: vec![ModelDifference {
                    property: "maxOutputTokens".into(),
                    table: "128000".into(),
                    listed: "64000".into(),
                }],
            },
            Model {
                provider: "ollama".into(),
                id: "qwen3".into(),
                name: None,
                context_window: None,
                max_output_tokens: None,
                reasoning: None,
                images: None,
                price: None,
                thinking_levels: Vec::new(),
                live: true,
                has_key: None,
                source: None,
                unverified: false,
                retires_on: None,
                successor: None,
                differences: Vec::new(),
            },
        ],
        providers: vec![
            ModelProvider {
                name: "openai".into(),
                key_variables: vec!["OPENAI_API_KEY".into()],
                has_key: false,
                local: false,
                custom: false,
                live: false,
                problem: Some("openai needs a key".into()),
                listed_at: Some(ids::TS),
            },
            ModelProvider {
                name: "lab".into(),
                key_variables: vec!["LAB_KEY".into()],
                has_key: true,
                local: false,
                custom: true,
                live: true,
                problem: None,
                listed_at: None,
            },
            ModelProvider {
                name: "ollama".into(),
                key_variables: Vec::new(),
                has_key: false,
                local: true,
                custom: false,
                live: true,
                problem: None,
                listed_at: None,
            },
        ],
        default_model: "demo/demo".into(),
    }
}

fn projects() -> Vec<Golden> {
    let mut all = Vec::new();
    all.extend(method::<ListDirectories>(
        &ListDirectoriesParams {
            path: Some("/home/ada".into()),
        },
        &ListDirectoriesResult {
            path: "/home/ada".into(),
            parent_path: Some("/home".into()),
            entries: vec![DirectoryEntry {
                name: "src".into(),
                path: "/home/ada/src".into(),
            }],
            truncated: false,
        },
    ));
    let root = ListDirectoriesResult {
        path: "/".into(),
        parent_path: None,
        entries: Vec::new(),
        truncated: true,
    };
    all.push(params_of::<ListDirectories>(
        ".home",
        &ListDirectoriesParams { path: None },
    ));
    all.push(result_of::<ListDirectories>(".root", &root));
    all.extend(method::<RegisterProject>(
        &RegisterProjectParams {
            work_dir: "/home/ada/src".into(),
            display_name: Some("Sources".into()),
            command_id: Some(ids::command()),
        },
        &RegisterProjectResult { project: project() },
    ));
    all.extend(method::<ListProjects>(
        &NoParams {},
        &ListProjectsResult {
            projects: vec![project()],
        },
    ));
    all.extend(method::<UpdateProject>(
        &UpdateProjectParams {
            project_id: ids::project(),
            display_name: "Sources".into(),
            command_id: Some(ids::command()),
        },
        &UpdateProjectResult { project: project() },
    ));
    all.extend(method::<RemoveProject>(
        &RemoveProjectParams {
            project_id: ids::project(),
            command_id: None,
        },
        &RemoveProjectResult {
            project_id: ids::project(),
        },
    ));
    all
}

fn usage_params() -> GetUsageParams {
    GetUsageParams {
        from: Some("2026-11-01".into()),
        to: Some("2026-11-22".into()),
        by: UsageGrouping::Project,
    }
}

fn usage_result() -> GetUsageResult {
    let total = UsageTotal {
        calls: 3,
        usage: messages::usage(),
        cost: CostTotal {
            micro_usd: 5_120,
            unpriced: 300,
        },
    };
    GetUsageResult {
        rows: vec![UsageRow {
            key: ids::project().to_string(),
            name: Some("scorel".into()),
            total,
        }],
        total,
        left_out: None,
        unreadable: vec![ids::session()],
    }
}
