//! Where a path leads, links followed, whether or not the file exists.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The greatest number of links to missing files that are followed: the kernel's.
const MAX_LINKS: usize = 40;

/// The absolute path of the file that `path`, which is absolute, leads to. Missing names at its end are
/// kept as they are.
///
/// # Errors
/// It cannot be told where it leads: a loop, a directory that cannot be searched, a missing name before
/// `..`.
pub(crate) fn real_target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    let mut missing = Vec::new();
    let mut links = 0;
    loop {
        match path.canonicalize() {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Ok(real);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        match fs::read_link(&path) {
            Ok(target) if links < MAX_LINKS => {
                links += 1;
                path = parent.join(target);
            }
            Ok(_) => return Err(io::Error::other("too many links")),
            Err(_) => {
                missing.push(name.to_owned());
                path = parent.to_owned();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_files_that_do_not_exist_yet() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        fs::create_dir(dir.join("real")).unwrap();
        symlink("real", dir.join("link")).unwrap();
        symlink("link/new", dir.join("dangling")).unwrap();
        symlink(dir.join("dangling"), dir.join("chain")).unwrap();
        symlink("loop", dir.join("loop")).unwrap();
        symlink("absent/../real", dir.join("lost")).unwrap();
        let target = |path: &str| real_target(&dir.join(path)).ok();
        assert_eq!(target("link"), Some(dir.join("real")));
        assert_eq!(target("link/a/b"), Some(dir.join("real/a/b")));
        assert_eq!(target("dangling"), Some(dir.join("real/new")));
        assert_eq!(target("chain"), Some(dir.join("real/new")));
        assert_eq!(target("chain/x"), Some(dir.join("real/new/x")));
        assert_eq!(target("link/../absent"), Some(dir.join("absent")));
        for lost in ["loop", "loop/x", "absent/../x", "lost"] {
            assert_eq!(target(lost), None, "{lost}");
        }
    }
}
