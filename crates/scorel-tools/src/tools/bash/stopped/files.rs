//! Files that the sandbox may have denied.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, StatVfsMountFlags, accessat, statvfs};
use scorel_files::OF_THE_KERNEL;

use super::denial::Denied;
use super::facts::SandboxFacts;
use super::line::{Line, NEAR, paths_in};
use crate::real_target::real_target;

/// The exit code of a shell for a file that it may not execute, which is not the sandbox's doing.
const NOT_EXECUTABLE: i32 = 126;

/// The file that a line says could not be opened, if the sandbox denies it and the user could.
pub(super) fn denied(facts: &SandboxFacts, line: &Line<'_>, code: i32) -> Option<Denied> {
    let is_read_only = line.says_read_only();
    let is_denied = line.says_denied();
    let is_missing = line.has(&["no such file or directory"]) || line.has_word(&["enoent"]);
    if line.has(&["unable to create temporary object directory"]) {
        // Git says so of a repository that it may not write to, without naming it.
        return Some(Denied::Write { path: None });
    }
    let is_busy = line.says_busy();
    if !(is_read_only || is_denied || is_missing || is_busy) {
        return None;
    }
    if is_denied && line.has(&["(publickey"]) {
        let keys = facts.hidden_named(".ssh")?.to_owned();
        return Some(Denied::Read { path: keys });
    }
    let near = line.before(NEAR).flat_map(paths_in);
    let names = line.names().filter(|_| is_busy);
    let paths = line.paths().into_iter().chain(near).chain(names);
    let targets: Vec<PathBuf> = paths
        .filter_map(|path| real_target(&facts.directory.join(path)).ok())
        .collect();
    let hidden = targets
        .iter()
        .find(|path| path.exists() && facts.hidden_place(path).is_some());
    if let Some(path) = hidden
        && !is_read_only
    {
        return Some(Denied::Read { path: path.clone() });
    }
    if is_busy {
        // Protected places and the directories that they are in can be neither removed nor renamed.
        let mut held = targets.iter().filter(|path| facts.holds_protected(path));
        return held
            .next()
            .map(|path| Denied::ProtectedWrite { path: path.clone() });
    }
    if is_missing || is_denied && code == NOT_EXECUTABLE {
        return None;
    }
    if let Some(path) = targets.iter().find(|path| facts.is_protected(path)) {
        return Some(Denied::ProtectedWrite { path: path.clone() });
    }
    let is_stopped = |path: &&PathBuf| !facts.may_write(path) && could_be_written(path);
    let path = targets.iter().find(is_stopped).cloned();
    let is_plain = is_read_only && ends_with_error(line) && could_be_written(&facts.directory);
    (path.is_some() || is_plain).then_some(Denied::Write { path })
}

/// Returns whether the user, whose rights the daemon has, could write to `path` or create it.
fn could_be_written(path: &Path) -> bool {
    let is_there = |path: &&Path| path.symlink_metadata().is_ok();
    let Some(existing) = path.ancestors().find(is_there) else {
        return false;
    };
    // Nothing can be told from permissions there.
    let is_of_the_kernel = OF_THE_KERNEL.iter().any(|place| path.starts_with(place));
    let is_read_only =
        statvfs(existing).is_ok_and(|stat| stat.f_flag.contains(StatVfsMountFlags::RDONLY));
    let access = accessat(CWD, existing, Access::WRITE_OK, AtFlags::EACCESS);
    !is_of_the_kernel && !is_read_only && access.is_ok()
}

/// Returns whether the line is a program's report of the system's error, and not a text about one.
fn ends_with_error(line: &Line<'_>) -> bool {
    let text = line.text.trim_end().to_lowercase();
    text.ends_with(": read-only file system") || text.ends_with("(os error 30)")
}
