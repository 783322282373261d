use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt};
use std::path::{Path, PathBuf};

/// The file of a listening socket.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
    /// True if it is removed on drop.
    ours: bool,
}

impl SocketFile {
    /// The file of a socket that this process has bound, removed on drop unless another file has taken its
    /// place: a daemon that ends late must not remove the socket of its successor.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        Self::find(path, true)
    }

    /// The file of a socket that a service manager has bound, and removes.
    pub(super) fn of_other(path: &Path) -> io::Result<Self> {
        Self::find(path, false)
    }

    fn find(path: &Path, ours: bool) -> io::Result<Self> {
        let found = path.symlink_metadata()?;
        Ok(Self {
            path: path.to_owned(),
            device: found.dev(),
            inode: found.ino(),
            ours,
        })
    }

    /// Returns whether another socket is in its place. Its inode cannot have been used again: the listening socket
    /// holds it. One look decides: a file that is deleted between two would count as replaced.
    pub(super) fn is_replaced(&self) -> bool {
        let found = self.path.symlink_metadata();
        found.is_ok_and(|found| found.file_type().is_socket() && !self.is(&found))
    }

    fn is_here(&self) -> bool {
        let found = self.path.symlink_metadata();
        found.is_ok_and(|found| self.is(&found))
    }

    fn is(&self, found: &Metadata) -> bool {
        (found.dev(), found.ino()) == (self.device, self.inode)
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.ours && self.is_here() {
            // If it fails, the next daemon replaces the file.
            let _ignored: io::Result<()> = std::fs::remove_file(&self.path);
        }
    }
}
