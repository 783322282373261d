//! Commands whose processes try to stay, through the tools.

use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::session::{Session, canary, processes, wait_for_end};
use crate::shapes::SHAPES;
use crate::trial;

/// How soon nothing may be left. Generous, since machines are busy; the wait ends as soon as nothing is.
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy)]
enum Ending {
    Cancel,
    Timeout,
    BashStop,
}

pub(crate) fn trials() -> Vec<Trial> {
    let endings = [Ending::Cancel, Ending::Timeout, Ending::BashStop];
    let cells = SHAPES
        .iter()
        .flat_map(|shape| endings.map(|ending| (shape, ending)));
    let trials = cells.map(|((name, script), ending)| {
        let name = format!("runaways::{name}_{ending:?}_leaves_nothing").to_lowercase();
        trial(&name, move || check(script, ending))
    });
    trials.collect()
}

async fn check(script: &str, ending: Ending) {
    let session = Session::new();
    let canary = canary();
    let script = script.replace("$C", &canary);
    let ended_at = match ending {
        Ending::Cancel => cancel(&session, &script).await,
        Ending::Timeout => {
            let input = json!({ "command": script, "timeoutMs": 1500 });
            session.call("Bash", input).await;
            Instant::now()
        }
        Ending::BashStop => stop(&session, &script).await,
    };
    while let Some(left) = LIMIT.checked_sub(ended_at.elapsed()) {
        if processes(&canary).is_empty() || left.is_zero() {
            break;
        }
        wait_for_end(&canary);
    }
    assert_eq!(processes(&canary), [0; 0]);
}

/// Cancels the call when the script has said that it is ready, and returns when that was.
async fn cancel(session: &Session, script: &str) -> Instant {
    let (updates, mut shown) = watch::channel(None::<Value>);
    let cancel = CancellationToken::new();
    let input = json!({ "command": script });
    let call = session.call_with("Bash", input, updates, cancel.clone());
    let is_ready = |update: &Option<Value>| {
        let text = update.as_ref().and_then(|update| update["text"].as_str());
        text.is_some_and(|text| text.contains("ready"))
    };
    let cancelling = async {
        // Some have ended before it was seen.
        let _seen = shown.wait_for(is_ready).await.is_ok();
        cancel.cancel();
        Instant::now()
    };
    tokio::join!(call, cancelling).1
}

async fn stop(session: &Session, script: &str) -> Instant {
    let input = json!({ "command": script, "background": true });
    let id = session.call("Bash", input).await.details["id"].clone();
    session.until_ready(&id).await;
    let asked_at = Instant::now();
    session.call("BashStop", json!({ "id": id })).await;
    asked_at
}
