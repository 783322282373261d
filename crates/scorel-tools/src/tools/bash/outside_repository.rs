//! A repository whose data is outside of the project: the project is a linked work tree, a submodule,
//! or a directory further down.
//!
//! Git must be able to write there. But the project says where its repository is, and
//! a project can come from anywhere. So the repository must know the project, too.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_fs::{named_git_dir, read_foreign_text};
use scorel_permission::protected::GIT_DIRECTORY;

/// Entries of a common directory that git writes from a linked work tree. The others belong to the
/// main one, or configure git.
const WRITTEN: [&str; 10] = [
    "gc.pid",
    "info",
    "lfs",
    "logs",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "rr-cache",
    "worktrees",
];

/// A repository whose data is outside of the project.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutsideRepository {
    /// Its data: `.git` of the main work tree, or what stands in for it. Canonical.
    pub(super) data: PathBuf,
    /// The data of the project alone, if it is a linked work tree. Below `data`.
    pub(super) of_work_tree: Option<PathBuf>,
}

impl OutsideRepository {
    /// The repository that git finds from the project, an absolute path without links. `None` if it
    /// is in the project, there is none, or it does not know the project.
    pub(super) fn of(project: &Path) -> Option<Self> {
        for work_tree in project.ancestors() {
            let place = work_tree.join(GIT_DIRECTORY);
            let Ok(metadata) = fs::symlink_metadata(&place) else {
                continue;
            };
            let found = if metadata.is_dir() {
                Self::with_data(&place)
            } else if metadata.is_file() {
                Self::named_by(&place)
            } else {
                None
            };
            // The first that is there ends git's own search.
            return found.filter(|found| !found.data.starts_with(project));
        }
        None
    }

    fn with_data(place: &Path) -> Option<Self> {
        let data = place.canonicalize().ok()?;
        let is_data = data.join("HEAD").is_file() && data.join("objects").is_dir();
        is_data.then_some(Self {
            data,
            of_work_tree: None,
        })
    }

    /// The repository that a `.git` file names.
    fn named_by(file: &Path) -> Option<Self> {
        let work_tree = file.parent()?;
        let text = read_foreign_text(file)?;
        let named = work_tree.join(named_git_dir(&text)?);
        let named = named.canonicalize().ok()?;
        let Some(common) = read_foreign_text(&named.join("commondir")) else {
            let found = Self::with_data(&named)?;
            return is_work_tree_of(&named, work_tree).then_some(found);
        };
        let found = Self::with_data(&named.join(common.trim_end()))?;
        let back = read_foreign_text(&named.join("gitdir"))?;
        let knows = named.join(back.trim_end()).canonicalize().ok()? == file.canonicalize().ok()?;
        let is_inside = named.parent() == Some(&found.data.join("worktrees"));
        (knows && is_inside).then_some(Self {
            of_work_tree: Some(named),
            ..found
        })
    }

    /// Entries that a command in a linked work tree has no reason to change: all but those that git
    /// writes from there. Absolute paths of existing entries.
    pub(super) fn of_others(&self) -> Vec<PathBuf> {
        let Some(own) = &self.of_work_tree else {
            return Vec::new();
        };
        let mut places = entries(&self.data);
        let is_written = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            WRITTEN.iter().any(|written| name == *written)
        };
        places.retain(|path| !is_written(path));
        let info = entries(&self.data.join("info"));
        places.extend(info.into_iter().filter(|path| !path.ends_with("refs")));
        let worktrees = entries(&self.data.join("worktrees"));
        places.extend(worktrees.into_iter().filter(|path| path != own));
        places.extend(["commondir", "gitdir"].map(|name| own.join(name)));
        places
    }
}

/// Returns whether the configuration in `data` names the work tree, as that of a submodule does.
fn is_work_tree_of(data: &Path, work_tree: &Path) -> bool {
    let config = read_foreign_text(&data.join("config")).unwrap_or_default();
    let named = config.lines().find_map(|line| {
        let (key, value) = line.trim().split_once('=')?;
        (key.trim().eq_ignore_ascii_case("worktree")).then(|| value.trim())
    });
    let real = |path: &Path| path.canonicalize().ok();
    named.is_some_and(|named| {
        real(&data.join(named)).is_some_and(|named| Some(named) == real(work_tree))
    })
}

pub(super) fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Trees(tempfile::TempDir);

    impl Trees {
        fn new() -> Self {
            let trees = Self(tempfile::tempdir().unwrap());
            trees.git("init -q -b main main");
            trees.git("-C main -c user.name=n -c user.email=e commit -q --allow-empty -m m");
            trees.git("-C main worktree add -q ../linked");
            trees
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn git(&self, arguments: &str) {
            let mut command = std::process::Command::new("git");
            command.current_dir(self.0.path());
            let output = command.args(arguments.split(' ')).output().unwrap();
            assert!(output.status.success(), "{arguments}: {output:?}");
        }
    }

    #[test]
    fn work_trees_and_directories_further_down_have_their_repository_outside() {
        let trees = Trees::new();
        fs::create_dir_all(trees.path("main/a/b")).unwrap();
        let data = trees.path("main/.git");
        let own = trees.path("main/.git/worktrees/linked");
        let linked = OutsideRepository {
            data: data.clone(),
            of_work_tree: Some(own.clone()),
        };
        let below = OutsideRepository {
            data,
            of_work_tree: None,
        };
        assert_eq!(OutsideRepository::of(&trees.path("main")), None);
        assert_eq!(OutsideRepository::of(&trees.path("main/a/b")), Some(below));
        let others = linked.of_others();
        assert!(others.contains(&trees.path("main/.git/HEAD")), "{others:?}");
        assert!(others.contains(&own.join("commondir")), "{others:?}");
        assert!(!others.contains(&trees.path("main/.git/objects")) && !others.contains(&own));
        assert_eq!(OutsideRepository::of(&trees.path("linked")), Some(linked));
    }

    #[test]
    fn a_submodule_is_known_to_its_repository() {
        let trees = Trees::new();
        trees.git("-C main -c protocol.file.allow=always submodule --quiet add ../main sub");
        let found = OutsideRepository::of(&trees.path("main/sub")).unwrap();
        assert_eq!(found.data, trees.path("main/.git/modules/sub"));
    }

    #[test]
    fn a_repository_that_does_not_know_the_project_is_not_taken() {
        let trees = Trees::new();
        for (name, target) in [
            ("forged", "main/.git/worktrees/linked"),
            ("other", "main/.git"),
        ] {
            fs::create_dir(trees.path(name)).unwrap();
            let text = format!("gitdir: {}\n", trees.path(target).display());
            fs::write(trees.path(name).join(".git"), text).unwrap();
            assert_eq!(OutsideRepository::of(&trees.path(name)), None, "{name}");
        }
        std::os::unix::fs::symlink(trees.path("main/.git"), trees.path("link")).unwrap();
        assert_eq!(OutsideRepository::of(&trees.path("")), None);
    }
}
