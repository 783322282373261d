//! Daemon and clients of one machine find each other and change the same files, with no registry and no
//! call between them. Here is what all of them must do alike.

mod directory_lock;
mod socket_path;
mod unit_state;

use std::io;
use std::path::{Path, PathBuf};

pub use directory_lock::{LOCK_LIMIT, lock_directory};
pub use socket_path::{MAX_SOCKET_PATH, NoSocketPath, is_read_only, socket_path};
pub use unit_state::{SERVICE_UNIT, SOCKET_UNIT, UnitState};

/// The absolute path of a home, without `.` and superfluous slashes. Links are kept: every program must
/// derive the same socket path from the same text.
///
/// # Errors
/// The path is empty, or the working directory is gone.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    Ok(std::path::absolute(path)?.components().collect())
}
