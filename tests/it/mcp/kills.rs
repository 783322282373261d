//! `kill -9` while a tool of a server runs.

use std::path::Path;

use serde_json::json;

use super::http_scene::HttpScene;
use super::scene::{Scene, Talk};
use crate::under_test::{send, until};

/// The daemons that are killed in each case. With `SCOREL_LONG` set it is twenty times as many.
const KILLS: usize = 2;

const RESUMES: &str = "mode = \"full\"\n[runtime]\nonRestart = \"resume\"";

fn kills() -> usize {
    match std::env::var_os("SCOREL_LONG") {
        Some(_) => KILLS * 20,
        None => KILLS,
    }
}

fn calls(scene: &Scene, tool: &str) -> usize {
    let calls = scene.noted("called").into_iter();
    calls.filter(|it| it["called"] == tool).count()
}

/// Kills the daemon each time that a call has reached the server.
async fn kill_in_calls(scene: &mut Scene, talk: &mut Talk) {
    for kill in 1..=kills() {
        scene.will_call("slow", &json!({}));
        send(&scene.client, talk.id, "go on").await;
        until(|| calls(scene, "slow") == kill).await;
        scene.kill_daemon().await;
        let seen = talk.look_again(&scene.client).await;
        let ended = seen.iter().filter(|it| it["type"] == "turn_outcome");
        // Each time before, this turn and the next one have ended.
        if ended.count() < 2 * kill - 1 {
            talk.until("turn_outcome").await;
        }
        let text = json!({"text": kill.to_string()});
        let result = scene.call(talk, "echo", &text).await;
        assert!(result.contains(&format!("echo: {kill}")), "{result}");
        let results = scene.results();
        let unknown = results
            .iter()
            .filter(|it| it.contains("outcome is unknown"));
        assert_eq!(unknown.count(), kill, "{results:?}");
        assert_eq!(calls(scene, "slow"), kill, "none is made again");
    }
}

#[tokio::test]
async fn a_call_to_a_program_is_not_made_again_and_the_program_ends() {
    for permissions in ["mode = \"full\"", RESUMES] {
        let mut scene = Scene::permitting(permissions, "modern", "").await;
        let mut talk = scene.talk().await;
        kill_in_calls(&mut scene, &mut talk).await;
        let mut started = scene.noted("started");
        assert_eq!(started.len(), kills() + 1);
        started.pop();
        let is_there = || {
            let mut pids = started.iter().map(|it| it["pid"].to_string());
            pids.any(|pid| Path::new("/proc").join(pid).join("exe").exists())
        };
        until(|| !is_there()).await;
    }
}

#[tokio::test]
async fn a_call_by_http_is_not_made_again() {
    for kind in ["modern", "session"] {
        let mut scene = HttpScene::of(kind).await;
        let mut talk = scene.talk().await;
        kill_in_calls(&mut scene, &mut talk).await;
    }
}
