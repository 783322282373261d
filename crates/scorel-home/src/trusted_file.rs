//! Reading small files that another user or a hostile repository may have prepared: no following of
//! links, no blocking on FIFOs, no unbounded reads, and a check of owner and mode by [`Trust`].

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::unistd::geteuid;
use scorel_fs::{open_linked, open_regular};

/// A file changed less than this ago may change again without its time stamps changing.
const SETTLING: Duration = Duration::from_secs(2);

/// How far a file's content is trusted, which decides the required owner and mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Anyone may have written it: no symbolic link is followed, the owner is not checked.
    Untrusted,
    /// Writable only by this user and root, and no symbolic link: a file of the home that only programs
    /// write.
    Home,
    /// Writable only by this user and root.
    Ours,
    /// Writable and readable only by this user and root.
    Secret,
}

/// The reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    /// Also a symbolic link, where links are not followed.
    #[error("{path} is not a regular file; move it away")]
    NotRegular { path: PathBuf },
    #[error("{path} is longer than {max} bytes")]
    TooLarge { path: PathBuf, max: u64 },
    #[error("{path} belongs to user {uid}; make it yours: `chown {me} {path}`", me = geteuid())]
    ForeignOwner { path: PathBuf, uid: u32 },
    #[error("{path} can be {what} by other users; run `chmod 600 {path}`")]
    Exposed { path: PathBuf, what: &'static str },
    #[error("cannot read {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl FileProblem {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::NotRegular { path }
            | Self::TooLarge { path, .. }
            | Self::ForeignOwner { path, .. }
            | Self::Exposed { path, .. }
            | Self::Io { path, .. } => path,
        }
    }
}

/// Identity and version of a file, from `stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    dev: u64,
    ino: u64,
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            dev: metadata.dev(),
            ino: metadata.ino(),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// The current version of the file at `path`, links followed; `None` if there is none.
    pub fn current(path: &Path) -> io::Result<Option<Self>> {
        match std::fs::metadata(path) {
            Ok(metadata) => Ok(Some(Self::of(&metadata))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether both are the same inode.
    pub fn same_file(&self, other: &Self) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Returns whether a later change is certain to change the stamp.
    pub fn is_settled(&self) -> bool {
        self.is_settled_at(SystemTime::now())
    }

    /// Returns whether a change after `now` is certain to change the stamp.
    pub fn is_settled_at(&self, now: SystemTime) -> bool {
        let seconds = u64::try_from(self.changed.0).unwrap_or(0);
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        now.duration_since(changed).is_ok_and(|age| age > SETTLING)
    }
}

/// Reads a whole file; `None` if there is none. Opens without blocking, so a FIFO does not hang it.
pub fn read(path: &Path, max: u64, trust: Trust) -> Result<Option<(Stamp, Vec<u8>)>, FileProblem> {
    let io = |source| FileProblem::Io {
        path: path.to_owned(),
        source,
    };
    let file = match open(path, trust) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            return Err(FileProblem::NotRegular {
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(io(error)),
    };
    let metadata = file.metadata().map_err(io)?;
    check(path, &metadata, trust)?;
    // At once: without a size to begin with, a read of a small file is six.
    let expected = usize::try_from(metadata.len().min(max)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(expected + 1);
    // The limit applies to the bytes read: the file may grow after `fstat`.
    // One byte more tells a file of the maximal length from a longer one.
    file.take(max + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > max {
        return Err(FileProblem::TooLarge {
            path: path.to_owned(),
            max,
        });
    }
    Ok(Some((Stamp::of(&metadata), bytes)))
}

/// Checks that the files of a directory whose names begin like this are regular ones.
pub fn require_regular(dir: &Path, prefix: &str) -> Result<(), FileProblem> {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_one = entry.file_name().to_string_lossy().starts_with(prefix);
        if is_one && !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            return Err(FileProblem::NotRegular { path: entry.path() });
        }
    }
    Ok(())
}

fn open(path: &Path, trust: Trust) -> io::Result<File> {
    match trust {
        Trust::Untrusted | Trust::Home => open_regular(File::options().read(true), path),
        Trust::Ours | Trust::Secret => open_linked(File::options().read(true), path),
    }
}

fn check(path: &Path, metadata: &Metadata, trust: Trust) -> Result<(), FileProblem> {
    let path = || path.to_owned();
    if trust == Trust::Untrusted {
        return Ok(());
    }
    let uid = metadata.uid();
    if uid != geteuid().as_raw() && uid != 0 {
        return Err(FileProblem::ForeignOwner { path: path(), uid });
    }
    let exposed = |what| Err(FileProblem::Exposed { path: path(), what });
    match metadata.mode() {
        mode if mode & 0o002 != 0 => exposed("written"),
        mode if trust == Trust::Secret && mode & 0o020 != 0 => exposed("written"),
        mode if trust == Trust::Secret && mode & 0o044 != 0 => exposed("read"),
        _ => Ok(()),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    fn file_with_mode(mode: u32) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "content").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        (dir, path)
    }

    #[test]
    fn modes_are_refused_as_far_as_the_trust_asks() {
        let cases = [
            (0o600, Trust::Secret, true),
            (0o640, Trust::Secret, false),
            (0o604, Trust::Secret, false),
            (0o620, Trust::Secret, false),
            (0o644, Trust::Ours, true),
            (0o664, Trust::Ours, true),
            (0o646, Trust::Ours, false),
            (0o666, Trust::Untrusted, true),
        ];
        for (mode, trust, accepted) in cases {
            let (_dir, path) = file_with_mode(mode);
            let read = read(&path, 100, trust);
            assert_eq!(read.is_ok(), accepted, "{mode:o} {trust:?}");
        }
    }

    #[test]
    fn a_file_of_another_user_is_not_trusted() {
        let (_dir, path) = file_with_mode(0o600);
        if std::os::unix::fs::chown(&path, Some(12_345), None).is_err() {
            return;
        }
        let refused = read(&path, 100, Trust::Ours);
        assert!(matches!(
            refused,
            Err(FileProblem::ForeignOwner { uid: 12_345, .. })
        ));
        assert!(read(&path, 100, Trust::Untrusted).is_ok());
    }

    #[test]
    fn only_regular_files_are_read_and_a_fifo_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap()
                .success()
        );
        for path in [fifo.as_path(), dir.path(), Path::new("/dev/zero")] {
            let refused = read(path, 100, Trust::Untrusted);
            assert!(
                matches!(refused, Err(FileProblem::NotRegular { .. })),
                "{path:?}"
            );
        }
    }

    #[test]
    fn a_link_is_followed_only_where_the_directory_is_ours() {
        let (dir, path) = file_with_mode(0o600);
        let link = dir.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(matches!(
            read(&link, 100, Trust::Untrusted),
            Err(FileProblem::NotRegular { .. })
        ));
        assert!(read(&link, 100, Trust::Ours).is_ok());
        let refused = read(&link, 100, Trust::Home).unwrap_err();
        assert!(
            refused.to_string().contains("link is not a regular file"),
            "{refused}"
        );
    }

    #[test]
    fn a_link_among_the_files_of_a_directory_is_refused_by_name() {
        let (dir, _) = file_with_mode(0o600);
        assert!(require_regular(dir.path(), "file").is_ok());
        symlink("elsewhere", dir.path().join("file.2026-11-27")).unwrap();
        let refused = require_regular(dir.path(), "file").unwrap_err();
        assert!(refused.path().ends_with("file.2026-11-27"));
        assert!(require_regular(dir.path(), "other").is_ok());
    }

    #[test]
    fn a_long_file_is_refused_and_a_missing_one_is_none() {
        let (dir, path) = file_with_mode(0o600);
        assert!(read(&path, 7, Trust::Untrusted).is_ok());
        assert!(matches!(
            read(&path, 6, Trust::Untrusted),
            Err(FileProblem::TooLarge { max: 6, .. })
        ));
        let absent = dir.path().join("none");
        assert!(read(&absent, 7, Trust::Untrusted).unwrap().is_none());
    }
}
