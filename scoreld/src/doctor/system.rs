//! Checks of the kernel, the shell, the disk and the clock.

use std::path::Path;
use std::time::{Duration, SystemTime};

use scorel_exec::{Support, TaskLimit};

use super::check::Check;

/// The first Landlock ABI with rules for TCP.
const LANDLOCK_WITH_TCP: u32 = 4;

const DISK: &str = "disk";
const MIB: u64 = 1 << 20;
/// Below this the check warns.
const LITTLE_DISK: u64 = 1024 * MIB;
/// Below this it fails: a long turn may run out of space.
const NO_DISK: u64 = 50 * MIB;

/// 2025-01-01: before this version existed, so an earlier clock is wrong.
const EARLIEST: Duration = Duration::from_secs(1_735_689_600);
/// 2100-01-01.
const LATEST: Duration = Duration::from_secs(4_102_444_800);
/// A home modified less than this in the future is not reported.
const SKEW: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn checks() -> Vec<Check> {
    let support = Support::probe();
    vec![
        sandbox(&support),
        protected(&support),
        processes(&support),
        spaces(&support),
        shell(),
    ]
}

fn sandbox(support: &Support) -> Check {
    const NAME: &str = "sandbox";
    let landlock = match support.landlock {
        0 => "no Landlock".to_owned(),
        version if version < LANDLOCK_WITH_TCP => {
            format!("Landlock {version}, without rules for TCP")
        }
        version => format!("Landlock {version}, with rules for TCP"),
    };
    let seccomp = if support.seccomp {
        "seccomp"
    } else {
        "no seccomp"
    };
    let found = format!("{landlock}; {seccomp}");
    if !support.is_enough() {
        Check::warn(
            NAME,
            format!("{found}: commands cannot be sandboxed"),
        )
        .hint("every command needs permission and runs unsandboxed; Linux 6.2 or later supports the sandbox")
    } else {
        // Where Landlock has no rules for TCP, seccomp forbids internet sockets altogether.
        Check::ok(NAME, found)
    }
}

fn protected(support: &Support) -> Check {
    const NAME: &str = "protected";
    if !support.is_enough() {
        return Check::warn(
            NAME,
            "without a sandbox a command can change protected files",
        );
    }
    Check::ok(
        NAME,
        if support.mounts {
            "user and mount namespaces are allowed: protected files are mounted read-only for commands"
        } else {
            "user or mount namespaces are not allowed: protected files are compared after each \
             command and put back"
        },
    )
}

/// A command's own loopback network, Unix sockets and `/dev/shm`, and the files hidden from it. The fallbacks without
/// namespaces have these names in the manual.
fn spaces(support: &Support) -> Check {
    const NAME: &str = "spaces";
    let mut missing = Vec::new();
    if !support.spaces {
        missing.push("no loopback: commands without the network cannot use localhost and /dev/shm");
    }
    if !support.unix_sockets {
        missing.push("no Unix sockets: commands cannot connect to any, not even to their own");
    }
    if !support.mounts {
        missing
            .push("Landlock only: commands can read files in the project that rules deny to read");
    }
    if !support.is_enough() || missing.is_empty() {
        return Check::ok(
            NAME,
            if support.is_enough() {
                "commands have a loopback network, Unix sockets and a /dev/shm of their session's own, \
                 and what rules deny to read is hidden from them"
            } else {
                "without a sandbox commands use this machine's network and files"
            },
        );
    }
    Check::warn(NAME, missing.join("; ")).hint("allow user namespaces for the user")
}

fn processes(support: &Support) -> Check {
    const NAME: &str = "processes";
    if !support.is_enough() {
        return Check::warn(
            NAME,
            "without a sandbox a command can change and end other processes",
        );
    }
    let seen = if support.processes {
        "pid namespaces are allowed: commands see their own processes only"
    } else {
        "pid namespaces are not allowed: commands see other processes, and calls that name one are \
         refused"
    };
    let limit = match support.task_limit {
        TaskLimit::PidNamespace => "the kernel limits their number (pid_max of the namespace)",
        TaskLimit::UserNamespace => "the kernel limits their number (RLIMIT_NPROC)",
        TaskLimit::None => {
            "their number is limited by a control group if the daemon has one, else by counting"
        }
    };
    Check::ok(NAME, format!("{seen}; {limit}"))
}

fn shell() -> Check {
    const NAME: &str = "shell";
    let candidates = ["/bin/bash", "/usr/bin/bash", "/bin/sh"];
    match candidates.iter().find(|path| Path::new(path).exists()) {
        Some(shell) if shell.ends_with("bash") => Check::ok(NAME, *shell),
        Some(shell) => Check::warn(NAME, format!("no bash; commands run in {shell}"))
            .hint("models write bash commands: install bash"),
        None => Check::fail(NAME, "no bash and no sh: commands cannot run"),
    }
}

/// Free space of the file system that holds the home, or will hold it.
pub(super) fn disk(root: &Path) -> Check {
    let there = root.ancestors().find(|path| path.exists());
    match fs2::available_space(there.unwrap_or(Path::new("/"))) {
        Ok(free) => free_disk(free),
        Err(error) => Check::warn(DISK, format!("the free space is unknown: {error}")),
    }
}

/// `free` is in bytes.
fn free_disk(free: u64) -> Check {
    let message = format!("{} MiB free for the home", free / MIB);
    if free < NO_DISK {
        Check::fail(DISK, message).hint(
            "free some: on a full disk messages are refused, and the answers of running turns wait in \
             memory",
        )
    } else if free < LITTLE_DISK {
        Check::warn(DISK, message)
    } else {
        Check::ok(DISK, message)
    }
}

pub(super) fn clock(root: &Path) -> Check {
    const NAME: &str = "clock";
    let now = SystemTime::now();
    let since = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    if !(EARLIEST..LATEST).contains(&since) {
        let message = format!(
            "the system clock is wrong: {} s since 1970",
            since.as_secs()
        );
        return Check::fail(NAME, message)
            .hint("TLS certificates of model endpoints will be refused");
    }
    let changed = root.metadata().and_then(|metadata| metadata.modified());
    let is_back = changed.is_ok_and(|changed| changed > now + SKEW);
    if is_back {
        return Check::warn(
            NAME,
            "the home was modified in the future: the clock was set back",
        );
    }
    Check::ok(NAME, "plausible")
}

#[cfg(test)]
mod tests {
    use scorel_exec::{Support, TaskLimit};

    use super::super::check::Level;
    use super::{MIB, free_disk, processes, protected, sandbox, spaces};

    #[test]
    fn little_space_is_told_before_the_disk_is_full() {
        let little = free_disk(19 * MIB);
        assert_eq!(little.level, Level::Fail);
        let hint = little.hint.unwrap_or_default();
        assert!(
            hint.contains("on a full disk messages are refused"),
            "{hint}"
        );
        assert_eq!(free_disk(200 * MIB).level, Level::Warn);
        assert_eq!(free_disk(2000 * MIB).level, Level::Ok);
    }

    #[test]
    fn missing_kernel_features_are_reported() {
        let nothing = Support::NONE;
        assert_eq!(sandbox(&nothing).level, Level::Warn);
        assert!(
            sandbox(&nothing)
                .message
                .contains("no Landlock; no seccomp")
        );
        assert_eq!(protected(&nothing).level, Level::Warn);
        let old = Support {
            landlock: 3,
            seccomp: true,
            ..nothing
        };
        assert!(sandbox(&old).message.contains("without rules for TCP"));
        assert_eq!(
            (sandbox(&old).level, protected(&old).level),
            (Level::Ok, Level::Ok)
        );
        assert!(protected(&old).message.contains("compared"));
        let fallbacks = spaces(&old);
        assert_eq!(fallbacks.level, Level::Warn);
        for name in ["no loopback", "Landlock only"] {
            assert!(fallbacks.message.contains(name), "{}", fallbacks.message);
        }
        assert_eq!(spaces(&nothing).level, Level::Ok);
        let new = Support {
            landlock: 6,
            mounts: true,
            spaces: true,
            unix_sockets: true,
            ..old
        };
        assert!(
            sandbox(&new)
                .message
                .contains("Landlock 6, with rules for TCP")
        );
        assert!(protected(&new).message.contains("read-only"));
        assert_eq!(spaces(&new).level, Level::Ok);
        assert_eq!(processes(&nothing).level, Level::Warn);
        assert!(processes(&new).message.contains("refused"));
        assert!(processes(&new).message.contains("by counting"));
        let unconnected = Support {
            unix_sockets: false,
            ..new
        };
        assert!(spaces(&unconnected).message.contains("no Unix sockets"));
        let newest = Support {
            processes: true,
            task_limit: TaskLimit::PidNamespace,
            ..new
        };
        assert!(processes(&newest).message.contains("their own"));
        assert!(processes(&newest).message.contains("pid_max"));
    }
}
