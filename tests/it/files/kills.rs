//! The daemon is killed in the middle of a restore, and the next one carries it out.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    EventId, Phase, RestoreFiles, RestoreOptions, RestoreScope, Rewind, RewindParams,
};
use scorel_testkit::Strace;
use tokio::time::timeout;

use super::{Call, Scene, bash};
use crate::under_test::{PATIENCE, Watch, connect, has_sandbox, session};

/// Writes ten files, deletes five and makes five. Without variables: redirections to places that are not
/// known beforehand are asked about.
const SCRIPT: &str = "sed -i s/.*/changed/ w0 w1 w2 w3 w4 w5 w6 w7 w8 w9; rm d0 d1 d2 d3 d4; \
                      mkdir n1 n2 n3 n4 n5; echo new > n1/f; echo new > n2/f; echo new > n3/f; \
                      echo new > n4/f; echo new > n5/f";

/// System calls of a restore, and in which of them the daemon dies.
const POINTS: [(&str, u32); 10] = [
    ("renameat", 1),
    ("renameat", 10),
    ("renameat2", 1),
    ("renameat2", 5),
    ("unlinkat", 2),
    ("unlinkat", 17),
    ("unlinkat", 22),
    ("fsync", 2),
    ("fsync", 21),
    ("fsync", 38),
];

/// How the files are restored.
#[derive(Debug, Clone, Copy)]
enum RestoreBy {
    RestoreFiles,
    Rewind,
}

impl RestoreBy {
    /// The type of the record.
    const fn record(self) -> &'static str {
        match self {
            Self::RestoreFiles => "files_restore",
            Self::Rewind => "rewind",
        }
    }

    /// Restores the files that [`SCRIPT`] has changed.
    async fn call(
        self,
        scene: &Scene,
        client: &Connection,
        leaf: Option<EventId>,
    ) -> Result<(), ClientError> {
        match self {
            Self::RestoreFiles => {
                let params = scene.params(scene.first(), RestoreScope::All);
                client.call::<RestoreFiles>(&params).await.map(drop)
            }
            Self::Rewind => {
                let params = RewindParams {
                    session_id: scene.id,
                    target_event_id: None,
                    expected_leaf_id: leaf,
                    restore_files: Some(RestoreOptions {
                        scope: Some(RestoreScope::All),
                        on_conflict: None,
                    }),
                    command_id: None,
                };
                client.call::<Rewind>(&params).await.map(drop)
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_a_restore_the_next_daemon_carries_it_out() {
    if let Some(reason) = Strace::unavailable() {
        println!("skipped: {reason}");
        return;
    }
    if !has_sandbox() {
        return;
    }
    for by in [RestoreBy::RestoreFiles, RestoreBy::Rewind] {
        let mut died = 0;
        for (call, count) in POINTS {
            died += u32::from(die_at(by, call, count).await);
        }
        // Which thread makes a call varies, and with it the count.
        assert!(died > 4, "{by:?}: only {died} daemons died");
    }
}

async fn die_at(by: RestoreBy, call: &str, count: u32) -> bool {
    let mut scene = Scene::new(|project| {
        for number in 0..10 {
            fs::write(project.join(format!("w{number}")), format!("w{number}")).unwrap();
        }
        for number in 0..5 {
            fs::write(project.join(format!("d{number}")), format!("d{number}")).unwrap();
        }
    })
    .await;
    scene.turn(&[bash(SCRIPT)]).await;
    let leaf = session(&scene.client, scene.id).await.active_leaf_id;
    scene.daemon.stop().await;
    let inject = format!("inject={call}:signal=KILL:when={count}");
    let strace = Strace::new(scene.daemon.root(), &["-e".to_owned(), inject]);
    scene.daemon.run_under(strace.command());
    let died = match scene.daemon.try_spawn().await {
        Err(status) => status.signal() == Some(9),
        Ok(()) => {
            let died = match Connection::connect(&scene.daemon.socket()).await {
                Ok(client) => by.call(&scene, &client, leaf).await.is_err(),
                // It has died just after it was ready.
                Err(_) => true,
            };
            match died {
                true => drop(scene.daemon.wait().await),
                false => scene.daemon.kill().await,
            }
            died
        }
    };
    drop(strace.finish());
    let log = scene.log();
    let recorded = log.iter().any(|line| line["type"] == by.record());
    scene.daemon.run_under(Vec::new());
    scene.daemon.spawn().await;
    let client = connect(&scene.daemon.socket()).await;
    if recorded {
        // Not by the log: a record is in the file before it is in the session's state.
        let mut watch = Watch::from_start(&client, scene.id).await;
        let ended = timeout(PATIENCE, watch.until("files_restored")).await;
        ended.unwrap_or_else(|_| panic!("{call} {count}: the restore does not end"));
    } else {
        by.call(&scene, &client, leaf).await.unwrap();
    }
    for kind in ["w", "d"] {
        for number in 0..if kind == "w" { 10 } else { 5 } {
            let name = format!("{kind}{number}");
            assert_eq!(scene.read(&name), name, "{call} {count}");
        }
    }
    let mut left = fs::read_dir(scene.daemon.project()).unwrap();
    assert!(
        left.all(|entry| ["w", "d"].contains(&&entry.unwrap().file_name().to_str().unwrap()[..1])),
        "{call} {count}: a temporary file or a directory is left"
    );
    let log = scene.log();
    let ended = log
        .iter()
        .find(|line| line["type"] == "files_restored")
        .unwrap();
    assert!(ended.get("failed").is_none(), "{call} {count}: {ended}");
    let session = session(&client, scene.id).await;
    assert_eq!(session.phase, Phase::Idle);
    if matches!(by, RestoreBy::Rewind) {
        assert_eq!(session.active_leaf_id, None, "{call} {count}");
    }
    scene.daemon.stop().await;
    died
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_did_before_the_daemon_was_killed_is_recorded() {
    if !has_sandbox() {
        return;
    }
    let mut scene = Scene::new(|project| fs::write(project.join("a"), "before").unwrap()).await;
    let call = bash("echo after > a; touch done; echo written; sleep 1000");
    let mut watch = Watch::from_start(&scene.client, scene.id).await;
    scene.begin(&[call]).await;
    // Its output comes after its changes.
    watch.until("tool_execution_update").await;
    scene.daemon.kill().await;
    scene.daemon.spawn().await;
    let client = connect(&scene.daemon.socket()).await;
    session(&client, scene.id).await;
    let log = scene.log();
    let changes: Vec<_> = log
        .iter()
        .filter(|line| line["type"] == "message")
        .filter_map(|line| line["files"].as_array())
        .flatten()
        .map(|change| {
            (
                change["path"].as_str().unwrap(),
                change["by"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(changes, [("a", "command"), ("done", "command")]);
    let params = scene.params(scene.first(), RestoreScope::All);
    let restored = client.call::<RestoreFiles>(&params).await.unwrap();
    assert_eq!((restored.restored, scene.read("a").as_str()), (2, "before"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_was_killed_before_its_change_has_made_none() {
    if let Some(reason) = Strace::unavailable() {
        println!("skipped: {reason}");
        return;
    }
    let mut scene = Scene::new(|_| {}).await;
    scene.daemon.stop().await;
    let inject = "inject=renameat2:signal=KILL:when=1".to_owned();
    let strace = Strace::new(scene.daemon.root(), &["-e".to_owned(), inject]);
    scene.daemon.run_under(strace.command());
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    let input = serde_json::json!({ "path": "new", "content": "x" });
    scene.begin(&[Call("Write", input)]).await;
    scene.daemon.wait().await;
    drop(strace.finish());
    scene.daemon.run_under(Vec::new());
    scene.daemon.spawn().await;
    let client = connect(&scene.daemon.socket()).await;
    session(&client, scene.id).await;
    let log = scene.log();
    let started = log.iter().find(|line| line["type"] == "tool_started");
    assert_eq!(started.unwrap()["files"][0]["before"], "absent");
    let result = log
        .iter()
        .find(|line| line["message"]["role"] == "tool_result");
    assert!(result.unwrap().get("files").is_none());
    let left: Vec<_> = fs::read_dir(scene.daemon.project()).unwrap().collect();
    assert!(
        left.is_empty(),
        "neither the file nor its new content: {left:?}"
    );
}
