//! The answer of the probes, until something changes that they depend on.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use scorel_fs::read_foreign_text;

use crate::task_limit::TaskLimit;

/// A file that remembers which namespaces this user can make.
///
/// Its text is made of everything that decides about them, so a restart of the machine, another kernel,
/// program or configuration, and other privileges of the daemon void it. A refusal is not remembered: it
/// may be lifted by something that is not in the text.
#[derive(Debug)]
pub struct SupportMemory {
    file: PathBuf,
    config: PathBuf,
}

/// Files of one line that say which kernel this is and what it allows. Some exist only on some systems.
const KERNEL: [&str; 11] = [
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/yama/ptrace_scope",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/user/max_mnt_namespaces",
    "/proc/sys/user/max_net_namespaces",
    "/proc/sys/user/max_pid_namespaces",
    "/proc/sys/user/max_ipc_namespaces",
    "/proc/self/attr/current",
];

/// The lines of this process's status that say what it may do: a service manager may take rights that
/// the user's shell has.
const STATUS: [&str; 6] = ["Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp"];

/// The namespaces that this process is in: those of a container allow less.
const WITHIN: [&str; 5] = ["user", "mnt", "net", "pid", "ipc"];

impl SupportMemory {
    /// Remembers in `file`, as long as `config`, a file, stays the same.
    pub fn new(file: PathBuf, config: PathBuf) -> Self {
        Self { file, config }
    }

    /// The limit of tasks, if all namespaces are remembered to be possible.
    pub(crate) fn recall(&self) -> Option<TaskLimit> {
        let text = read_foreign_text(&self.file)?;
        let limits = [
            TaskLimit::PidNamespace,
            TaskLimit::UserNamespace,
            TaskLimit::None,
        ];
        let facts = self.facts();
        limits.into_iter().find(|it| text == written(&facts, *it))
    }

    /// Remembers that all namespaces are possible. What is not remembered is found out again.
    pub(crate) fn remember(&self, task_limit: TaskLimit) {
        let text = written(&self.facts(), task_limit);
        if let Err(error) = replace(&self.file, &text) {
            tracing::debug!(%error, "the support of the kernel is not remembered");
        }
    }

    fn facts(&self) -> String {
        let mut facts = String::new();
        let mut add = |name: &str, value: String| {
            let _infallible = writeln!(facts, "{name} {}", value.trim());
        };
        for path in KERNEL {
            add(path, fs::read_to_string(path).unwrap_or_default());
        }
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let is_fact = |line: &&str| STATUS.iter().any(|name| line.starts_with(name));
        for line in status.lines().filter(is_fact) {
            add("status", line.to_owned());
        }
        for name in WITHIN {
            let link = fs::read_link(format!("/proc/self/ns/{name}"));
            add(name, format!("{:?}", link.ok()));
        }
        add("program", identity(Path::new("/proc/self/exe")));
        add("configuration", identity(&self.config));
        facts
    }
}

fn written(facts: &str, limit: TaskLimit) -> String {
    format!("{facts}tasks {limit:?}\n")
}

/// Not atomic: a part of the text is not equal to the whole.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.custom_flags(flags.bits()).open(file)?;
    file.write_all(text.as_bytes())
}

/// Device, inode, length and times of what is at a path.
fn identity(path: &Path) -> String {
    let found = fs::metadata(path).map(|it| {
        let changed = (it.mtime(), it.mtime_nsec(), it.ctime(), it.ctime_nsec());
        (it.dev(), it.ino(), it.len(), changed)
    });
    format!("{:?}", found.ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: TaskLimit = TaskLimit::UserNamespace;

    #[test]
    fn an_answer_is_remembered_until_something_changes() {
        let dir = tempfile::tempdir().unwrap();
        let [file, config] = ["memory", "config"].map(|name| dir.path().join(name));
        let memory = || SupportMemory::new(file.clone(), config.clone());
        assert_eq!(memory().recall(), None);
        memory().remember(FOUND);
        assert_eq!(memory().recall(), Some(FOUND));
        fs::write(&config, "changed").unwrap();
        assert_eq!(memory().recall(), None, "another configuration");
        memory().remember(FOUND);
        let text = fs::read_to_string(&file).unwrap();
        let boot_id = fs::read_to_string(KERNEL[0]).unwrap();
        for fact in [boot_id.trim(), "program Some((", "Uid:", "user Some("] {
            assert!(text.contains(fact), "{fact}");
            fs::write(&file, text.replacen(fact, "other", 1)).unwrap();
            assert_eq!(memory().recall(), None, "{fact}");
        }
        fs::write(&file, &text[..text.len() / 2]).unwrap();
        assert_eq!(memory().recall(), None, "half a text");
    }
}
