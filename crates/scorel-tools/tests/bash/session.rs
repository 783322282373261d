//! A session with a project.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use scorel_engine::{
    BegunCall, BlobSink, CommandAccess, HiddenFiles, Permit, ToolCall, ToolContext, ToolList,
    ToolOutcome, ToolPlan, ToolUpdates,
};
use scorel_exec::{Environment, ResourceLimits, Supervisors};
use scorel_proto::{BlobHash, Block};
use scorel_tools::{CommandSettings, Commands, PackageCaches, ProjectTools, ToolHost};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub(crate) struct Session {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) tools: ProjectTools,
    /// What the gate grants to every command.
    access: CommandAccess,
    /// What the gate hides from every command.
    pub(crate) hidden: Option<Arc<dyn HiddenFiles>>,
    pub(crate) blobs: Arc<Blobs>,
}

/// Blobs in memory.
#[derive(Debug, Default)]
pub(crate) struct Blobs {
    pub(crate) stored: Mutex<Vec<Vec<u8>>>,
    /// True if there is no room for more.
    pub(crate) full: AtomicBool,
}

impl BlobSink for Blobs {
    fn store(&self, content: &[u8]) -> io::Result<BlobHash> {
        if self.full.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.stored.lock().unwrap().push(content.to_vec());
        "0".repeat(64)
            .parse()
            .map_err(|_| io::Error::other("no hash"))
    }
}

impl Session {
    pub(crate) fn new() -> Self {
        Self::with(CommandAccess::Workspace { network: false })
    }

    pub(crate) fn with(access: CommandAccess) -> Self {
        Self::with_settings(access, true, ResourceLimits::default())
    }

    /// A session whose commands may use no more than this.
    pub(crate) fn with_limits(limits: ResourceLimits) -> Self {
        Self::with_settings(CommandAccess::Workspace { network: false }, true, limits)
    }

    /// A session whose commands cannot get mounts of their own.
    pub(crate) fn without_mounts() -> Self {
        let access = CommandAccess::Workspace { network: false };
        Self::with_settings(access, false, ResourceLimits::default())
    }

    fn with_settings(access: CommandAccess, mounts: bool, limits: ResourceLimits) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["project/src", "home"] {
            fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        fs::write(directory.path().join("home/key"), "hidden").unwrap();
        fs::write(directory.path().join("project/file"), "text").unwrap();
        Self::at(directory, "project", access, |settings| {
            settings.mounts = mounts;
            settings.spaces = mounts;
            settings.limits = limits;
        })
    }

    /// A session with a project in `directory` and settings that were changed.
    pub(crate) fn at(
        directory: tempfile::TempDir,
        project: &str,
        access: CommandAccess,
        change: impl FnOnce(&mut CommandSettings),
    ) -> Self {
        let session = Self::with_homes(directory, project, "home", change);
        Self { access, ..session }
    }

    /// A session with a project and the daemon's home in `directory`, and settings that were changed.
    pub(crate) fn with_homes(
        directory: tempfile::TempDir,
        project: &str,
        home: &str,
        change: impl FnOnce(&mut CommandSettings),
    ) -> Self {
        let blobs = Arc::new(Blobs::default());
        let host = ToolHost::new(&directory.path().join(home), Arc::clone(&blobs) as _);
        let mut settings = CommandSettings {
            environment: Environment::scrubbed(std::env::vars_os(), &[]),
            umask: None,
            shown: Vec::new(),
            caches: Vec::new(),
            hidden: Vec::new(),
            mounts: true,
            spaces: true,
            packages: PackageCaches::of(&directory.path().join("user"), &Environment::of([])),
            changeable: Vec::new(),
            limits: ResourceLimits::default(),
        };
        change(&mut settings);
        let commands = Commands::new(supervisors(), settings);
        let project = directory.path().join(project);
        let tools = ProjectTools::new(&project, host)
            .unwrap()
            .with_commands(commands);
        Self {
            directory,
            tools,
            access: CommandAccess::Workspace { network: false },
            hidden: None,
            blobs,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) async fn call(&self, name: &str, input: Value) -> ToolAnswer {
        let updates = watch::Sender::new(None);
        self.call_with(name, input, updates, CancellationToken::new())
            .await
    }

    pub(crate) async fn call_with(
        &self,
        name: &str,
        input: Value,
        updates: ToolUpdates,
        cancel: CancellationToken,
    ) -> ToolAnswer {
        let context = ToolContext { updates, cancel };
        self.run(name, input, self.access, context).await
    }

    /// A call that was granted another access than those of the session.
    pub(crate) async fn call_granted(
        &self,
        name: &str,
        input: Value,
        access: CommandAccess,
    ) -> ToolAnswer {
        let context = ToolContext {
            updates: watch::Sender::new(None),
            cancel: CancellationToken::new(),
        };
        self.run(name, input, access, context).await
    }

    async fn run(
        &self,
        name: &str,
        input: Value,
        command: CommandAccess,
        context: ToolContext,
    ) -> ToolAnswer {
        let (plan, permit) = self.plan(name, input, command).await;
        ToolAnswer::new(plan.run(permit, context).await)
    }

    async fn plan(&self, name: &str, input: Value, command: CommandAccess) -> (ToolPlan, Permit) {
        let call = ToolCall {
            id: "call_1".to_owned(),
            name: name.to_owned(),
            input,
            invalid_input: None,
        };
        let permit = Permit {
            command,
            hidden: self.hidden.clone(),
            ..Permit::default()
        };
        let list = ToolList::new(self.tools.list()).unwrap();
        (list.plan(call).await, permit)
    }

    /// Begins a call of `Bash`, whose command does not run before [`ToolAnswer::of`].
    pub(crate) async fn begin_bash(&self, command: &str) -> BegunCall {
        let input = json!({ "command": command });
        let (plan, permit) = self.plan("Bash", input, self.access).await;
        plan.begin(permit).await
    }

    pub(crate) async fn bash(&self, command: &str) -> ToolAnswer {
        self.call("Bash", json!({ "command": command })).await
    }

    /// Waits until a background command has printed `ready`.
    pub(crate) async fn until_ready(&self, id: impl Serialize) {
        let all = json!({ "id": id, "sinceBytes": 0 });
        loop {
            let answer = self.call("BashOutput", all.clone()).await;
            if answer.text.contains("ready") {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

fn supervisors() -> Arc<Supervisors> {
    static SUPERVISORS: OnceLock<Arc<Supervisors>> = OnceLock::new();
    Arc::clone(SUPERVISORS.get_or_init(|| Supervisors::new(None).unwrap()))
}

/// What a call gave.
#[derive(Debug)]
pub(crate) struct ToolAnswer {
    pub(crate) text: String,
    pub(crate) details: Value,
    pub(crate) is_error: bool,
}

impl ToolAnswer {
    /// Runs a call that was begun.
    pub(crate) async fn of(begun: BegunCall) -> Self {
        let context = ToolContext {
            updates: watch::Sender::new(None),
            cancel: CancellationToken::new(),
        };
        Self::new(begun.run(context).await)
    }

    fn new(outcome: ToolOutcome) -> Self {
        let [Block::Text { text, .. }] = outcome.content.as_slice() else {
            panic!("one text expected: {outcome:?}");
        };
        let details = outcome.details.unwrap();
        assert_eq!(details["ok"], json!(!outcome.is_error), "{text}");
        Self {
            text: text.clone(),
            details,
            is_error: outcome.is_error,
        }
    }

    pub(crate) fn code(&self) -> &str {
        assert!(self.is_error, "{self:?}");
        self.details["error"]["code"].as_str().unwrap()
    }
}

/// A number that no other test has, as the seconds of a long sleep.
pub(crate) fn canary() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!(
        "8{:08}{:05}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// The living processes with `canary` in their command line.
pub(crate) fn processes(canary: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let has = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(canary)
    };
    pids.filter(has).collect()
}

/// Waits until every process with `canary` has ended.
pub(crate) fn wait_for_end(canary: &str) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::retry_on_intr;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    for pid in processes(canary) {
        let Ok(handle) = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()) else {
            continue;
        };
        let limit = Timespec {
            // Generous, since machines are busy: the end of the process ends the wait.
            tv_sec: 60,
            tv_nsec: 0,
        };
        let mut fds = [PollFd::new(&handle, PollFlags::IN)];
        // The end of any other child interrupts it.
        retry_on_intr(|| poll(&mut fds, Some(&limit))).unwrap();
    }
}

/// The child of this process that a process with `canary` descends from.
pub(crate) fn supervisor_of(canary: &str) -> rustix::process::Pid {
    let parent = |pid: i32| -> i32 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields = stat.rsplit(')').next().unwrap();
        fields.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let own = i32::try_from(std::process::id()).unwrap();
    // The command has said that it is ready before its `sleep` has a command line.
    let mut pid = loop {
        match processes(canary).first() {
            Some(pid) => break *pid,
            None => std::thread::yield_now(),
        }
    };
    while parent(pid) != own {
        pid = parent(pid);
    }
    rustix::process::Pid::from_raw(pid).unwrap()
}
