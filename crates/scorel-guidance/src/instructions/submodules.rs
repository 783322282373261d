//! Submodules that are not checked out, as in every new worktree of an agent.

use std::io::Read as _;
use std::path::Path;

use scorel_fs::text_of;
use scorel_tools::{Root, RootName, Roots};

/// Bytes of `.gitmodules` that are read.
const MAX_BYTES: u64 = 64 * 1024;

/// The most submodules that are named.
const MAX_NAMES: usize = 10;

/// The line of the prompt about them; empty if there are none.
pub(super) fn empty_submodules(dir: &Path) -> String {
    let found = empty(dir).unwrap_or_default();
    if found.is_empty() {
        return String::new();
    }
    let more = if found.len() > MAX_NAMES { ", …" } else { "" };
    let names = found.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>();
    format!(
        "\nsubmodules that are not checked out, so their directories are empty: {}{more}",
        names.join(", ")
    )
}

fn empty(dir: &Path) -> Option<Vec<String>> {
    dir.join(".gitmodules").symlink_metadata().ok()?;
    let roots = Roots::new(Root::open(RootName::Project, dir).ok()?);
    let file = roots.open_file(&roots.locate(".gitmodules").ok()?).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let text = text_of(&bytes);
    let values = text.lines().filter_map(|line| {
        let value = line.trim_start().strip_prefix("path")?;
        Some(value.trim_start().strip_prefix('=')?.trim())
    });
    // Anything else could be more than a name in the prompt.
    let is_plain = |path: &&str| {
        let plain = |letter: char| letter.is_alphanumeric() || "._-/+".contains(letter);
        path.chars().all(plain) && !path.starts_with('/') && !path.contains("..")
    };
    let is_empty = |path: &&str| {
        let entries = dir.join(path).read_dir();
        entries.is_ok_and(|mut entries| entries.next().is_none())
    };
    let found = values.filter(is_plain).filter(is_empty);
    Some(found.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn submodules_that_are_empty_are_named() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(empty_submodules(dir.path()), "");
        let module = |path: &str| format!("[submodule \"{path}\"]\n\tpath = {path}\n\turl = u\n");
        let modules: String = ["lib/a", "full", "gone", "<b>", "../out"]
            .map(module)
            .concat();
        fs::write(dir.path().join(".gitmodules"), modules).unwrap();
        for made in ["lib/a", "full/src", "<b>"] {
            fs::create_dir_all(dir.path().join(made)).unwrap();
        }
        let said = empty_submodules(dir.path());
        assert!(said.ends_with("are empty: lib/a"), "{said}");
        fs::remove_file(dir.path().join(".gitmodules")).unwrap();
        let pipe = dir.path().join(".gitmodules");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(empty_submodules(dir.path()), "");
    }
}
