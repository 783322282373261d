//! Output whose reader has gone.

use std::process::Stdio;

use scorel_testkit::DaemonUnderTest;
use tokio::process::Command;
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD, output, scorelctl};

/// Command lines that print something.
const LINES: &[&str] = &[
    "--help",
    "--version",
    "send --help",
    "sessions",
    "sessions --all",
    "search hello",
    "projects",
    "show",
    "show --last 1",
    "show --prompt",
    "tail",
    "tail --no-follow",
    "queue",
    "tree",
    "files",
    "context",
    "usage",
    "usage --by session",
    "models --offline",
    "runners",
    "runners contexts",
    "agents",
    "runtimes",
    "graph",
    "worktrees",
    "skills",
    "channels list",
    "trust",
    "approve",
    "status",
    "status --short",
    "call getStatus",
    "logs",
    "logs -f",
    "gc",
    "wait",
    "export --output -",
    "export --format jsonl --output -",
    "config show",
    "config get model.provider",
    "config check",
    "doctor",
    "fsck",
    "completions bash",
    "completions zsh",
    "completions fish",
];

fn command(daemon: &DaemonUnderTest, line: &str) -> Command {
    let mut command = Command::new(SCORELCTL);
    command
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(daemon.project())
        .args(line.split(' '))
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

#[tokio::test]
async fn a_reader_that_has_gone_is_no_failure() {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("[agents.reviewer]\ndescription = \"Reads.\"\n");
    daemon.spawn().await;
    let sent = scorelctl(&daemon, &["send", "hello"], &[]).await;
    assert!(sent.status.success(), "{sent:?}");
    for json in [false, true] {
        for line in LINES {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let line = if json {
                format!("--json {line}")
            } else {
                (*line).to_owned()
            };
            let child = command(&daemon, &line).stdout(writer).spawn().unwrap();
            let ended = timeout(PATIENCE, child.wait_with_output()).await;
            let ended = ended.unwrap_or_else(|_| panic!("{line} goes on")).unwrap();
            assert!(
                ended.status.success() && !complains(&ended.stderr),
                "{line}: {ended:?}"
            );
        }
    }
}

/// Whether stderr has an error or a hint, and not only remarks on the output.
fn complains(stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr).to_lowercase();
    ["error", "panick", "pipe", "hint"]
        .iter()
        .any(|word| text.contains(word))
}

#[tokio::test]
async fn one_line_of_a_long_conversation_is_enough_for_head() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let long = "word ".repeat(20_000);
    let sent = scorelctl(&daemon, &["send", "--detach", &long], &[]).await;
    assert!(sent.status.success(), "{sent:?}");
    let shell = format!("{SCORELCTL} show | head -c 10; exit ${{PIPESTATUS[0]}}");
    let mut command = Command::new("bash");
    command
        .env_clear()
        .env("SCOREL_HOME", daemon.home())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(daemon.project())
        .args(["-c", &shell]);
    let output = output(&mut command).await;
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
    assert_eq!(output.stdout.len(), 10);
}

#[tokio::test]
async fn what_goes_into_a_pipe_has_no_escape_sequence() {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("");
    daemon.spawn().await;
    let sent = scorelctl(&daemon, &["send", "hello"], &[]).await;
    assert!(sent.status.success(), "{sent:?}");
    for line in LINES
        .iter()
        .filter(|line| !["tail", "logs -f"].contains(line))
    {
        let output = output(&mut command(&daemon, line)).await;
        let both = [output.stdout, output.stderr].concat();
        assert!(
            !both.contains(&0x1b),
            "{line}: {}",
            String::from_utf8_lossy(&both)
        );
    }
}
