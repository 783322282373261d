//! `scorelctl graph --follow` at two terminals, and agents in `scorelctl sessions`.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::time::timeout;

use super::scene::AgentScene;
use crate::under_test::{PATIENCE, SCORELCTL, connect, scorelctl};

struct Follower {
    child: Child,
    out: Lines<BufReader<ChildStdout>>,
    err: Lines<BufReader<ChildStderr>>,
}

impl Follower {
    fn start(scene: &AgentScene) -> Self {
        let mut command = Command::new(SCORELCTL);
        command
            .env_clear()
            .env("SCOREL_HOME", scene.daemon.home())
            .current_dir(scene.daemon.project())
            .args(["graph", "--no-start", "--follow", &scene.lead.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap()).lines();
        let err = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, out, err }
    }

    /// By SIGTERM: SIGINT may be ignored, as in a suite that a shell has put into the background.
    fn terminate(&self) {
        let pid = Pid::from_raw(self.child.id().unwrap().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
    }

    async fn ended(mut self) -> ExitStatus {
        timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap()
    }
}

/// Reads up to a line that has all these words.
async fn until<R: AsyncRead + Unpin>(lines: &mut Lines<BufReader<R>>, words: &[&str]) {
    let found = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if words.iter().all(|word| line.contains(word)) {
                return;
            }
        }
        panic!("it ends before {words:?}");
    };
    timeout(PATIENCE, found)
        .await
        .unwrap_or_else(|_| panic!("not shown: {words:?}"));
}

#[tokio::test]
async fn a_graph_is_followed_by_two_over_a_restart_until_each_ends() {
    let mut scene = AgentScene::new().await;
    let gate = scene.parts.hold("one");
    let mut followers = [Follower::start(&scene), Follower::start(&scene)];
    for follower in &mut followers {
        until(&mut follower.out, &["ID", "AGENT", "STATUS"]).await;
    }
    scene.spawn("developer", "one").await;
    for follower in &mut followers {
        until(&mut follower.out, &["developer", "running", "one"]).await;
    }
    gate.open();
    for follower in &mut followers {
        until(&mut follower.out, &["developer", "completed", "one"]).await;
    }
    let listed = scorelctl(&scene.daemon, &["sessions"], &[]).await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("  └ developer: one"), "{listed}");

    scene.daemon.kill().await;
    for follower in &mut followers {
        until(&mut follower.err, &["connection was lost"]).await;
    }
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    scene.spawn("developer", "two").await;
    for follower in &mut followers {
        until(&mut follower.out, &["developer", "completed", "two"]).await;
    }
    let [ended, mut left] = followers;
    ended.terminate();
    let by_signal = Some(Signal::TERM.as_raw());
    assert_eq!(ended.ended().await.signal(), by_signal);
    scene.daemon.kill().await;
    until(&mut left.err, &["connection was lost"]).await;
    left.terminate();
    assert_eq!(left.ended().await.signal(), by_signal);
    let mut late = Follower::start(&scene);
    until(&mut late.err, &["error: "]).await;
    until(&mut late.err, &["hint: "]).await;
    assert_eq!(late.ended().await.code(), Some(7));
}
