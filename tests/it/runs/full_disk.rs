//! Runs on a full disk: a small tmpfs that only the daemon sees.

use std::fs;

use scorel_proto::{ErrorCode, StartRun, UpdateRun, UpdateRunParams};

use super::scene::{RunScene, write_package};
use crate::full_disk::{WITH_MOUNTS, cannot_mount, fill, inside};

/// A shell script that mounts a tmpfs for the runs of a home, and execs the daemon.
const SMALL_RUNS: &str = r#"
home=$1; shift
mkdir -p "$home/runs" && mount -t tmpfs -o size=64k,mode=700 scorel "$home/runs" && exec "$@"
"#;

#[tokio::test]
async fn on_a_full_disk_a_run_stays_as_it_is_and_a_start_leaves_nothing() {
    if let Some(reason) = cannot_mount() {
        println!("skipped: no file system of our own: {reason}");
        return;
    }
    let scene = RunScene::spawned("", |daemon| {
        let home = daemon.home().display().to_string();
        let wrapper = ["/bin/sh", "-c", WITH_MOUNTS, SMALL_RUNS, &home];
        daemon.run_under(wrapper.map(str::to_owned).to_vec());
    })
    .await;
    write_package(&scene.installed(), "1.0.0");
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    let document = inside(&scene.daemon, &scene.document(started.run_id));
    let before = fs::read_to_string(&document).unwrap();
    let runs = document.ancestors().nth(3).unwrap();
    let full = runs.join("full");
    fill(&full);

    let goto = UpdateRunParams {
        run_id: started.run_id,
        autopilot: None,
        mode: None,
        goto: Some("write".to_owned()),
        command_id: None,
    };
    let start = scene.plan().await;
    for error in [
        scene.refused::<UpdateRun>(&goto).await,
        scene.refused::<StartRun>(&start).await,
    ] {
        assert_eq!(error.code, ErrorCode::FilesystemError);
        assert!(error.message.contains("No space left"), "{}", error.message);
    }
    assert_eq!(fs::read_to_string(&document).unwrap(), before);
    let mut left: Vec<_> = fs::read_dir(runs)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    left.sort();
    let run = document.ancestors().nth(2).unwrap();
    assert_eq!(left, [full.as_path(), run]);

    fs::remove_file(full).unwrap();
    assert_eq!(scene.call::<UpdateRun>(&goto).await.run.node_id, "write");
    let mut other = scene.start_with(&start).await;
    other.until("WaitingUser", "question").await;
}
