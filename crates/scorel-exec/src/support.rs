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
}

impl Support {
    /// Nothing can be enforced.
    pub const NONE: Self = Self {
        landlock: 0,
        seccomp: false,
    };

    /// Asks the kernel. Restricts nothing.
    #[must_use]
    pub fn probe() -> Self {
        #[cfg(target_os = "linux")]
        return Self {
            landlock: crate::confine::landlock_version(),
            seccomp: crate::confine::has_seccomp(),
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
