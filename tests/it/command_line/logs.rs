use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::Stdio;

use scorel_testkit::DaemonUnderTest;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{ChildStdout, Command};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD, scorelctl};

async fn until(lines: &mut Lines<BufReader<ChildStdout>>, part: &str) -> String {
    let search = async {
        loop {
            let line = lines.next_line().await.unwrap().expect("it goes on");
            if line.contains(part) {
                return line;
            }
        }
    };
    timeout(PATIENCE, search)
        .await
        .unwrap_or_else(|_| panic!("no line with {part}"))
}

fn printed(output: std::process::Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn the_log_is_printed_with_and_without_a_daemon() {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    let none = scorelctl(&daemon, &["logs"], &[]).await;
    assert!(none.status.success() && none.stdout.is_empty(), "{none:?}");
    assert!(
        String::from_utf8(none.stderr)
            .unwrap()
            .contains("no log in")
    );
    daemon.spawn().await;
    daemon.stop().await;
    let all = printed(scorelctl(&daemon, &["logs"], &[]).await);
    assert!(all.contains("starting"), "{all}");
    let last = printed(scorelctl(&daemon, &["logs", "--lines", "1"], &[]).await);
    assert_eq!(
        last.lines().collect::<Vec<_>>(),
        [all.lines().last().unwrap()]
    );
    let json = printed(scorelctl(&daemon, &["--json", "logs"], &[]).await);
    assert_eq!(json.lines().count(), all.lines().count());
    let line: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(line["level"], "INFO");
    assert!(line["time"].as_str().unwrap().starts_with("20"), "{line}");
    assert!(!daemon.socket().exists());
}

#[tokio::test]
async fn the_log_is_followed_across_a_restart_and_a_new_file() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    let mut followed = Command::new(SCORELCTL)
        .args(["logs", "-f", "-n", "1"])
        .env_clear()
        .env("SCOREL_HOME", daemon.home())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(followed.stdout.take().unwrap()).lines();
    timeout(PATIENCE, lines.next_line())
        .await
        .expect("a line")
        .unwrap();
    daemon.stop().await;
    daemon.spawn().await;
    until(&mut lines, "starting").await;
    // The next day's file, as the daemon begins one.
    let tomorrow = daemon.home().join("logs/scoreld.log.9999-12-31");
    let mut options = OpenOptions::new();
    let mut file = options.create(true).append(true).open(tomorrow).unwrap();
    writeln!(file, "9999-12-31T00:00:00Z  INFO scoreld: a new day").unwrap();
    until(&mut lines, "a new day").await;
    let pid = rustix::process::Pid::from_raw(followed.id().unwrap().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let ended = timeout(PATIENCE, followed.wait())
        .await
        .expect("it ends")
        .unwrap();
    assert_eq!(ended.code(), Some(0));
}
