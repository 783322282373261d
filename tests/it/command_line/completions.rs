//! Completions in real shells.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use scorel_testkit::DaemonUnderTest;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD, scorelctl};

/// A directory with the programs under their names, first on `PATH`.
struct InstalledPrograms(tempfile::TempDir);

impl InstalledPrograms {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        symlink(SCORELCTL, directory.path().join("scorelctl")).unwrap();
        symlink(SCORELD, directory.path().join("scoreld")).unwrap();
        Self(directory)
    }

    fn path(&self) -> OsString {
        let system = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.0.path().to_owned()).chain(std::env::split_paths(&system));
        std::env::join_paths(all).unwrap()
    }

    fn script(&self, shell: &str) -> PathBuf {
        // The name under which zsh finds it.
        let path = self
            .0
            .path()
            .join(if shell == "zsh" { "_scorelctl" } else { shell });
        if path.exists() {
            return path;
        }
        let output = Command::new(SCORELCTL)
            .env_clear()
            .args(["completions", shell])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        fs::write(&path, output.stdout).unwrap();
        path
    }
}

/// A shell that completes a line; `None`, with a remark, where it is not installed.
struct CompletingShell<'a> {
    name: &'static str,
    programs: &'a InstalledPrograms,
    daemon: &'a DaemonUnderTest,
}

impl CompletingShell<'_> {
    /// Asks until there are some: the program gives up after 300 ms, in which a busy daemon may not answer.
    fn some_candidates(&self, line: &str) -> Option<Vec<String>> {
        let begin = Instant::now();
        loop {
            let found = self.candidates(line)?;
            if !found.is_empty() || begin.elapsed() > PATIENCE {
                return Some(found);
            }
        }
    }

    fn candidates(&self, line: &str) -> Option<Vec<String>> {
        let script = self.programs.script(self.name);
        let script = script.to_str().unwrap();
        let code = match self.name {
            "bash" => bash(script, line),
            "fish" => format!("source {script}; complete --do-complete '{line}'"),
            _ => zsh(script, line),
        };
        let mut command = Command::new(self.name);
        if self.name == "zsh" {
            command.arg("-f");
        }
        let output = command
            .env_clear()
            .env("PATH", self.programs.path())
            .env("SCOREL_HOME", self.daemon.home())
            .env("HOME", self.daemon.root())
            .env("TERM", "xterm")
            .current_dir(self.daemon.project())
            .args(["-c", &code])
            .stdin(Stdio::null())
            .output();
        let Ok(output) = output else {
            println!("skipped: {} is not installed", self.name);
            return None;
        };
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.is_empty(), "{}: {errors}", self.name);
        let words = text
            .lines()
            .map(|line| line.split('\t').next().unwrap_or_default());
        Some(
            words
                .map(|word| word.trim().to_owned())
                .filter(|word| !word.is_empty())
                .collect(),
        )
    }
}

/// Calls the registered function as bash does at a press of the key.
fn bash(script: &str, line: &str) -> String {
    format!(
        "source {script}\n\
         line={line:?}\n\
         COMP_WORDS=($line); [[ $line == *' ' ]] && COMP_WORDS+=('')\n\
         COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9\n\
         _clap_complete_scorelctl scorelctl \"${{COMP_WORDS[COMP_CWORD]}}\" 2>&1\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
}

/// Loads the script as packages install it, from `fpath`, and calls it as the completion system does. Of
/// that system only what the script uses is there.
fn zsh(script: &str, line: &str) -> String {
    let directory = PathBuf::from(script);
    let directory = directory.parent().unwrap().display();
    format!(
        "compdef() {{ }}\n\
         _describe() {{ local candidate; for candidate in ${{(P)@[-1]}}; do print -r -- ${{candidate%%:*}}; done }}\n\
         fpath=({directory} $fpath); autoload -Uz _scorelctl\n\
         words=(${{(s: :)line::={line:?}}}); [[ $line == *' ' ]] && words+=('')\n\
         CURRENT=${{#words}}\n\
         _scorelctl"
    )
}

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

#[tokio::test]
async fn verbs_options_values_and_what_scoreld_runs_are_completed() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let programs = InstalledPrograms::new();
    for name in SHELLS {
        let (programs, daemon) = (&programs, &daemon);
        let shell = CompletingShell {
            name,
            programs,
            daemon,
        };
        for (line, expected) in [
            ("scorelctl sess", &["sessions"][..]),
            ("scorelctl show --la", &["--last"]),
            (
                "scorelctl --json send --while-running ",
                &["follow-up", "steer", "reject"],
            ),
            ("scorelctl queue co", &["convert"]),
            ("scorelctl completions ", &["bash", "zsh", "fish"]),
            ("scorelctl config un", &["unset"]),
            (
                "scorelctl --json config get runtime.maxSt",
                &["runtime.maxSteps"],
            ),
            ("scorelctl fsck --re", &["--repair"]),
            ("scorelctl show --session ", &[]),
        ] {
            let Some(found) = shell.candidates(line) else {
                break;
            };
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            for word in expected {
                assert!(found.contains(word), "{name}, {line}: {found:?}");
            }
            assert!(
                expected.is_empty() == found.is_empty(),
                "{name}, {line}: {found:?}"
            );
        }
        assert!(!daemon.socket().exists(), "{name} has started a daemon");
    }
}

#[tokio::test]
async fn a_running_daemon_knows_the_sessions() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let sent = scorelctl(&daemon, &["send", "--detach", "why: does it [stop]"], &[]).await;
    let id = String::from_utf8(sent.stdout).unwrap().trim().to_owned();
    let end = &id[id.len() - 6..];
    let programs = InstalledPrograms::new();
    for name in SHELLS {
        let (programs, daemon) = (&programs, &daemon);
        let shell = CompletingShell {
            name,
            programs,
            daemon,
        };
        let Some(found) = shell.some_candidates("scorelctl show --session ") else {
            continue;
        };
        assert_eq!(found, [end], "{name}");
        let typed = format!("scorelctl show -s {}", &id[..8]);
        assert_eq!(shell.some_candidates(&typed).unwrap(), [&*id], "{name}");
        assert_eq!(
            shell
                .some_candidates("scorelctl send --runner sco")
                .unwrap(),
            ["scorel"],
            "{name}"
        );
    }
}

/// A daemon that does not answer costs the shell less than the time in which a person notices.
#[tokio::test]
async fn a_daemon_that_does_not_answer_is_not_waited_for() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let pid = Pid::from_raw(daemon.pid().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let programs = InstalledPrograms::new();
    let shell = CompletingShell {
        name: "bash",
        programs: &programs,
        daemon: &daemon,
    };
    // What it takes to make the script is not measured.
    programs.script(shell.name);
    let begin = Instant::now();
    let found = shell.candidates("scorelctl show --session ");
    let waited = begin.elapsed();
    kill_process(pid, Signal::CONT).unwrap();
    if let Some(found) = found {
        assert!(found.is_empty(), "{found:?}");
        // The limit is 300 ms; the rest is for a busy machine.
        assert!(waited.as_secs() < 60, "{waited:?}");
    }
}
