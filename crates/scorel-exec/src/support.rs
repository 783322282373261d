//! Restrictions that the running kernel can enforce.

#[cfg(target_os = "linux")]
use crate::confine::Probe;
#[cfg(target_os = "linux")]
use crate::role::Role;
use crate::sandbox::Isolation;
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
    pub fn probe() -> Self {
        Self::find(None)
    }

    /// The same, without a child process if `memory` has the answer.
    #[cfg(target_os = "linux")]
    pub(crate) fn find(memory: Option<&SupportMemory>) -> Self {
        let namespaces = Self::recalled(memory, Self::probe_namespaces);
        let has_spaces = namespaces.processes && namespaces.spaces;
        Self {
            landlock: crate::confine::landlock_version(),
            seccomp: crate::confine::has_seccomp(),
            unix_sockets: has_spaces && crate::confine::can_connect(),
            ..namespaces
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn find(_: Option<&SupportMemory>) -> Self {
        Self::NONE
    }

    /// The namespaces that this user can make, as `memory` has them, or else as `probe` finds them out. They
    /// are remembered unless something is missing, which could be allowed later.
    fn recalled(memory: Option<&SupportMemory>, probe: impl FnOnce() -> Self) -> Self {
        if let Some(task_limit) = memory.and_then(SupportMemory::recall) {
            return Self {
                mounts: true,
                processes: true,
                spaces: true,
                task_limit,
                ..Self::NONE
            };
        }
        let found = probe();
        if let Some(memory) = memory
            && found.mounts
            && found.processes
            && found.spaces
        {
            memory.remember(found.task_limit);
        }
        found
    }

    /// The part that only child processes can find out: entering a namespace cannot be undone, and a kernel
    /// that allows the namespace may still refuse to mount in it, as AppArmor does on Ubuntu. They try all at
    /// the same time: each executes this program, which takes longer than what it tries.
    #[cfg(target_os = "linux")]
    fn probe_namespaces() -> Self {
        let probes = [
            Role::MountProbe,
            Role::ProcessProbe,
            Role::TaskLimitProbe,
            Role::SpaceProbe,
        ];
        let [mounts, processes, own_limit, spaces] = probes.map(Probe::start).map(Probe::succeeds);
        let processes = mounts && processes;
        Self {
            mounts,
            processes,
            spaces,
            task_limit: match processes {
                true if own_limit => TaskLimit::PidNamespace,
                true if !nix::unistd::geteuid().is_root() => TaskLimit::UserNamespace,
                _ => TaskLimit::None,
            },
            ..Self::NONE
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
    pub const fn is_enough(&self) -> bool {
        self.landlock >= MIN_LANDLOCK && self.seccomp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Support = Support {
        mounts: true,
        processes: true,
        spaces: true,
        task_limit: TaskLimit::UserNamespace,
        ..Support::NONE
    };

    #[test]
    fn a_refusal_is_not_remembered_and_all_that_there_could_be_is() {
        let dir = tempfile::tempdir().unwrap();
        let memory = SupportMemory::new(dir.path().join("memory"), dir.path().join("config"));
        for refused in [
            Support {
                mounts: false,
                ..WHOLE
            },
            Support {
                processes: false,
                ..WHOLE
            },
            Support {
                spaces: false,
                ..WHOLE
            },
        ] {
            assert_eq!(Support::recalled(Some(&memory), || refused), refused);
        }
        assert!(!dir.path().join("memory").exists());
        assert_eq!(Support::recalled(Some(&memory), || WHOLE), WHOLE);
        let recalled = Support::recalled(Some(&memory), || unreachable!("it is remembered"));
        assert_eq!(recalled, WHOLE);
    }
}
