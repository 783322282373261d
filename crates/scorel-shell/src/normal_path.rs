//! Paths without `.` and `..`.

use std::path::{Component, Path, PathBuf};

/// Removes `.`, `..` and redundant slashes lexically, as if there were no symbolic links.
pub fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => result.push(name),
            Component::ParentDir => {
                result.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    result
}
