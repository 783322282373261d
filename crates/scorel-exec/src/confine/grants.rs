//! The paths that a sandbox grants access to.
//!
//! Landlock rules only add rights, and a rule on a directory holds for everything below it. So a
//! hidden place is left out by granting every entry of the directories above it instead. A file that
//! appears next to a hidden place later is therefore not readable for a command that runs by then.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::terminals::TERMINALS;
use crate::sandbox::{Sandbox, real};

/// Devices that store nothing and lead to nothing outside of the sandbox.
const DEVICES: &[&str] = &[
    // They take everything or give the same to everyone.
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
    // A new terminal, which nothing else has open.
    "/dev/ptmx",
    // The terminal of the command's own session, which begins without one.
    "/dev/tty",
];

/// Levels of directories that are granted entry by entry; the entries of each are listed for every
/// command.
const MAX_DEPTH: usize = 32;

/// Access to one path and everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathGrant {
    pub(super) path: PathBuf,
    pub(super) kind: GrantKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GrantKind {
    /// List directories.
    List,
    /// Read and execute.
    Read,
    /// Read, execute and change everything, but make no device files.
    Write,
    /// Read and write a device.
    Device,
}

pub(super) fn of(sandbox: &Sandbox) -> Vec<PathGrant> {
    let hidden = HiddenPlaces::of(sandbox);
    let mut grants = vec![PathGrant {
        path: PathBuf::from("/"),
        kind: GrantKind::List,
    }];
    grant(Path::new("/"), GrantKind::Read, &hidden, 0, &mut grants);
    for shown in &sandbox.shown {
        if let Ok(shown) = shown.canonicalize() {
            grant(&shown, GrantKind::Read, &hidden, 0, &mut grants);
        }
    }
    for writable in sandbox.granted() {
        grant(writable, GrantKind::Write, &hidden, 0, &mut grants);
    }
    // Without mounts they are the user's.
    let own_terminals = sandbox.isolation.mounts.then_some(TERMINALS);
    let devices = DEVICES.iter().copied().chain(own_terminals);
    grants.extend(devices.map(|path| PathGrant {
        path: PathBuf::from(path),
        kind: GrantKind::Device,
    }));
    grants
}

/// A directory has hundreds of entries, and there are dozens of hidden places: they are looked up, not compared.
struct HiddenPlaces {
    places: HashSet<PathBuf>,
    /// The directories that they are in.
    around: HashSet<PathBuf>,
}

impl HiddenPlaces {
    fn of(sandbox: &Sandbox) -> Self {
        let mut places: HashSet<_> = sandbox.hidden.iter().map(|place| real(place)).collect();
        // A superuser's disks and memory hold every hidden file.
        places.insert(PathBuf::from("/dev"));
        let around = places.iter().flat_map(|place| place.ancestors().skip(1));
        Self {
            around: around.map(Path::to_owned).collect(),
            places,
        }
    }
}

/// Grants `path`, or its entries one by one if something below it is hidden.
fn grant(
    path: &Path,
    kind: GrantKind,
    hidden: &HiddenPlaces,
    depth: usize,
    grants: &mut Vec<PathGrant>,
) {
    if depth == MAX_DEPTH || !hidden.around.contains(path) {
        grants.push(PathGrant {
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
        if !is_link && !hidden.places.contains(&entry_path) {
            grant(&entry_path, kind, hidden, depth + 1, grants);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants_below(dir: &Path, sandbox: &Sandbox) -> Vec<(String, GrantKind)> {
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
            ("a/c", GrantKind::Read),
            ("absent", GrantKind::Write),
            ("work", GrantKind::Read),
            ("work", GrantKind::Write),
        ];
        assert_eq!(
            grants_below(&home, &sandbox),
            expected.map(|(path, kind)| (path.to_owned(), kind))
        );
    }

    #[test]
    fn a_shown_place_below_a_hidden_one_is_granted_for_reading() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("agent/skills/own")).unwrap();
        fs::write(home.join("agent/login"), "").unwrap();
        let sandbox = Sandbox {
            hidden: vec![home.join("agent")],
            shown: vec![home.join("agent/skills"), home.join("agent/absent")],
            ..Sandbox::default()
        };
        let expected = [("agent/skills".to_owned(), GrantKind::Read)];
        assert_eq!(grants_below(&home, &sandbox), expected);
    }

    #[test]
    fn a_writable_place_at_or_below_a_hidden_one_is_granted_only_if_it_is_shown() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        for name in ["daemon/trees/1/src", "daemon/trees/2", "keys"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        let places = ["daemon/trees/1/src", "daemon/trees/2", "daemon", "keys"];
        let sandbox = Sandbox {
            writable: places.map(|name| home.join(name)).to_vec(),
            hidden: vec![home.join("daemon"), home.join("keys")],
            shown: vec![home.join("daemon/trees/1")],
            ..Sandbox::default()
        };
        let expected = [
            ("daemon/trees/1", GrantKind::Read),
            ("daemon/trees/1/src", GrantKind::Write),
        ];
        let expected = expected.map(|(path, kind)| (path.to_owned(), kind));
        assert_eq!(grants_below(&home, &sandbox), expected);
    }
}
