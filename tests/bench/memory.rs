use std::path::Path;
use std::time::Duration;

use scorel_testkit::DaemonUnderTest;
use serde_json::json;
use tokio::time::sleep;

use crate::figure::{Figure, Goal, rounded};
use crate::stand::Filled;
use crate::wire::Wire;

/// The idle time before memory is measured.
const QUIET: Duration = Duration::from_secs(5);

pub(crate) async fn idle(program: &Path) -> Figure {
    let daemon = DaemonUnderTest::start(program).await;
    sleep(QUIET).await;
    Figure {
        name: "memory idle",
        value: daemon.resident_kib() as f64,
        unit: "KiB",
        goal: Goal::AtMost {
            must: 18.0 * 1024.0,
            aim: 15.0 * 1024.0,
        },
        with: json!({}),
    }
}

/// The memory of a loaded, idle session.
pub(crate) async fn loaded(filled: &Filled) -> Figure {
    let daemon = &filled.daemon;
    sleep(QUIET).await;
    let before = daemon.resident_kib();
    let mut wire = Wire::connect(&daemon.socket()).await;
    for session in &filled.sessions {
        let params = json!({"sessionId": session, "afterSeq": 0, "limit": 1});
        wire.call("getEvents", &params).await;
    }
    sleep(QUIET).await;
    let status = wire.call("getStatus", &json!({})).await;
    let sessions = filled.sessions.len() as f64;
    let events = filled.events as f64 / sessions;
    let value = (daemon.resident_kib() - before) as f64 / sessions;
    let allowed = 64.0 + 64.0 * events / 1024.0;
    Figure {
        name: "memory per loaded idle session",
        value,
        unit: "KiB",
        goal: Goal::AtMost {
            must: allowed,
            aim: allowed,
        },
        with: json!({
            "loadedSessions": status["loadedSessions"],
            "eventsPerSession": rounded(events),
            "idleKib": before,
        }),
    }
}
