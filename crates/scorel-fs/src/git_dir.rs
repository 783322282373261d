//! Git directories, which the `.git` file of a linked work tree or a submodule names.

use std::path::{Path, PathBuf};

use crate::foreign_text::read_foreign_text;

/// The git directory that the content of a `.git` file names, relative to the file's directory or
/// absolute. `None` if git would refuse the content.
pub fn named_git_dir(content: &str) -> Option<&Path> {
    let named = content.strip_prefix("gitdir: ")?;
    Some(Path::new(named.trim_end()))
}

/// The git directory of a work tree: what its `.git` file names, or `.git` itself. It need not exist.
pub fn git_dir(work_tree: &Path) -> PathBuf {
    let place = work_tree.join(".git");
    let content = read_foreign_text(&place).unwrap_or_default();
    named_git_dir(&content).map_or(place, |named| work_tree.join(named))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_git_file_names_the_directory() {
        let tree = tempfile::tempdir().unwrap();
        let tree = tree.path();
        assert_eq!(git_dir(tree), tree.join(".git"));
        fs::write(tree.join(".git"), "gitdir: ../data\n").unwrap();
        assert_eq!(git_dir(tree), tree.join("../data"));
        fs::write(tree.join(".git"), "gitdir: /data \n").unwrap();
        assert_eq!(git_dir(tree), Path::new("/data"));
        fs::write(tree.join(".git"), "gitdir:/data\n").unwrap();
        assert_eq!(git_dir(tree), tree.join(".git"));
        fs::remove_file(tree.join(".git")).unwrap();
        fs::create_dir(tree.join(".git")).unwrap();
        assert_eq!(git_dir(tree), tree.join(".git"));
    }
}
