//! Limits of what commands use.

use std::fs;
use std::num::NonZero;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

const KIB: u64 = 1024;
const GIB: u64 = 1024 * 1024 * KIB;

/// A command gets this part of the machine's memory, 1 /.
const MEMORY_PART: u64 = 2;

/// The most that a command may use. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLimits {
    /// Memory of all processes together, without the page cache.
    pub memory: u64,
    /// Processes at a time.
    pub processes: u64,
    /// Open files of each process.
    pub open_files: u64,
    /// The size of each file.
    pub file_size: u64,
    /// The space that the directories for temporary files occupy on disk.
    pub scratch_space: u64,
}

/// Tasks for each processor besides one for each process: programs start threads by the number of
/// processors.
const TASKS_PER_PROCESSOR: u64 = 128;

impl ResourceLimits {
    /// The most tasks at a time, which are threads too. The kernel holds commands to it where it can;
    /// processes are counted, and a fork bomb makes them faster than that.
    pub(crate) fn tasks(&self) -> u64 {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get) as u64;
        self.processes
            .saturating_add(processors * TASKS_PER_PROCESSOR)
    }
}

impl Default for ResourceLimits {
    /// Half of the machine's memory, and what no build needs. Where the size of the memory is not
    /// known, which is on other systems than Linux, it is not limited.
    fn default() -> Self {
        Self {
            memory: machine_memory().map_or(u64::MAX, |total| total / MEMORY_PART),
            processes: 512,
            open_files: 1024,
            file_size: 2 * GIB,
            scratch_space: 4 * GIB,
        }
    }
}

/// Read once: each look at a configuration asks for it.
fn machine_memory() -> Option<u64> {
    static MEMORY: LazyLock<Option<u64>> = LazyLock::new(read_memory);
    *MEMORY
}

fn read_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    kib.checked_mul(KIB)
}

/// A kind of limit, one for each field of [`ResourceLimits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LimitKind {
    Memory,
    Processes,
    OpenFiles,
    FileSize,
    ScratchSpace,
}

impl LimitKind {
    /// The key in the section `[tools.limits]` of the configuration.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::OpenFiles => "openFiles",
            Self::FileSize => "fileSize",
            Self::ScratchSpace => "scratchSpace",
        }
    }

    /// The value in `limits`.
    pub const fn value(self, limits: &ResourceLimits) -> u64 {
        match self {
            Self::Memory => limits.memory,
            Self::Processes => limits.processes,
            Self::OpenFiles => limits.open_files,
            Self::FileSize => limits.file_size,
            Self::ScratchSpace => limits.scratch_space,
        }
    }
}

/// The processes for which a limit holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitScope {
    /// One command.
    Command,
    /// All commands of a [`RunGroup`](crate::RunGroup) together.
    Group,
}

/// A limit that a command reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachedLimit {
    pub kind: LimitKind,
    pub scope: LimitScope,
    pub value: u64,
}

/// The resources that the processes of a command use at a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceUsage {
    /// In bytes; 0 where a control group limits it.
    pub(crate) memory: u64,
    pub(crate) processes: u64,
}

impl ResourceUsage {
    /// The limit that this exceeds.
    pub(crate) fn exceeds(&self, limits: &ResourceLimits) -> Option<LimitKind> {
        if self.processes > limits.processes {
            Some(LimitKind::Processes)
        } else if self.memory > limits.memory {
            Some(LimitKind::Memory)
        } else {
            None
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_memory_is_the_default() {
        let total = machine_memory().unwrap();
        assert!(total > 64 * 1024 * KIB, "{total}");
        assert_eq!(ResourceLimits::default().memory, total / MEMORY_PART);
    }
}
