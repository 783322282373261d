use std::fs;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use scorel_testkit::Deadline;
use serde_json::Value;

/// How long a message may take before the test is given up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A home and a service manager's socket, in a directory that goes with this value.
pub(crate) struct TestHome {
    pub(crate) dir: tempfile::TempDir,
    manager: UnixDatagram,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let manager = UnixDatagram::bind(dir.path().join("notify")).unwrap();
        manager.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { dir, manager }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.home()).unwrap();
        fs::set_permissions(self.home(), PermissionsExt::from_mode(0o700)).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    /// The program with this home and this service manager. It goes through a shell, which runs
    /// `before` first and puts it in its own place.
    pub(crate) fn command_after(&self, before: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!("{before}\nexec \"$@\""))
            .arg("sh");
        command.arg(env!("CARGO_BIN_EXE_scoreld"));
        command
            .env_clear()
            .env("SCOREL_HOME", self.home())
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.dir.path());
        command.env("NOTIFY_SOCKET", self.dir.path().join("notify"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn command(&self) -> Command {
        self.command_after("")
    }

    /// The program as a person starts it: without a service manager.
    pub(crate) fn command_by_hand(&self) -> Command {
        let mut command = self.command();
        command.env_remove("NOTIFY_SOCKET");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let child = self.command().args(arguments).spawn().unwrap();
        let _deadline = Deadline::of(&child);
        child.wait_with_output().unwrap()
    }

    /// Starts a daemon and waits until it is ready.
    pub(crate) fn start(&self) -> Daemon {
        self.start_with(&mut self.command())
    }

    /// Starts a daemon as a person does, and waits until it is ready.
    pub(crate) fn start_by_hand(&self) -> Daemon {
        let mut daemon = Daemon(self.command_by_hand().spawn().unwrap());
        let _deadline = Deadline::of(&daemon.0);
        let mut log = BufReader::new(daemon.0.stderr.as_mut().unwrap()).lines();
        assert!(log.any(|line| line.unwrap().contains("ready")), "it ended");
        daemon
    }

    pub(crate) fn start_with(&self, command: &mut Command) -> Daemon {
        let mut daemon = Daemon(command.spawn().unwrap());
        match self.receive() {
            Ok(message) if message.starts_with("READY=1\n") => daemon,
            other => panic!("{other:?} instead of ready: {}", daemon.stderr()),
        }
    }

    /// The next message to the service manager.
    pub(crate) fn message(&self) -> String {
        self.receive().expect("a message to the service manager")
    }

    fn receive(&self) -> io::Result<String> {
        let mut buffer = [0; 1024];
        let len = self.manager.recv(&mut buffer)?;
        Ok(String::from_utf8(buffer[..len].to_vec()).unwrap())
    }

    /// Sends messages to the service manager until the kernel has no room for more.
    pub(crate) fn fill_messages(&self) {
        let other = UnixDatagram::unbound().unwrap();
        other.set_nonblocking(true).unwrap();
        let address = self.manager.local_addr().unwrap();
        while other.send_to_addr(b"STATUS=other", &address).is_ok() {}
    }

    pub(crate) fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(self.path("scoreld.sock"))
    }

    pub(crate) fn information(&self) -> Option<Value> {
        serde_json::from_slice(&fs::read(self.path("daemon.json")).ok()?).ok()
    }

    /// What the daemon wrote to its log.
    pub(crate) fn log(&self) -> String {
        let files = fs::read_dir(self.path("logs")).unwrap();
        files
            .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
            .collect()
    }

    /// Stops a daemon that went to the background, and waits until it has gone.
    pub(crate) fn stop_background(&self) {
        let Some(information) = self.information() else {
            return;
        };
        let pid = i32::try_from(information["pid"].as_i64().unwrap()).unwrap();
        if kill(Pid::from_raw(pid), Signal::SIGTERM).is_ok() {
            wait_for_lock(&self.path("scoreld.lock"));
        }
    }
}

/// Waits until the lock is free.
fn wait_for_lock(path: &Path) {
    let file = fs::File::open(path).unwrap();
    fs2::FileExt::lock_exclusive(&file).unwrap();
}

/// A daemon in the foreground, killed if the test does not end it.
pub(crate) struct Daemon(pub(crate) Child);

impl Daemon {
    pub(crate) fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.0.id()).unwrap())
    }

    pub(crate) fn stop(&mut self) -> ExitStatus {
        self.signal(Signal::SIGTERM);
        self.wait()
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let _deadline = Deadline::of(&self.0);
        self.0.wait().unwrap()
    }

    pub(crate) fn stderr(&mut self) -> String {
        let mut text = String::new();
        let _ = self.0.kill();
        self.0
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        text
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a command to its end, which must come in time.
pub(crate) fn output(command: &mut Command) -> Output {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let _deadline = Deadline::of(&child);
    child.wait_with_output().unwrap()
}

/// The exit code and the text of stderr.
pub(crate) fn ended(output: &Output) -> (Option<i32>, String) {
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}
