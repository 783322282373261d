//! Where a path leads, links followed as a program that opens it follows them.

use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::path::{Component, Path, PathBuf};

use nix::fcntl::{AtFlags, readlinkat};
use nix::sys::stat::fstatat;

/// The number of links that the kernel follows.
const MAX_LINKS: usize = 40;

/// A link with its target. Its path is relative to the guard's root and without links.
pub(super) type LinkOnTrail = (PathBuf, OsString);

/// The way to a guarded place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Trail {
    pub(super) links: Vec<LinkOnTrail>,
    pub(super) end: TrailEnd,
}

/// The place itself. If it is a link, that is not followed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TrailEnd {
    /// Relative to the root and without links.
    Inside(PathBuf),
    /// Absolute.
    Outside(PathBuf),
    /// A loop of links.
    Nowhere,
}

impl Trail {
    /// The way from `root`, whose path is `root_path`, to `path` below it.
    pub(super) fn of(root: BorrowedFd<'_>, root_path: &Path, path: &Path) -> Self {
        let mut links = Vec::new();
        let (mut real, mut rest) = (PathBuf::new(), reversed(path));
        let end = loop {
            let Some(name) = rest.pop() else {
                break TrailEnd::Inside(real);
            };
            let top = if name == ".." {
                if real.pop() {
                    continue;
                }
                root_path.parent().unwrap_or(root_path).to_owned()
            } else {
                real.push(name);
                let target = (!rest.is_empty()).then(|| readlinkat(root, real.as_path()));
                let Some(Ok(target)) = target else {
                    continue;
                };
                if links.len() == MAX_LINKS {
                    break TrailEnd::Nowhere;
                }
                links.push((real.clone(), target.clone()));
                real.pop();
                let target = PathBuf::from(target);
                if target.is_relative() {
                    rest.extend(reversed(&target));
                    continue;
                }
                target
            };
            let absolute = top.join(rest.drain(..).rev().collect::<PathBuf>());
            match absolute.strip_prefix(root_path) {
                Ok(inside) => (real, rest) = (PathBuf::new(), reversed(inside)),
                Err(_) => break TrailEnd::Outside(absolute),
            }
        };
        Self { links, end }
    }

    pub(super) fn leads_to_something(&self, root: BorrowedFd<'_>) -> bool {
        match &self.end {
            TrailEnd::Inside(path) => {
                fstatat(root, path.as_path(), AtFlags::AT_SYMLINK_NOFOLLOW).is_ok()
            }
            TrailEnd::Outside(path) => path.symlink_metadata().is_ok(),
            TrailEnd::Nowhere => false,
        }
    }
}

/// The names in a path, the last one first.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().filter(|it| *it != Component::CurDir);
    let names = names.map(|it| it.as_os_str().to_owned());
    names.collect::<Vec<_>>().into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_within_the_root_and_out_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("root");
        fs::create_dir_all(root.join("real/deep")).unwrap();
        for (link, target) in [
            ("one", "real"),
            ("two", "./one/deep/.."),
            ("absolute", root.join("two").to_str().unwrap()),
            ("out", "../elsewhere"),
            ("back", "../root/real"),
            ("etc", "/etc"),
            ("loop", "loop"),
            ("real/last", "deep"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let opened = File::open(&root).unwrap();
        let outside = |path: PathBuf| TrailEnd::Outside(path);
        let inside = |path: &str| TrailEnd::Inside(path.into());
        for (path, links, end) in [
            ("real/x", "", inside("real/x")),
            ("one/x", "one", inside("real/x")),
            ("two/x", "two one", inside("real/x")),
            ("absolute/x", "absolute two one", inside("real/x")),
            ("one/last", "one", inside("real/last")),
            ("one", "", inside("one")),
            ("absent/x", "", inside("absent/x")),
            ("out/x", "out", outside(root.with_file_name("elsewhere/x"))),
            ("back/x", "back", inside("real/x")),
            ("etc/x", "etc", outside("/etc/x".into())),
        ] {
            let trail = Trail::of(opened.as_fd(), &root, Path::new(path));
            let found: Vec<_> = trail
                .links
                .iter()
                .map(|it| it.0.to_str().unwrap())
                .collect();
            assert_eq!(
                (found.join(" ").as_str(), &trail.end),
                (links, &end),
                "{path}"
            );
        }
        let lost = Trail::of(opened.as_fd(), &root, Path::new("loop/x"));
        assert_eq!(lost.end, TrailEnd::Nowhere);
    }
}
