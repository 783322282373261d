//! Cancelled turns of agents.

use std::time::Instant;

use rustix::process::Signal;
use scorel_client::Connection;
use scorel_proto::{PermissionDecision, SessionId};
use scorel_testkit::{AgentCli, ResponseGate};

use super::pipes::NamedPipe;
use super::scene::{AgentScene, answer, runner, say};
use super::{cancel, only, processes, send_to};
use crate::under_test::{Watch, new_session};

#[tokio::test]
async fn codex_is_cancelled_in_each_phase() {
    cancelled_in_each_phase(AgentCli::Codex).await;
}

#[tokio::test]
async fn claude_is_cancelled_in_each_phase() {
    cancelled_in_each_phase(AgentCli::Claude).await;
}

#[tokio::test]
async fn gemini_is_cancelled_in_each_phase() {
    cancelled_in_each_phase(AgentCli::Gemini).await;
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    /// The model has not answered.
    Model,
    /// The model has, and has not ended.
    Text,
    Question,
    /// A command runs, with a child in the background.
    Command,
    /// The model has not answered, and the program cannot hear that it shall end.
    Stopped,
}

const PHASES: [Phase; 5] = [
    Phase::Model,
    Phase::Text,
    Phase::Question,
    Phase::Command,
    Phase::Stopped,
];

async fn cancelled_in_each_phase(cli: AgentCli) {
    let Some(scene) = AgentScene::start(&[cli], "cancelSeconds = 2", "").await else {
        return;
    };
    let (client, id) = new_session(&scene.daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    for phase in PHASES {
        let gate = reach(phase, &scene, cli, (&client, id, &mut watch)).await;
        let begun = Instant::now();
        cancel(&client, id).await;
        let events = watch.until("turn_outcome").await;
        println!(
            "{} cancelled at {phase:?}: {:?}",
            cli.name(),
            begun.elapsed()
        );
        assert_eq!(only(&events, "turn_outcome")["reason"], "cancelled");
        // A program that ended its turn by itself stays for the next one.
        let is_kept = only(&events, "runner_exit")["kept"] == true;
        if !is_kept {
            processes::wait_until_gone(scene.home.path());
        }
        gate.open();

        let heard = format!("after {phase:?}");
        scene.agents.forget_replies();
        scene.reply(say("still here"));
        send_to(&client, id, runner(cli), &heard).await;
        let events = watch.until("turn_outcome").await;
        assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
        let requests = scene.agents.requests();
        let last = requests.last().unwrap();
        assert!(last.contains("at Model") && last.contains(&heard), "{last}");
        let told = last.matches("The user cancelled the work").count();
        assert!(told > 0, "{phase:?}: {last}");
    }
}

/// Begins a turn and waits until it is in the phase.
async fn reach(
    phase: Phase,
    scene: &AgentScene,
    cli: AgentCli,
    (client, id, watch): (&Connection, SessionId, &mut Watch),
) -> ResponseGate {
    let gate = ResponseGate::new();
    let begun = scene.daemon.project().join("begun");
    let mut pipe = None;
    match phase {
        Phase::Model | Phase::Stopped => scene.reply(say("never").hold(&gate)),
        Phase::Text => scene.reply(say("some text").stall(&gate)),
        Phase::Question => scene.reply(cli.command("call_q", "touch unwanted")),
        Phase::Command => {
            pipe = Some(NamedPipe::make(&begun));
            scene.reply(cli.command("call_c", "touch seen; sleep 4000 & echo >begun; sleep 4000"));
        }
    }
    send_to(client, id, runner(cli), &format!("at {phase:?}")).await;
    match phase {
        Phase::Model => gate.reached().await,
        Phase::Stopped => {
            gate.reached().await;
            processes::signal(scene.home.path(), Signal::STOP);
        }
        // Gemini tells its text when it is complete.
        Phase::Text if cli == AgentCli::Gemini => gate.reached().await,
        Phase::Text => {
            watch.until("text_delta").await;
        }
        Phase::Question => {
            watch.until("permission_request").await;
        }
        Phase::Command => {
            let asked = watch.until("permission_request").await;
            let asked = asked.last().unwrap();
            answer(client, id, asked, PermissionDecision::Once).await;
            pipe.unwrap().written().await;
        }
    }
    gate
}
