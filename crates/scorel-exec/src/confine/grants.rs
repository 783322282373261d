//! The places that a sandbox opens.
//!
//! Landlock only grants, and what it grants on a directory holds for everything below. A hidden
//! place is therefore left out by granting every entry of the directories above it instead.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::Sandbox;

/// Devices that any program may use: they keep nothing, and lead nowhere.
const DEVICES: &[&str] = &[
    "/dev/full",
    "/dev/null",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/random",
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
];

/// Deeper, nothing is left out: it would cost too much.
const MAX_DEPTH: usize = 32;

/// One place with everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

/// What may be done there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// See the names in directories.
    List,
    /// Read and execute.
    Read,
    /// Read, execute and change everything but devices.
    Write,
    /// Use a device.
    Device,
}

/// All grants of a sandbox.
pub(super) fn of(sandbox: &Sandbox) -> Vec<Grant> {
    let mut hidden: Vec<PathBuf> = sandbox.hidden.iter().map(|place| real(place)).collect();
    // Disks and memory, if the user may read them, have everything in them.
    hidden.push(PathBuf::from("/dev"));
    let mut grants = vec![Grant {
        path: PathBuf::from("/"),
        kind: Kind::List,
    }];
    grant(Path::new("/"), Kind::Read, &hidden, 0, &mut grants);
    for writable in &sandbox.writable {
        if let Ok(writable) = writable.canonicalize() {
            grant(&writable, Kind::Write, &hidden, 0, &mut grants);
        }
    }
    grants.extend(DEVICES.iter().map(|path| Grant {
        path: PathBuf::from(path),
        kind: Kind::Device,
    }));
    grants
}

/// Grants `path`, or what is below it if something there is hidden.
fn grant(path: &Path, kind: Kind, hidden: &[PathBuf], depth: usize, grants: &mut Vec<Grant>) {
    let has_hidden = |place: &PathBuf| place != path && place.starts_with(path);
    if depth == MAX_DEPTH || !hidden.iter().any(has_hidden) {
        grants.push(Grant {
            path: path.to_owned(),
            kind,
        });
        return;
    }
    let Ok(entries) = fs::read_dir(path) else {
        return;
    };
    for entry in entries.flatten() {
        let entry_path = entry.path();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if !is_link && !hidden.contains(&entry_path) {
            grant(&entry_path, kind, hidden, depth + 1, grants);
        }
    }
}

/// The path without links. A place that does not exist yet is below its real parent.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants_below(dir: &Path, sandbox: &Sandbox) -> Vec<(String, Kind)> {
        let mut found: Vec<_> = of(sandbox)
            .into_iter()
            .filter_map(|grant| {
                let path = grant.path.strip_prefix(dir).ok()?;
                Some((path.to_str()?.to_owned(), grant.kind))
            })
            .collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    #[test]
    fn a_hidden_place_is_left_out_and_its_neighbours_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        for name in [".ssh/keys", "work/src", "a/b/secret", "a/c"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(".ssh", home.join("link")).unwrap();
        let sandbox = Sandbox {
            writable: vec![home.join("work"), home.join("absent")],
            hidden: vec![
                home.join(".ssh"),
                home.join("a/b/secret"),
                home.join("a/new"),
            ],
            ..Sandbox::default()
        };
        let expected = [
            ("a/c", Kind::Read),
            ("work", Kind::Read),
            ("work", Kind::Write),
        ];
        assert_eq!(
            grants_below(&home, &sandbox),
            expected.map(|(path, kind)| (path.to_owned(), kind))
        );
    }

    #[test]
    fn something_writable_below_a_hidden_place_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("daemon/tmp/1")).unwrap();
        let sandbox = Sandbox {
            writable: vec![home.join("daemon/tmp/1")],
            hidden: vec![home.join("daemon")],
            ..Sandbox::default()
        };
        let expected = [("daemon/tmp/1".to_owned(), Kind::Write)];
        assert_eq!(grants_below(&home, &sandbox), expected);
    }
}
