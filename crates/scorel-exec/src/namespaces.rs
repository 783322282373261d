//! The namespaces that this user can make.

use crate::task_limit::TaskLimit;

/// The part of [`Support`](crate::Support) that only a child process can find out: entering a namespace
/// cannot be undone, and a kernel that allows the namespace may still refuse to mount in it, as AppArmor
/// does on Ubuntu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Namespaces {
    pub(crate) mounts: bool,
    pub(crate) processes: bool,
    pub(crate) spaces: bool,
    pub(crate) task_limit: TaskLimit,
}

impl Namespaces {
    /// Has child processes try, all at the same time: each executes this program, which takes longer than
    /// what it tries.
    #[cfg(target_os = "linux")]
    pub(crate) fn probe() -> Self {
        use crate::confine::Probe;
        use crate::role::Role;

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
        }
    }

    /// Returns whether nothing is missing that could be allowed later.
    pub(crate) fn is_whole(&self) -> bool {
        self.mounts && self.processes && self.spaces
    }
}
