//! The daemon is killed behind a call of the scripted run, and nothing is left but the document and the package.

use std::fs;

use futures_util::{StreamExt as _, stream};
use scorel_proto::{CheckWorkflow, CheckWorkflowParams, ResumeRun, ResumeRunParams, RunPhase};
use scorel_testkit::{ModelReply, ResponseGate, ScriptedResponse, WireApi};
use serde_json::json;

use super::scene::{RunScene, StartedScene};
use super::script::Script;
use crate::under_test::connect;

/// Daemons that run at the same time.
const AT_ONCE: usize = 3;

fn rendered(reply: &ModelReply) -> ScriptedResponse {
    reply.render(WireApi::OpenAiCompletions, "test-model")
}

/// Starts the run.
async fn started<'a>(script: &Script, scene: &'a RunScene) -> StartedScene<'a> {
    let check = CheckWorkflowParams {
        workflow: Some(script.workflow.clone()),
        ..CheckWorkflowParams::default()
    };
    let checked = scene.call::<CheckWorkflow>(&check).await;
    let mut params = scene.plan_of(&script.workflow, checked.digest.unwrap());
    params.autopilot = Some(script.autopilot);
    scene.start_with(&params).await
}

/// The run is killed behind a number of calls, and goes on in a new session.
async fn the_document_is_enough(answered: usize) {
    let script = Script::read();
    let mut scene = RunScene::without_package().await;
    script.stage(&scene.daemon);
    let asks = 1 + script.calls.iter().position(|it| it.ends_turn()).unwrap();
    for call in &script.calls[..answered] {
        scene.model.answer(rendered(&call.reply()));
    }
    let gate = ResponseGate::new();
    let is_asked = answered != asks && answered < script.calls.len();
    if is_asked {
        let lost = ModelReply::default().text("Lost.").hold(&gate);
        scene.model.answer(rendered(&lost));
    }
    let (run_id, session) = {
        let mut started = started(&script, &scene).await;
        if answered >= asks {
            started.until("WaitingUser", "question").await;
        }
        if answered > asks {
            started.send(&script.input).await;
        }
        if is_asked {
            gate.reached().await;
        } else if answered > asks {
            started.until("Completed", "end_reached").await;
        }
        (started.run_id, started.session_id)
    };
    scene.daemon.kill().await;
    gate.open();
    let home = scene.daemon.home();
    fs::remove_dir_all(home.join("sessions").join(session.to_string())).unwrap();
    fs::remove_file(home.join("index")).ok();
    fs::remove_file(home.join("runs").join(run_id.to_string()).join("run.json")).unwrap();
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    let found = scene.get(run_id).await;
    let before = &script.calls[answered - 1].after;
    assert_eq!(found.steps_completed, before.completed);
    // Behind the last step nothing is left to do.
    if found.run.phase != RunPhase::Completed {
        let reads = json!({"path": "@state/workflow.md"}).to_string();
        let reads = ModelReply::default().tool_call("again", "fs_read", &reads);
        scene.model.answer(rendered(&reads));
        for call in &script.calls[answered..] {
            scene.model.answer(rendered(&call.reply()));
        }
        let params = ResumeRunParams {
            run_id,
            new_session: None,
            variables: None,
            input: (answered == asks).then(|| script.input.clone()),
            command_id: None,
        };
        let resumed = scene.call::<ResumeRun>(&params).await;
        assert_ne!(resumed.session_id, session);
        let mut resumed = scene.follow(resumed).await;
        if answered < asks {
            resumed.until("WaitingUser", "question").await;
            resumed.send(&script.input).await;
        }
        resumed.until("Completed", "end_reached").await;
    }
    let found = scene.get(run_id).await;
    let last = &script.calls.last().unwrap().after;
    assert_eq!(
        found.run.phase.name(),
        "Completed",
        "killed behind {answered}"
    );
    assert_eq!(
        found.steps_completed, last.completed,
        "killed behind {answered}"
    );
    assert_eq!(found.artifacts, last.artifacts, "killed behind {answered}");
    script.check_files(&scene.daemon);
}

/// Behind the second node, in the middle and at the last node; with `SCOREL_LONG`, behind each call.
#[tokio::test(flavor = "multi_thread")]
async fn killed_behind_any_call_the_run_comes_to_its_end_from_its_document() {
    let all = 1..=Script::read().calls.len();
    let is_long = std::env::var_os("SCOREL_LONG").is_some();
    let places = all.filter(|it| is_long || [3, 5, 7].contains(it));
    let killed = places.map(|place| Box::pin(the_document_is_enough(place)));
    let count = stream::iter(killed).buffer_unordered(AT_ONCE).count().await;
    println!("killed behind {count} calls");
}
