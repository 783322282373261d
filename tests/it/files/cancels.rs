//! A restore is slow, and a client watches and cancels it.

use std::fs;
use std::process::Command;

use futures_util::future::join_all;
use scorel_proto::{
    Cancel, CancelParams, GetSession, GetSessionParams, Phase, RestoreFiles, RestoreScope,
};
use scorel_testkit::{Strace, Terminal};
use serde_json::{Value, json};

use super::{Scene, bash};
use crate::under_test::{SCORELCTL, Watch, connect, has_sandbox, session};

const FILES: usize = 1000;

/// A command has made files, and the daemon takes some 20 ms to delete one: a busy machine has the time to cancel.
async fn slow() -> Option<(Scene, Strace)> {
    if let Some(reason) = Strace::unavailable() {
        println!("skipped: {reason}");
        return None;
    }
    if !has_sandbox() {
        return None;
    }
    let mut scene = Scene::new(|_| {}).await;
    let script = format!("mkdir n; seq {FILES} | split -l 1 -a 3 - n/");
    scene.turn(&[bash(&script)]).await;
    scene.daemon.stop().await;
    let strace = slowed(&mut scene);
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    Some((scene, strace))
}

fn slowed(scene: &mut Scene) -> Strace {
    // Each file costs two of these calls: one may have a temporary file.
    let inject = "inject=unlinkat:delay_enter=10000".to_owned();
    let strace = Strace::new(scene.daemon.root(), &["-e".to_owned(), inject]);
    scene.daemon.run_under(strace.command());
    strace
}

impl Scene {
    fn left(&self) -> usize {
        fs::read_dir(self.path("n")).unwrap().count()
    }

    fn cancel(&self) -> CancelParams {
        serde_json::from_value(json!({ "sessionId": self.id })).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_restore_stays_cancelled_when_the_daemon_is_killed() {
    let Some((mut scene, strace)) = slow().await else {
        return;
    };
    let params = scene.params(scene.first(), RestoreScope::All);
    let client = connect(&scene.daemon.socket()).await;
    let mut watch = Watch::from_start(&scene.client, scene.id).await;
    let restoring = tokio::spawn(async move { client.call::<RestoreFiles>(&params).await });
    let progress = watch.until("restore_progress").await.pop().unwrap();
    assert_eq!(progress["total"], FILES);
    let done = progress["done"].as_u64().unwrap();
    assert!(0 < done && done < FILES as u64, "{progress}");
    let control = connect(&scene.daemon.socket()).await;
    let cancelled = control.call::<Cancel>(&scene.cancel()).await.unwrap();
    assert!(cancelled.cancelled && cancelled.seq.is_some());
    scene.daemon.kill().await;
    drop(strace.finish());
    assert!(restoring.await.unwrap().is_err());
    scene.daemon.run_under(Vec::new());
    scene.daemon.spawn().await;
    let client = connect(&scene.daemon.socket()).await;
    let mut watch = Watch::from_start(&client, scene.id).await;
    let ended = watch.until("files_restored").await.pop().unwrap();
    let failed = ended["failed"].as_array().unwrap();
    let is_cancelled = |file: &Value| file["error"] == "the restore was cancelled";
    assert!(failed.iter().all(is_cancelled), "{ended}");
    assert!(0 < scene.left() && scene.left() < FILES);
    assert_eq!(failed.len(), scene.left());
    assert_eq!(session(&client, scene.id).await.phase, Phase::Idle);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_the_next_daemon_finishes_shows_its_progress() {
    let Some((mut scene, strace)) = slow().await else {
        return;
    };
    let params = scene.params(scene.first(), RestoreScope::All);
    let client = connect(&scene.daemon.socket()).await;
    let mut watch = Watch::from_start(&scene.client, scene.id).await;
    let restoring = tokio::spawn(async move { client.call::<RestoreFiles>(&params).await });
    watch.until("restore_progress").await;
    scene.daemon.kill().await;
    assert!(restoring.await.unwrap().is_err());
    drop(strace.finish());
    // Slow again, so that the restore takes long enough to be watched. Each strace traces one run.
    let strace = slowed(&mut scene);
    scene.daemon.spawn().await;
    let client = connect(&scene.daemon.socket()).await;
    let mut watch = Watch::from_start(&client, scene.id).await;
    let progress = watch.until("restore_progress").await.pop().unwrap();
    assert_eq!(progress["total"], FILES);
    scene.client = client;
    let cancelled = scene.client.call::<Cancel>(&scene.cancel()).await.unwrap();
    assert!(cancelled.cancelled && cancelled.seq.is_some());
    watch.until("files_restored").await;
    drop((scene, strace));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_gets_past_the_reads_that_follow_a_restore() {
    let Some((scene, strace)) = slow().await else {
        return;
    };
    let params = scene.params(scene.first(), RestoreScope::All);
    let read = GetSessionParams {
        session_id: scene.id,
    };
    let (client, cancel) = (&scene.client, scene.cancel());
    // More than a connection has calls in flight, all on one connection and in this order.
    let (restored, reads, cancelled) = tokio::join!(
        client.call::<RestoreFiles>(&params),
        join_all((0..100).map(|_| client.call::<GetSession>(&read))),
        client.call::<Cancel>(&cancel),
    );
    assert!(cancelled.unwrap().cancelled);
    let phases = reads.into_iter().map(|it| it.unwrap().session.phase);
    assert!(phases.into_iter().any(|phase| phase == Phase::Preparing));
    let restored = restored.unwrap();
    assert_eq!(restored.failed.len(), scene.left());
    assert_ne!(restored.failed, []);
    drop((scene, strace));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_shows_progress_on_a_terminal() {
    let Some((scene, strace)) = slow().await else {
        return;
    };
    let mut command = Command::new(SCORELCTL);
    command
        .args(["files", "restore", "--all"])
        .env_clear()
        .env("SCOREL_HOME", scene.daemon.home())
        .current_dir(scene.daemon.project());
    let Some(mut terminal) = Terminal::start(&command) else {
        return;
    };
    terminal.until(" of 1000 files");
    let cancelled = scene.client.call::<Cancel>(&scene.cancel()).await;
    assert!(cancelled.unwrap().cancelled);
    terminal.until("files not restored");
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(1), "{shown}");
    assert!(
        shown.contains("was not restored: the restore was cancelled"),
        "{shown}"
    );
    drop((scene, strace));
}
