//! Submodules: their data says where their work tree is.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::path::Path;

use super::files::read_file;
use super::restore::Restorer;
use super::settings::MAX_CONFIGURATION;
use super::trail::TrailEnd;
use crate::git_settings::GitSetting;

impl Restorer<'_> {
    /// The setting `core.worktree` that a submodule has now in its data at `path`, which is `dir`: git
    /// writes it when it makes or moves the submodule, and removes it when that is not checked out any
    /// more. `None` if it is not a submodule, or its work tree is not in the project: git would write files
    /// wherever the command says.
    pub(super) fn work_tree_of_module(&self, dir: BorrowedFd<'_>, path: &Path) -> Option<String> {
        if !path.iter().any(|name| name == "modules") {
            return None;
        }
        let (_, text) = read_file(dir, OsStr::new("config"), MAX_CONFIGURATION).ok()??;
        let settings = GitSetting::read(str::from_utf8(&text).ok()?)?;
        let Some(setting) = settings.into_iter().find(GitSetting::is_work_tree) else {
            return Some(String::new());
        };
        // Git itself writes relative paths without escapes.
        let is_gits = |it: &String| !it.starts_with('/') && !it.contains(['"', '\\', '\n']);
        let value = setting.value.filter(is_gits)?;
        let is_inside = match self.trail(&path.join(&value).join(".git")).end {
            TrailEnd::Inside(_) => true,
            TrailEnd::Outside(path) => self.is_known_outside(&path),
            TrailEnd::Nowhere => false,
        };
        is_inside.then(|| format!("[core]\n\tworktree = \"{value}\"\n"))
    }
}
