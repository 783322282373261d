//! Links on the way to a writable place.
//!
//! A command can make a link wherever it can write. If a place were granted by such a path, the command
//! after it could write wherever the link leads. So a link is followed only where no command could have
//! made it. What is found is a path without links, and is opened as one: if a link appears on it before
//! it is mounted, nothing is granted.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// As many as the kernel follows.
const MAX_LINKS: usize = 40;

/// A wanted place, and its path without links; `None` if it is left out for a link on its way.
pub(crate) type ResolvedPlace<'a> = (&'a PathBuf, Option<PathBuf>);

/// Resolves places, absolute paths, which commands will be able to write. Links at or below them, and below
/// `changeable`, are not followed. Absent places are skipped.
pub(crate) fn resolve<'a>(wanted: &'a [PathBuf], changeable: &[PathBuf]) -> Vec<ResolvedPlace<'a>> {
    let mut roots = [wanted, changeable].concat();
    loop {
        let one = |place: &'a PathBuf| match resolve_one(place, &roots) {
            Resolved::Place(path) => Some((place, Some(path))),
            Resolved::Link => Some((place, None)),
            Resolved::Absent => None,
        };
        let found: Vec<_> = wanted.iter().filter_map(one).collect();
        let real = found.iter().filter_map(|(_, path)| path.clone());
        let new: Vec<_> = real.filter(|path| !roots.contains(path)).collect();
        // Where one place leads, a command can make links on the way to another.
        if new.is_empty() {
            return found;
        }
        roots.extend(new);
    }
}

enum Resolved {
    Place(PathBuf),
    /// There is a link that a command may have made.
    Link,
    Absent,
}

fn resolve_one(place: &Path, roots: &[PathBuf]) -> Resolved {
    let mut real = PathBuf::from("/");
    let mut left = reversed(place);
    let mut links = 0;
    while let Some(name) = left.pop() {
        if name == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&name);
        let Ok(metadata) = fs::symlink_metadata(&next) else {
            return Resolved::Absent;
        };
        if !metadata.is_symlink() {
            real = next;
            continue;
        }
        links += 1;
        if links > MAX_LINKS || roots.iter().any(|root| real.starts_with(root)) {
            return Resolved::Link;
        }
        let Ok(target) = fs::read_link(&next) else {
            return Resolved::Absent;
        };
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        left.extend(reversed(&target));
    }
    Resolved::Place(real)
}

/// The names in a path, the first one last.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().rev();
    let named = names.filter(|it| matches!(it, Component::Normal(_) | Component::ParentDir));
    named.map(|it| it.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Directories, links with their targets, wanted places, and what is found of each: a path, or `-`
    /// for one that is left out.
    struct Case {
        links: &'static [(&'static str, &'static str)],
        wanted: &'static [&'static str],
        found: &'static [&'static str],
    }

    const DIRECTORIES: &[&str] = &[
        "home/.ssh",
        "home/.cache/uv",
        "home/go",
        "home/work",
        "big/cache/pip",
        "other",
    ];

    const CASES: &[Case] = &[
        // Nothing but the project and a cache.
        Case {
            links: &[],
            wanted: &["home/work", "home/.cache/uv", "home/absent"],
            found: &["home/work", "home/.cache/uv"],
        },
        // The user's own link, before a cache and at one.
        Case {
            links: &[
                ("home/.caches", "../big/cache"),
                ("home/pip", "/big/cache/pip"),
            ],
            wanted: &["home/work", "home/.caches/pip", "home/pip"],
            found: &["home/work", "big/cache/pip", "big/cache/pip"],
        },
        // A command made it: the home is the project.
        Case {
            links: &[("home/.cache/pip", "../.ssh"), ("home/go/pkg", "/other")],
            wanted: &["home", "home/.cache/pip", "home/go/pkg", "home/.cache/uv"],
            found: &["home", "-", "-", "home/.cache/uv"],
        },
        // The same by a directory on the way, by a link to a link, and by a loop.
        Case {
            links: &[
                ("home/.npm", ".ssh"),
                ("home/one", "two"),
                ("home/two", "/other"),
                ("home/loop", "loop"),
            ],
            wanted: &["home", "home/.npm/x", "home/one", "home/loop"],
            found: &["home", "-", "-", "-"],
        },
        // A link in a cache, which another place has in its path.
        Case {
            links: &[("home/.cache/uv/link", "/other")],
            wanted: &["home/work", "home/.cache/uv", "home/.cache/uv/link/x"],
            found: &["home/work", "home/.cache/uv", "-"],
        },
        // Where the user's link leads, another place begins: a link there is a command's.
        Case {
            links: &[("home/all", "/big"), ("big/link", "/other")],
            wanted: &["home/all", "big/link", "home/all/link"],
            found: &["big", "-", "-"],
        },
        // `..` after a link is where the link leads, and leads out of the project only as text.
        Case {
            links: &[("home/.caches", "../big/cache")],
            wanted: &["home/.caches/../cache/pip", "home/work/../.cache/uv"],
            found: &["big/cache/pip", "home/.cache/uv"],
        },
        // A link that leads nowhere grants nothing, even one of the user's own.
        Case {
            links: &[("home/gone", "nowhere"), ("home/work/gone", "nowhere")],
            wanted: &["home/work", "home/gone", "home/work/gone"],
            found: &["home/work", "-"],
        },
    ];

    fn check(case: &Case, changeable: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let path = |name: &&str| root.join(name);
        for name in DIRECTORIES {
            fs::create_dir_all(path(name)).unwrap();
        }
        for (name, target) in case.links {
            let target = match target.strip_prefix('/') {
                Some(inside) => root.join(inside),
                None => PathBuf::from(target),
            };
            symlink(target, path(name)).unwrap();
        }
        let wanted: Vec<_> = case.wanted.iter().map(path).collect();
        let changeable: Vec<_> = changeable.iter().map(path).collect();
        let found: Vec<String> = resolve(&wanted, &changeable)
            .into_iter()
            .map(|(_, found)| match found {
                Some(found) => found.strip_prefix(&root).unwrap().to_str().unwrap().into(),
                None => "-".to_owned(),
            })
            .collect();
        assert_eq!(found, case.found, "{:?} {:?}", case.links, case.wanted);
    }

    #[test]
    fn a_link_is_followed_only_where_no_command_could_have_made_it() {
        for case in CASES {
            check(case, &[]);
        }
    }

    #[test]
    fn commands_of_other_projects_make_links_too() {
        let case = Case {
            links: &[("home/pip", "/other")],
            wanted: &["home/work", "home/pip"],
            found: &["home/work", "-"],
        };
        check(&case, &["home"]);
    }
}
