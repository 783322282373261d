use scorel_proto::{Anchors, ClientName, ConfigLayer, EndReason, HostEvent, SyncMarker, SyncMode};

use super::ids;
use super::methods::{agent, in_flight, permission_answer, project, question, runtime, session};
use crate::golden::Golden;

pub(super) fn all() -> Vec<Golden> {
    let markers = markers().into_iter();
    let host = host().into_iter();
    let mut all: Vec<Golden> = markers
        .map(|(name, marker)| Golden::of::<SyncMarker>(format!("marker/{name}"), &marker))
        .chain(host.map(|(name, event)| Golden::of::<HostEvent>(format!("host/{name}"), &event)))
        .collect();
    let anchors = Anchors {
        persistent_last_seq: ids::seq(4),
        stream_last_seq: Some(ids::seq(9)),
        persistent_last_id: None,
    };
    all.push(Golden::of("anchors", &anchors));
    all.push(Golden::of("anchors.none", &Anchors::default()));
    all
}

fn markers() -> Vec<(&'static str, SyncMarker)> {
    let session_id = ids::session();
    let start = |mode, reason: Option<&str>| SyncMarker::SyncStart {
        session_id,
        mode,
        reason: reason.map(str::to_owned),
    };
    let end = |reason| SyncMarker::End { session_id, reason };
    vec![
        ("sync_start.resume", start(SyncMode::StreamResume, None)),
        (
            "sync_start.fallback",
            start(SyncMode::PersistentFallback, None),
        ),
        (
            "sync_start.reload",
            start(SyncMode::FullReload, Some("no anchors were given")),
        ),
        (
            "in_flight",
            SyncMarker::InFlight {
                session_id,
                in_flight: in_flight(),
            },
        ),
        (
            "sync_end",
            SyncMarker::SyncEnd {
                session_id,
                through_seq: ids::seq(9),
            },
        ),
        ("end.deleted", end(EndReason::Deleted)),
        ("end.failed", end(EndReason::Failed)),
        ("end.shutting_down", end(EndReason::ShuttingDown)),
    ]
}

fn client() -> ClientName {
    ClientName {
        client_id: ids::client(),
        name: "scorelctl".into(),
    }
}

fn host() -> Vec<(&'static str, HostEvent)> {
    let snapshot = HostEvent::Snapshot {
        version: 1,
        projects: vec![project()],
        sessions: vec![session()],
        more: false,
        runtimes: vec![runtime()],
        questions: vec![question()],
        questions_cursor: Some(ids::request()),
        clients: vec![client()],
    };
    let changed = HostEvent::SessionChanged {
        version: 3,
        session: Box::new(session()),
    };
    let project_removed = HostEvent::ProjectRemoved {
        version: 4,
        project_id: ids::project(),
    };
    let runtime_changed = HostEvent::AgentTaskChanged {
        version: 6,
        runtime: Box::new(runtime()),
    };
    let session_removed = HostEvent::SessionRemoved {
        version: 5,
        session_id: ids::session(),
    };
    let mut all = vec![
        ("snapshot", snapshot),
        (
            "project_added",
            HostEvent::ProjectAdded {
                version: 2,
                project: project(),
            },
        ),
        (
            "project_changed",
            HostEvent::ProjectChanged {
                version: 11,
                project: project(),
            },
        ),
        ("project_removed", project_removed),
        ("session_changed", changed),
        ("session_removed", session_removed),
        ("runtime_changed", runtime_changed),
        (
            "client_changed",
            HostEvent::ClientChanged {
                version: 12,
                clients: vec![client()],
            },
        ),
        (
            "agent_changed",
            HostEvent::AgentChanged {
                version: 7,
                project_id: Some(ids::project()),
                agent: Box::new(agent()),
            },
        ),
        (
            "agent_changed.own",
            HostEvent::AgentChanged {
                version: 8,
                project_id: None,
                agent: Box::new(agent()),
            },
        ),
    ];
    all.extend(configuration());
    all.extend(questions());
    all
}

fn questions() -> [(&'static str, HostEvent); 3] {
    let opened = HostEvent::QuestionOpened {
        version: 12,
        question: Box::new(question()),
    };
    let closed = |answer| HostEvent::QuestionClosed {
        version: 13,
        session_id: ids::session(),
        request_id: ids::request(),
        answer,
    };
    [
        ("question_opened", opened),
        ("question_closed", closed(Some(permission_answer()))),
        ("question_closed.unanswered", closed(None)),
    ]
}

fn configuration() -> Vec<(&'static str, HostEvent)> {
    let changed = |project_id, layer, keys: &[&str], removed| HostEvent::ConfigChanged {
        version: 9,
        layer,
        project_id,
        generation: 3,
        keys: keys.iter().map(|&key| key.to_owned()).collect(),
        restart_needed: keys.iter().any(|key| key.starts_with("rpc.")),
        removed,
    };
    let invalid = |line, suggestion: Option<&str>| HostEvent::ConfigInvalid {
        version: 10,
        project_id: None,
        path: "/home/ada/.scorel/config.toml".into(),
        line,
        column: line.map(|_| 1),
        message: "unknown section or key `modle`".into(),
        suggestion: suggestion.map(str::to_owned),
    };
    let keys = ["rpc.maxCalls", "runtime.maxSteps"];
    vec![
        (
            "config_changed",
            changed(None, ConfigLayer::User, &keys, false),
        ),
        (
            "config_changed.removed",
            changed(
                Some(ids::project()),
                ConfigLayer::Project,
                &["model.id"],
                true,
            ),
        ),
        (
            "config_changed.env",
            changed(None, ConfigLayer::Env, &[], false),
        ),
        ("config_invalid", invalid(Some(3), Some("model"))),
        ("config_invalid.no_place", invalid(None, None)),
    ]
}
