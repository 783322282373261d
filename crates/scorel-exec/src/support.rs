//! What the kernel can enforce.

/// The oldest version of Landlock that keeps a command from destroying files by cutting them.
const MIN_LANDLOCK: u32 = 3;

/// What the running kernel can enforce on a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// The version of Landlock, as far as it is used: at most 6. 0 without Landlock.
    pub landlock: u32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// Whether a command can get mounts of its own, so that protected places stay as they are while
    /// it runs. Otherwise they are compared and put back when it has ended.
    pub mounts: bool,
}

impl Support {
    /// Nothing can be enforced.
    pub const NONE: Self = Self {
        landlock: 0,
        seccomp: false,
        mounts: false,
    };

    /// Asks the kernel. Restricts nothing, and blocks while the program is started once more, to try
    /// mounts. They count as impossible in a program that does not call
    /// [`run_if_asked`](crate::run_if_asked).
    #[must_use]
    pub fn probe() -> Self {
        #[cfg(target_os = "linux")]
        return Self {
            landlock: crate::confine::landlock_version(),
            seccomp: crate::confine::has_seccomp(),
            mounts: crate::confine::has_mounts(),
        };
        #[cfg(not(target_os = "linux"))]
        Self::NONE
    }

    /// Whether a sandbox holds: a command in it cannot change files outside, and cannot speak to
    /// the daemon.
    #[must_use]
    pub const fn is_enough(&self) -> bool {
        self.landlock >= MIN_LANDLOCK && self.seccomp
    }
}
