use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::UnixDatagram;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::canary::check_home;

/// The time limit for what normally happens at once; generous, since CI machines are busy and a daemon may
/// itself take 41 s to stop.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// A real daemon process with its own home and project in a temporary directory.
///
/// Dropping it kills the process. The process does not inherit the environment of the tests.
#[derive(Debug)]
pub struct DaemonUnderTest {
    program: PathBuf,
    root: TempDir,
    variables: Vec<(String, String)>,
    /// A command to run the program under; empty for none.
    wrapper: Vec<String>,
    child: Option<Child>,
    /// Its home has a secret, which is looked for in the end.
    has_canary: bool,
}

impl DaemonUnderTest {
    /// Creates the home and an empty project without starting `program`.
    ///
    /// # Panics
    ///
    /// If the directories cannot be created.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        // A socket path is limited to 108 bytes, which the default temporary directory may exceed.
        let root = tempfile::Builder::new()
            .prefix("sc")
            .tempdir_in("/tmp")
            .expect("a directory");
        fs::create_dir(root.path().join("project")).expect("a directory for the project");
        Self {
            program: program.into(),
            root,
            variables: Vec::new(),
            wrapper: Vec::new(),
            child: None,
            has_canary: false,
        }
    }

    /// Starts a daemon and waits until it accepts connections.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn start(program: impl Into<PathBuf>) -> Self {
        let mut daemon = Self::new(program);
        daemon.spawn().await;
        daemon
    }

    /// Sets an environment variable for the next start.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs the program under a wrapper from the next start on. The wrapper has to exec the program
    /// that follows its arguments, as `strace -D` does, so that signals and exit status are the
    /// program's. An empty wrapper is none.
    pub fn run_under(&mut self, wrapper: Vec<String>) {
        self.wrapper = wrapper;
    }

    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    pub fn socket(&self) -> PathBuf {
        self.home().join("scoreld.sock")
    }

    /// # Panics
    ///
    /// If the process does not run.
    pub fn pid(&self) -> u32 {
        self.child
            .as_ref()
            .and_then(Child::id)
            .expect("the daemon runs")
    }

    /// # Panics
    ///
    /// If the file cannot be written.
    pub fn write_project_file(&self, name: &str, text: &str) {
        fs::write(self.project().join(name), text).expect("a writable project");
    }

    /// Replaces the user's configuration. The home and the file are private, as the daemon demands. At once:
    /// a daemon that runs could otherwise find the file empty, which is valid.
    ///
    /// # Panics
    ///
    /// If the file cannot be written.
    pub fn configure(&self, toml: &str) {
        fs::DirBuilder::new()
            .recursive(true)
            .create(self.home())
            .expect("a home");
        fs::set_permissions(
            self.home(),
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        )
        .expect("a private home");
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(self.home().join("config.toml.new"))
            .expect("a writable home");
        file.write_all(toml.as_bytes()).expect("a writable file");
        fs::rename(
            self.home().join("config.toml.new"),
            self.home().join("config.toml"),
        )
        .expect("a writable home");
    }

    /// Configures a model at a chat-completions endpoint, such as a
    /// [`ModelServer`](crate::ModelServer)'s.
    pub fn configure_model(&self, base_url: &str) {
        self.configure(&format!(
            "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"test\"\n\
             id = \"test-model\"\nbaseUrl = \"{base_url}\"\n"
        ));
    }

    /// Appends to the user's configuration.
    ///
    /// # Panics
    ///
    /// If the file cannot be written.
    pub fn configure_more(&self, toml: &str) {
        let path = self.home().join("config.toml");
        let text = fs::read_to_string(path).unwrap_or_default();
        self.configure(&format!("{text}\n{toml}"));
    }

    /// Gives the home a key of this name, with the value [`CANARY`](crate::CANARY). When this is dropped, the value
    /// must be in no other file of the home and in no command line.
    ///
    /// # Panics
    ///
    /// If the file cannot be written.
    pub fn keep_canary(&mut self, name: &str) {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600);
        let file = options.open(self.home().join("env"));
        let line = format!("{name}={}\n", crate::CANARY);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("a writable home");
        self.has_canary = true;
    }

    /// Starts the process and waits for its readiness notification.
    ///
    /// # Panics
    ///
    /// If it exits or does not become ready in time.
    pub async fn spawn(&mut self) {
        if let Err(status) = self.try_spawn().await {
            panic!("the daemon exited with {status:?}: {}", self.errors());
        }
    }

    /// Starts the process and waits for its readiness notification.
    ///
    /// # Errors
    ///
    /// The exit status if it exits before.
    ///
    /// # Panics
    ///
    /// If it does not become ready in time.
    pub async fn try_spawn(&mut self) -> Result<(), ExitStatus> {
        let notify = self.root.path().join("notify");
        let _none_yet: std::io::Result<()> = fs::remove_file(&notify);
        let socket = UnixDatagram::bind(&notify).expect("a socket for the readiness");
        let errors = File::options()
            .create(true)
            .append(true)
            .open(self.root.path().join("stderr"))
            .expect("a file for errors");
        let mut child = self
            .command()
            .arg("--home")
            .arg(self.home())
            .env_clear()
            .env("NOTIFY_SOCKET", &notify)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .kill_on_drop(true)
            .spawn()
            .expect("the daemon starts");
        tokio::select! {
            () = ready(&socket) => {}
            status = child.wait() => return Err(status.expect("a child's status")),
        }
        self.child = Some(child);
        Ok(())
    }

    fn command(&self) -> Command {
        match self.wrapper.split_first() {
            None => Command::new(&self.program),
            Some((wrapper, arguments)) => {
                let mut command = Command::new(wrapper);
                command.args(arguments).arg(&self.program);
                command
            }
        }
    }

    /// The standard error of all starts so far.
    pub fn errors(&self) -> String {
        fs::read_to_string(self.root.path().join("stderr")).unwrap_or_default()
    }

    /// Sends SIGKILL and waits for the exit.
    ///
    /// # Panics
    ///
    /// If it does not run.
    pub async fn kill(&mut self) {
        let mut child = self.child.take().expect("the daemon runs");
        child.kill().await.expect("the daemon can be killed");
    }

    /// Sends SIGINT and waits for the exit: running turns end.
    ///
    /// # Panics
    ///
    /// If the process does not run or does not exit in time.
    pub async fn stop(&mut self) -> ExitStatus {
        self.signal(Signal::SIGINT);
        self.wait().await
    }

    /// Sends SIGTERM and waits for the exit: running turns are parked.
    ///
    /// # Panics
    ///
    /// If the process does not run or does not exit in time.
    pub async fn park(&mut self) -> ExitStatus {
        self.signal(Signal::SIGTERM);
        self.wait().await
    }

    /// # Panics
    ///
    /// If the process does not run.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid()).expect("a pid");
        kill(Pid::from_raw(pid), signal).expect("the daemon can be signalled");
    }

    /// Waits for the exit.
    ///
    /// # Panics
    ///
    /// If the process does not run or does not exit in time.
    pub async fn wait(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("the daemon runs");
        let ended = timeout(TIME_LIMIT, child.wait()).await;
        ended
            .expect("the daemon ends in time")
            .expect("a child's status")
    }

    /// The resident set size in KiB.
    ///
    /// # Panics
    ///
    /// If the process does not run.
    pub fn resident_kib(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// The part of the resident set that is not of files, in KiB: mostly the heap.
    ///
    /// # Panics
    ///
    /// If the process does not run.
    pub fn anonymous_kib(&self) -> u64 {
        self.memory("RssAnon:")
    }

    /// The peak resident set size since [`DaemonUnderTest::reset_peak`], in KiB.
    ///
    /// # Panics
    ///
    /// If the process does not run.
    pub fn peak_kib(&self) -> u64 {
        self.memory("VmHWM:")
    }

    /// Resets the peak of the resident set size.
    ///
    /// # Panics
    ///
    /// If the process does not run.
    pub fn reset_peak(&self) {
        let path = format!("/proc/{}/clear_refs", self.pid());
        // 5 resets VmHWM; see proc(5).
        fs::write(path, "5").expect("the process is ours");
    }

    fn memory(&self, field: &str) -> u64 {
        let path = format!("/proc/{}/status", self.pid());
        let status = fs::read_to_string(path).expect("the process's status");
        let line = status.lines().find(|line| line.starts_with(field));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number
            .and_then(|number| number.parse().ok())
            .expect("a number of KiB")
    }

    /// The CPU time used so far, user and system, in ticks of 10 ms.
    ///
    /// # Panics
    ///
    /// If the process does not run.
    pub fn cpu_ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid()));
        let stat = stat.expect("the process's times");
        // The name in parentheses may itself contain spaces and parentheses.
        let (_, fields) = stat.rsplit_once(") ").expect("the name is in parentheses");
        let times = fields.split(' ').skip(11).take(2);
        times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
    }

    /// The number of open file descriptors.
    ///
    /// # Panics
    ///
    /// If the process does not run.
    pub fn descriptors(&self) -> usize {
        self.open_files().len()
    }

    /// The targets of the open file descriptors: a path, or a kind of file and its inode. Prefer it to the
    /// number where only some kinds matter: the daemon opens files of its own after it accepts connections.
    ///
    /// # Panics
    ///
    /// If the process does not run.
    pub fn open_files(&self) -> Vec<PathBuf> {
        let dir = fs::read_dir(format!("/proc/{}/fd", self.pid()));
        dir.expect("the process's descriptors")
            .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
            .collect()
    }

    /// The lines of a session's log, the header first. Without an unterminated last one: it is being
    /// written, or its daemon was killed in the middle.
    ///
    /// # Panics
    ///
    /// If the log does not exist or a line is not JSON.
    pub fn log(&self, session_id: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.log_path(session_id)).expect("a log");
        let parse = |line| serde_json::from_str(line).expect("a line of JSON");
        let terminated = text.rfind('\n').map_or(0, |end| end + 1);
        text[..terminated].lines().map(parse).collect()
    }

    pub fn log_path(&self, session_id: &str) -> PathBuf {
        self.session_dir(session_id).join("events.jsonl")
    }

    pub fn session_dir(&self, session_id: &str) -> PathBuf {
        self.home().join("sessions").join(session_id)
    }

    /// The directory that contains home and project; deleted on drop.
    pub fn root(&self) -> &Path {
        self.root.path()
    }
}

impl Drop for DaemonUnderTest {
    fn drop(&mut self) {
        if self.has_canary && !std::thread::panicking() {
            check_home(&self.home());
        }
    }
}

/// Waits for `READY=1`, the notification of `sd_notify(3)`.
async fn ready(socket: &UnixDatagram) {
    let mut buffer = [0; 4096];
    let notified = async {
        loop {
            let len = socket.recv(&mut buffer).await.expect("a datagram");
            if buffer[..len]
                .split(|byte| *byte == b'\n')
                .any(|line| line == b"READY=1")
            {
                return;
            }
        }
    };
    timeout(TIME_LIMIT, notified)
        .await
        .expect("the daemon is ready in time");
}
