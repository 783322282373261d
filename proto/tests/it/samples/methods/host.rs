use scorel_proto::{
    ActiveSession, DirectoryEntry, Discover, GetStatus, Hello, HelloParams, HelloResult,
    ListDirectories, ListDirectoriesParams, ListDirectoriesResult, ListModels, ListModelsParams,
    ListModelsResult, ListProjects, ListProjectsResult, Model, NoParams, Phase, ProtocolRange,
    RegisterProject, RegisterProjectParams, RegisterProjectResult, RemoveProject,
    RemoveProjectParams, RemoveProjectResult, Shutdown, ShutdownResult, Status, SubscribeHost,
    UnsubscribeHost, UnsubscribeParams,
};
use serde_json::json;

use super::{method, params_of, project, result_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let mut all = Vec::new();
    all.extend(method::<Hello>(
        &HelloParams {
            client_id: Some(ids::client()),
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
        protocol: ProtocolRange::SUPPORTED,
    };
    all.push(params_of::<Hello>(".anonymous", &anonymous));
    all.extend(method::<GetStatus>(&NoParams {}, &status()));
    all.extend(method::<Shutdown>(
        &NoParams {},
        &ShutdownResult { pid: 4711 },
    ));
    all.extend(method::<ListModels>(
        &ListModelsParams {
            project_id: Some(ids::project()),
        },
        &models(),
    ));
    all.extend(method::<Discover>(
        &NoParams {},
        &json!({"openrpc": "1.3.2"}),
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
        }],
        default_model: "demo/demo".into(),
        draining: false,
        config_problem: Some("config.toml:3:1: unknown key `modle`".into()),
    }
}

fn models() -> ListModelsResult {
    ListModelsResult {
        models: vec![Model {
            provider: "demo".into(),
            id: "demo".into(),
            context_window: 128_000,
            max_output_tokens: 4_096,
        }],
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
