//! Running the program.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use scorel_testkit::Deadline;
use serde_json::Value;
use tempfile::TempDir;

/// A home, a working directory and the program in them.
pub(crate) struct TestHome {
    directory: TempDir,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["home", "work"] {
            std::fs::create_dir(directory.path().join(name)).expect("a directory");
        }
        Self { directory }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub(crate) fn work(&self) -> PathBuf {
        let path = self.directory.path().join("work");
        path.canonicalize().expect("a directory")
    }

    /// The program with these arguments. It starts no daemon.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scorelctl"));
        command
            .arg("--no-start")
            .args(arguments)
            .env_clear()
            .env("SCOREL_HOME", self.home())
            .current_dir(self.work())
            .stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("it runs");
        let _deadline = Deadline::of(&child);
        Ended::new(child.wait_with_output().expect("it ends"))
    }

    /// Runs it with text on standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Ended {
        let mut running = Running::start(self.command(arguments).stdin(Stdio::piped()));
        let mut stdin = running.child.stdin.take().expect("a pipe");
        match stdin.write_all(input.as_bytes()) {
            // It may have ended without asking.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.expect("written"),
        }
        drop(stdin);
        running.wait()
    }
}

/// How the program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }

    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{self:#?}");
    }

    /// Standard output as JSON lines.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.out.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }
}

/// The program while it runs, with pipes for its output.
pub(crate) struct Running {
    pub(crate) child: Child,
    out: Option<BufReader<ChildStdout>>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let out = child.stdout.take().map(BufReader::new);
        Self { child, out }
    }

    /// The next line of its output.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        let out = self.out.as_mut().expect("a pipe");
        out.read_line(&mut line).expect("read");
        line
    }

    /// Closes the reading end of its output.
    pub(crate) fn stop_reading(&mut self) {
        self.out = None;
    }

    pub(crate) fn interrupt(&self) {
        let pid = Pid::from_raw(self.child.id().try_into().expect("a pid"));
        kill(pid, Signal::SIGINT).expect("signalled");
    }

    /// Everything that it writes, as bytes. It must end well.
    pub(crate) fn raw(mut self) -> Vec<u8> {
        let _deadline = Deadline::of(&self.child);
        let mut bytes = Vec::new();
        let mut out = self.out.take().expect("a pipe");
        out.read_to_end(&mut bytes).expect("read");
        assert!(self.child.wait().expect("it ends").success());
        bytes
    }

    /// Waits for the program to end; the output is the part that was not read yet.
    pub(crate) fn wait(mut self) -> Ended {
        let _deadline = Deadline::of(&self.child);
        let mut rest = String::new();
        if let Some(mut out) = self.out.take() {
            out.read_to_string(&mut rest).expect("text");
        }
        let mut ended = Ended::new(self.child.wait_with_output().expect("it ends"));
        ended.out = rest;
        ended
    }
}
