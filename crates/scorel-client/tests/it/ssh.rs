use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use scorel_client::{ClientError, SshDaemon, SshProblem};
use scorel_proto::ClientId;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// A program in the place of ssh.
struct FakeSsh(TempDir);

impl FakeSsh {
    fn new(script: &str) -> Self {
        let fake = Self(tempfile::tempdir().expect("a directory"));
        let text = format!("cd {}\n{script}", fake.0.path().display());
        fs::write(fake.path("script"), text).expect("written");
        // A link, since a program that was just written may still be open in another test's child.
        let program = fake.path("ssh");
        let runner = "#!/bin/sh\nexec sh \"${0%/*}/script\" \"$@\"\n";
        let new = fake.path("new");
        let made = std::process::Command::new("sh")
            .args(["-c", "printf %s \"$1\" > \"$2\"", "sh", runner])
            .arg(&new)
            .status();
        assert!(made.expect("run").success());
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).expect("a mode");
        fs::rename(&new, program).expect("in place");
        fake
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn daemon(&self) -> SshDaemon {
        let host = "anna@build".parse().expect("a host");
        SshDaemon::new("build", host).program(self.path("ssh"))
    }

    async fn problem(&self) -> (SshProblem, String) {
        let connected = self
            .daemon()
            .connect(ClientId::generate(), "test", true)
            .await;
        match connected {
            Err(ClientError::Ssh(error)) => (error.problem, error.said),
            other => panic!("{other:?}"),
        }
    }

    /// The numbers that the script wrote.
    fn pids(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.path("pids")).unwrap_or_default();
        let lines = text
            .split_inclusive('\n')
            .filter_map(|line| line.strip_suffix('\n'));
        lines.map(|line| line.parse().expect("a pid")).collect()
    }
}

#[tokio::test]
async fn ssh_gets_its_options_the_host_behind_dashes_and_the_command() {
    let fake = FakeSsh::new("printf '%s\\n' \"$@\" > arguments\nexit 255\n");
    fake.problem().await;
    let words = fs::read_to_string(fake.path("arguments")).expect("arguments");
    assert!(words.starts_with("-T\n-o\nBatchMode=yes\n"), "{words}");
    assert!(
        words.ends_with("\n--\nanna@build\nscorelctl\nstdio\n"),
        "{words}"
    );
    let connected = fake
        .daemon()
        .connect(ClientId::generate(), "test", false)
        .await;
    assert!(connected.is_err());
    let words = fs::read_to_string(fake.path("arguments")).expect("arguments");
    assert!(
        words.ends_with("\nscorelctl\n--no-start\nstdio\n"),
        "{words}"
    );
}

#[tokio::test]
async fn the_end_of_ssh_is_told_with_its_last_words() {
    for (script, problem, said) in [
        (
            "echo x: command not found >&2; exit 127",
            SshProblem::NoScorelctl,
            "x: command not found",
        ),
        ("exit 7", SshProblem::NoDaemon, ""),
        ("kill -9 $$", SshProblem::Lost, ""),
        (
            "exec >&-; echo late >&2; exit 3",
            SshProblem::Other(3),
            "late",
        ),
        ("cat > /dev/null; exit 4", SshProblem::Other(4), ""),
    ] {
        // The last one ends when the handshake's connection does.
        let script = if script.starts_with("cat") {
            format!("echo no JSON\n{script}\n")
        } else {
            format!("{script}\n")
        };
        let fake = FakeSsh::new(&script);
        assert_eq!(fake.problem().await, (problem, said.to_owned()), "{script}");
    }
    let missing = FakeSsh::new("").daemon().program("/nonexistent/ssh");
    let connected = missing.connect(ClientId::generate(), "test", true).await;
    let error = connected.expect_err("no program");
    assert!(error.hint().expect("a hint").contains("openssh-client"));
    assert!(!error.may_pass());
}

/// Also what it has started, which has the same process group.
#[tokio::test]
async fn an_ssh_that_ignores_signals_does_not_stay() {
    let fake = FakeSsh::new(
        "trap '' TERM HUP INT\n(echo started; exec sleep 1000) &\necho $! >> pids\necho $$ >> pids\nwait\n\
         while :; do sleep 1; done\n",
    );
    let daemon = fake.daemon();
    let mut connecting = Box::pin(daemon.connect(ClientId::generate(), "test", true));
    let begun = Instant::now();
    while fake.pids().len() < 2 {
        assert!(begun.elapsed() < PATIENCE);
        tokio::select! {
            ended = &mut connecting => assert!(ended.is_err()),
            () = tokio::time::sleep(Duration::from_millis(5)) => {}
        }
        if fake.pids().len() == 2 {
            break;
        }
    }
    drop(connecting);
    for pid in fake.pids() {
        while kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH) && !is_zombie(pid) {
            assert!(begun.elapsed() < PATIENCE, "{pid} is left");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// An orphan is waited for by the first process of the machine, which a container may lack.
fn is_zombie(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.contains("State:\tZ")
}

/// There is no runtime any more that could wait.
#[test]
fn at_the_end_of_the_program_it_does_not_stay_either() {
    let fake = FakeSsh::new("trap '' TERM\necho $$ >> pids\nwhile :; do sleep 0.01; done\n");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let begun = Instant::now();
    runtime.block_on(async {
        let daemon = fake.daemon();
        let mut connecting = Box::pin(daemon.connect(ClientId::generate(), "test", true));
        while fake.pids().is_empty() {
            assert!(begun.elapsed() < PATIENCE);
            tokio::select! {
                ended = &mut connecting => panic!("{ended:?}"),
                () = tokio::time::sleep(Duration::from_millis(5)) => {}
            }
        }
    });
    runtime.shutdown_background();
    let pid = fake.pids()[0];
    while kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH) && !is_zombie(pid) {
        assert!(begun.elapsed() < PATIENCE, "it is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}
