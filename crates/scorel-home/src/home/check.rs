use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use nix::unistd::geteuid;
use scorel_fs::if_present;

use super::HomeError;

/// Creates the directory if it is missing, and verifies it.
pub(super) fn prepare(root: &Path) -> Result<(), HomeError> {
    let failed = |action, source| HomeError::Io {
        action,
        path: root.to_owned(),
        source,
    };
    let there =
        if_present(fs::symlink_metadata(root)).map_err(|source| failed("access", source))?;
    if there.is_none() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(root);
        made.map_err(|source| failed("create", source))?;
        // The umask applies to `mode`: one that masks owner bits would leave it unusable.
        set_private(root)?;
    }
    let metadata = verify(root)?;
    if metadata.mode() & 0o077 != 0 {
        set_private(root)?;
    }
    Ok(())
}

/// Checks that only this user can change the directory, its content or its name.
pub(super) fn verify(dir: &Path) -> Result<Metadata, HomeError> {
    let failed = |source| HomeError::Io {
        action: "access",
        path: dir.to_owned(),
        source,
    };
    let metadata = fs::symlink_metadata(dir).map_err(failed)?;
    let path = || dir.to_owned();
    if metadata.is_symlink() {
        return Err(HomeError::Symlink { path: path() });
    }
    if !metadata.is_dir() {
        return Err(HomeError::NotDirectory { path: path() });
    }
    if metadata.uid() != geteuid().as_raw() {
        return Err(HomeError::ForeignOwner {
            path: path(),
            uid: metadata.uid(),
        });
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(HomeError::Writable { path: path() });
    }
    verify_above(&fs::canonicalize(dir).map_err(failed)?)?;
    Ok(metadata)
}

/// In a world-writable ancestor without the sticky bit, any user could rename the home away and put
/// another directory in its place.
fn verify_above(dir: &Path) -> Result<(), HomeError> {
    for path in dir.ancestors().skip(1) {
        let metadata = fs::metadata(path).map_err(|source| HomeError::Io {
            action: "access",
            path: path.to_owned(),
            source,
        })?;
        let mode = metadata.mode();
        if mode & 0o002 != 0 && mode & 0o1000 == 0 {
            return Err(HomeError::ReplaceableParent {
                path: path.to_owned(),
            });
        }
    }
    Ok(())
}

fn set_private(root: &Path) -> Result<(), HomeError> {
    fs::set_permissions(root, Permissions::from_mode(0o700)).map_err(|source| HomeError::Io {
        action: "set the mode of",
        path: root.to_owned(),
        source,
    })
}
