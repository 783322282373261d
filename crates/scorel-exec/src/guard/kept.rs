//! Names for the changed version of a restored file, which is kept beside it.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

const SUFFIX: &str = ".scorel-put-back";

/// Versions kept of one name. Later ones replace each other, so that a command in a loop cannot fill
/// the disk with them.
pub(super) const MAX_VERSIONS: u32 = 20;

/// Returns whether the name is one that this module makes.
pub(super) fn is_kept(name: &OsStr) -> bool {
    name.to_string_lossy().contains(SUFFIX)
}

/// Returns whether no program looks for a file of this name: git's samples, and kept versions.
pub(super) fn is_inert(name: &OsStr) -> bool {
    name.as_bytes().ends_with(b".sample") || is_kept(name)
}

/// The name of the `n`-th kept version.
pub(super) fn version(name: &OsStr, n: u32) -> OsString {
    let suffix = if n == 0 {
        SUFFIX.to_owned()
    } else {
        format!("{SUFFIX}-{n}")
    };
    with_suffix(name, &suffix)
}

/// A name that no command can have taken before.
pub(super) fn unforeseen(name: &OsStr) -> OsString {
    let number = RandomState::new().hash_one(0);
    with_suffix(name, &format!("{SUFFIX}-{number:016x}"))
}

/// Cuts `name` where the result would exceed `NAME_MAX`.
fn with_suffix(name: &OsStr, suffix: &str) -> OsString {
    const NAME_MAX: usize = 255;
    let mut bytes = name.as_bytes().to_vec();
    bytes.truncate(NAME_MAX - suffix.len());
    bytes.extend_from_slice(suffix.as_bytes());
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_names_of_their_own() {
        let name = OsStr::new("config");
        assert_eq!(version(name, 0), "config.scorel-put-back");
        assert_eq!(version(name, 3), "config.scorel-put-back-3");
        assert!(is_kept(&version(name, 3)) && is_kept(&unforeseen(name)));
        assert!(is_inert(OsStr::new("pre-commit.sample")) && !is_inert(name));
    }

    #[test]
    fn a_long_name_still_fits() {
        let long = OsString::from("x".repeat(255));
        assert_eq!(version(&long, 7).len(), 255);
        assert!(is_kept(&version(&long, 7)));
    }
}
