//! The network and the shared memory of a command.

use serde::{Deserialize, Serialize};

/// POSIX shared memory and semaphores are files in it. A command may use that of its surroundings if it
/// is [writable](crate::Sandbox::writable).
pub const SHARED_MEMORY: &str = "/dev/shm";

/// The network of a command that may not use the host's, and its `/dev/shm`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Surroundings {
    /// No network and no `/dev/shm`: where [`Support::spaces`](crate::Support::spaces) is missing.
    #[default]
    Host,
    /// A loopback network and a `/dev/shm` that end with the command.
    Own,
    /// Those of a [`SharedSpace`](crate::SharedSpace), by the process id of its holder.
    Shared(i32),
}
