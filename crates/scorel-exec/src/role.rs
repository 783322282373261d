//! The roles in which the program executes itself again.

use std::process::Command;

/// The task of a process started with exactly one of the [arguments](Role::argument), in place of the
/// program's own work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Watches over one command.
    Supervisor,
    /// Tries whether mounts can be made.
    MountProbe,
    /// Tries whether a process of a new pid namespace can mount its `/proc`.
    ProcessProbe,
    /// Tries whether a pid namespace has a limit of tasks of its own.
    TaskLimitProbe,
    /// Tries whether a network namespace can be made.
    SpaceProbe,
    /// Holds the namespaces of a [`SharedSpace`](crate::SharedSpace).
    SpaceHolder,
}

impl Role {
    const ALL: [Self; 6] = [
        Self::Supervisor,
        Self::MountProbe,
        Self::ProcessProbe,
        Self::TaskLimitProbe,
        Self::SpaceProbe,
        Self::SpaceHolder,
    ];

    pub(crate) const fn argument(self) -> &'static str {
        match self {
            Self::Supervisor => "--supervise",
            Self::MountProbe => "--try-mounts",
            Self::ProcessProbe => "--try-processes",
            Self::TaskLimitProbe => "--try-task-limit",
            Self::SpaceProbe => "--try-space",
            Self::SpaceHolder => "--hold-space",
        }
    }

    /// This program in the role, without an environment.
    pub(crate) fn command(self) -> Command {
        // Also the same program when the file has been replaced by an upgrade.
        let mut command = Command::new("/proc/self/exe");
        command.arg(self.argument()).env_clear();
        command
    }

    pub(crate) fn from_argument(argument: &str) -> Option<Self> {
        let mut roles = Self::ALL.into_iter();
        roles.find(|role| role.argument() == argument)
    }
}
