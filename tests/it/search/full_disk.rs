//! The index on a disk of its own that is full: its files are mounted from there.

use std::path::Path;

use scorel_client::Connection;
use scorel_proto::{GetStatus, NoParams, SearchStatus};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use tokio::time::timeout;

use super::{call, wait_for, words};
use crate::full_disk::{WITH_MOUNTS, cannot_mount, in_namespace};
use crate::under_test::{INDEX_PATIENCE, SCORELD, Watch, append, new_session, send};

/// Room for the empty index and its log, and not for 400 KB of text.
const SMALL_DISK: &str = r#"
home=$1; shift
mkdir -m 700 "$home/index-disk" &&
mount -t tmpfs -o size=256k,mode=700 scorel "$home/index-disk" &&
for file in search.db search.db-wal search.db-shm; do
    touch "$home/index-disk/$file" "$home/$file" &&
    mount --bind "$home/index-disk/$file" "$home/$file" || exit 1
done
exec "$@"
"#;

const ROOM: &str = "mount -o remount,size=64m $1";

async fn search_status(client: &Connection) -> SearchStatus {
    client.call::<GetStatus>(&NoParams {}).await.unwrap().search
}

/// Waits until the status says why the index is not up to date.
async fn told_problem(client: &Connection) -> String {
    let asking = async {
        loop {
            if let Some(problem) = search_status(client).await.problem {
                return problem;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(INDEX_PATIENCE, asking).await.expect("it is told")
}

/// Waits until the status has no problem: the hits can be seen before it is cleared.
async fn told_no_problem(client: &Connection) {
    let asking = async {
        while search_status(client).await.problem.is_some() {
            tokio::task::yield_now().await;
        }
    };
    timeout(INDEX_PATIENCE, asking)
        .await
        .expect("the problem goes away");
}

fn home_with_small_disk(daemon: &mut DaemonUnderTest) -> String {
    let home = daemon.home().display().to_string();
    let wrapper = ["/bin/sh", "-c", WITH_MOUNTS, SMALL_DISK, &home];
    daemon.run_under(wrapper.map(str::to_owned).to_vec());
    home
}

#[tokio::test]
async fn a_full_disk_delays_the_index_and_no_turn() {
    if let Some(reason) = cannot_mount() {
        println!("skipped: no file system of our own: {reason}");
        return;
    }
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    let home = home_with_small_disk(&mut daemon);
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    for number in 0..3 {
        let text = format!("walrus{number} {}", distinct_words(number));
        append(&client, id, text).await;
    }
    let problem = told_problem(&client).await;
    assert!(problem.contains("full"), "{problem}");

    let mut watch = Watch::from_start(&client, id).await;
    watch.until("sync_end").await;
    send(&client, id, "Is the otter there?").await;
    let end = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(end["reason"], "completed", "{end}");
    let behind = call(&client, &words("otter")).await;
    assert!(behind.behind_bytes > 0, "{behind:?}");

    in_namespace(&daemon, ROOM, &Path::new(&home).join("index-disk"));
    for word in ["walrus0", "walrus1", "walrus2", "otter"] {
        wait_for(&client, &words(word), 1).await;
    }
    told_no_problem(&client).await;
    assert!(!daemon.errors().contains("panicked"), "{}", daemon.errors());
}

/// Words that the index cannot share, 400 KB.
fn distinct_words(number: usize) -> String {
    let words = (0..40_000).map(|index| format!("w{number}x{index:06}"));
    words.collect::<Vec<_>>().join(" ")
}
