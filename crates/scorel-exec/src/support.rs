//! Restrictions that the running kernel can enforce.

#[cfg(target_os = "linux")]
use crate::namespaces::Namespaces;
use crate::sandbox::Isolation;
#[cfg(target_os = "linux")]
use crate::support_memory::SupportMemory;
use crate::task_limit::TaskLimit;

/// Before ABI 3 (Linux 6.2) Landlock does not cover `truncate`: a command could empty any file of the
/// user's.
const MIN_LANDLOCK: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// The Landlock ABI, at most 6; 0 without Landlock.
    pub landlock: u32,
    /// True if seccomp filters work on this architecture.
    pub seccomp: bool,
    /// True if a command can get read-only mounts of its own over protected places. Without them, use
    /// a [`Guard`](crate::Guard): [`Sandbox::protected`](crate::Sandbox::protected) would make every
    /// command fail.
    pub mounts: bool,
    /// True if a command can get process ids of its own, with a `/proc` that shows no others.
    pub processes: bool,
    /// True if a command can get a loopback network and a `/dev/shm` of its own. Without,
    /// [`Surroundings`](crate::Surroundings) other than the host's make every command fail.
    pub spaces: bool,
    /// Set if a command can connect to Unix sockets of its session.
    pub unix_sockets: bool,
    pub task_limit: TaskLimit,
}

impl Support {
    pub const NONE: Self = Self {
        landlock: 0,
        seccomp: false,
        mounts: false,
        processes: false,
        spaces: false,
        unix_sockets: false,
        task_limit: TaskLimit::None,
    };

    /// Asks the kernel. Blocks while child processes try mounts and networks, which count as unavailable
    /// in a program that does not call [`run_if_asked`](crate::run_if_asked).
    #[must_use]
    pub fn probe() -> Self {
        #[cfg(target_os = "linux")]
        return Self::with(Namespaces::probe());
        #[cfg(not(target_os = "linux"))]
        Self::NONE
    }

    /// The same, without a child process if `memory` has the answer.
    #[cfg(target_os = "linux")]
    pub(crate) fn recall_or_probe(memory: &SupportMemory) -> Self {
        Self::with(memory.recall().unwrap_or_else(|| {
            let found = Namespaces::probe();
            memory.remember(found);
            found
        }))
    }

    #[cfg(target_os = "linux")]
    fn with(namespaces: Namespaces) -> Self {
        let Namespaces {
            mounts,
            processes,
            spaces,
            task_limit,
        } = namespaces;
        Self {
            landlock: crate::confine::landlock_version(),
            seccomp: crate::confine::has_seccomp(),
            mounts,
            processes,
            spaces,
            unix_sockets: processes && spaces && crate::confine::can_connect(),
            task_limit,
        }
    }

    /// The part of `wanted` that the kernel supports.
    pub(crate) fn limit(&self, wanted: Isolation) -> Isolation {
        let mounts = wanted.mounts && self.mounts;
        Isolation {
            mounts,
            processes: wanted.processes && mounts && self.processes,
        }
    }

    /// Returns whether a sandbox holds: a command in it can neither change files outside nor connect to the
    /// daemon. Mounts are not needed for that.
    #[must_use]
    pub const fn is_enough(&self) -> bool {
        self.landlock >= MIN_LANDLOCK && self.seccomp
    }
}
