//! Which paths git ignores: files there can be made again.
//!
//! The judge of commands opens no file, so the gate looks for it.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Paths of one command that are looked at. Of one that discards more nothing counts as ignored.
const MAX_PATHS: usize = 64;

/// A longer list of patterns is left out, in bytes.
const MAX_PATTERNS: u64 = 256 * 1024;

/// Those of the paths, absolute ones, that are in the project and ignored by git there.
pub(crate) fn ignored(project: &Path, paths: Vec<PathBuf>) -> Vec<PathBuf> {
    if paths.len() > MAX_PATHS {
        return Vec::new();
    }
    let top = project
        .ancestors()
        .find(|dir| dir.join(".git").exists())
        .unwrap_or(project);
    let is_ignored = |path: &PathBuf| path.starts_with(project) && is_ignored(top, path);
    paths.into_iter().filter(is_ignored).collect()
}

/// Those of the paths where something is, of the first few.
pub(crate) fn existing(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let first = paths.into_iter().take(MAX_PATHS);
    first
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .collect()
}

/// The innermost list that says something about the path decides, as in git.
fn is_ignored(top: &Path, path: &Path) -> bool {
    // An absent path counts as a directory: nothing can be lost there, whatever it would have been.
    let is_dir = fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_dir());
    let inside = |dir: &&Path| dir.starts_with(top);
    for dir in path.ancestors().skip(1).take_while(inside) {
        let mut lists = vec![dir.join(".gitignore")];
        if dir == top {
            lists.push(dir.join(".git/info/exclude"));
        }
        for list in lists {
            let Some(patterns) = patterns(dir, &list) else {
                continue;
            };
            match patterns.matched_path_or_any_parents(path, is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
    }
    false
}

fn patterns(dir: &Path, list: &Path) -> Option<Gitignore> {
    let metadata = fs::metadata(list).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_PATTERNS {
        return None;
    }
    let mut builder = GitignoreBuilder::new(dir);
    // A line that is no pattern is skipped, as git does.
    let _ = builder.add(list);
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_ignores_is_found_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let project = top.join("app");
        fs::create_dir_all(project.join("src/cache")).unwrap();
        fs::create_dir_all(project.join("keep/build")).unwrap();
        fs::create_dir_all(top.join(".git/info")).unwrap();
        fs::write(
            top.join(".gitignore"),
            "/app/target\nnode_modules/\nbuild\n",
        )
        .unwrap();
        fs::write(project.join("keep/.gitignore"), "!build\n").unwrap();
        fs::write(project.join("src/.gitignore"), "cache\n").unwrap();
        fs::write(top.join(".git/info/exclude"), "scratch\n").unwrap();
        let found = |path: &str| !ignored(&project, vec![project.join(path)]).is_empty();
        for path in [
            "target",
            "target/debug/x",
            "a/node_modules",
            "src/cache/x",
            "scratch",
            "build",
        ] {
            assert!(found(path), "{path}");
        }
        for path in ["", "src", "src/main.rs", "cache", "keep/build", "../target"] {
            assert!(!found(path), "{path}");
        }
        assert!(ignored(&project, vec![top.join("other/node_modules")]).is_empty());
    }
}
