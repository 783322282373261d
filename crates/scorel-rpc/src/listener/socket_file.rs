use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file of a bound socket, removed on drop unless another file has taken its place: a daemon that
/// ends late must not remove the socket of its successor.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl SocketFile {
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let (device, inode) = identity(path)?;
        Ok(Self {
            path: path.to_owned(),
            device,
            inode,
        })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).ok() == Some((self.device, self.inode)) {
            // If it fails, the next daemon replaces the file.
            let _ignored: io::Result<()> = std::fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    path.symlink_metadata().map(|file| (file.dev(), file.ino()))
}
