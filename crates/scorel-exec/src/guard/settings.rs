//! Files that decide what git runs, and of which single lines may change.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;

use nix::libc::mode_t;
use nix::sys::stat::SFlag;

use super::files::{entry_type, put_file, read_file};
use super::recorded::RecordedPlace;
use super::restore::Restorer;
use super::state::PlaceState;
use super::trail::TrailEnd;
use crate::git_settings::{CheckedSettings, without_work_tree};

/// The longest configuration that is read, in bytes.
pub(super) const MAX_CONFIGURATION: u64 = 256 * 1024;

impl Restorer<'_> {
    /// Puts a configuration of git back but for its harmless settings.
    pub(super) fn restore_settings(&mut self, before: &RecordedPlace) {
        let (content, mode) = match &before.state {
            PlaceState::File { mode, content } => (content.as_slice(), *mode),
            PlaceState::Absent => (&[][..], 0o644),
            _ => return self.restore(before),
        };
        let path = &before.real;
        let is_in_place = self.trail(&before.place.path).end == TrailEnd::Inside(path.clone());
        let parent = path.parent().unwrap_or(Path::new(""));
        let opened = self.open_parent(parent, &before.place.anchor, &PlaceState::Absent);
        let (Ok(Some(dir)), Ok(before_text), true) =
            (opened, std::str::from_utf8(content), is_in_place)
        else {
            return self.restore(before);
        };
        let before_text = match self.work_tree_of_module(dir.as_fd(), parent) {
            Some(setting) => setting + &without_work_tree(before_text),
            None => before_text.to_owned(),
        };
        match self.check_settings(dir.as_fd(), path, &before_text, mode) {
            Ok(true) => {}
            Ok(false) => self.restore(before),
            Err(error) => self.note(&Err(error), path),
        }
    }

    /// Leaves only changes of harmless settings in the configuration at `path`, in `dir`. Returns whether
    /// it is a file that settings can be read from.
    pub(super) fn check_settings(
        &mut self,
        dir: BorrowedFd<'_>,
        path: &Path,
        before: &str,
        mode: mode_t,
    ) -> io::Result<bool> {
        let name = path.file_name().unwrap_or_default();
        if entry_type(dir, name)? != Some(SFlag::S_IFREG) {
            return Ok(false);
        }
        let read = read_file(dir, name, MAX_CONFIGURATION)?;
        let Some(now) = read.and_then(|(_, now)| String::from_utf8(now).ok()) else {
            return Ok(false);
        };
        let CheckedSettings { text, refused } = CheckedSettings::of(before, &now, before);
        if text.is_empty() && !refused.is_empty() {
            return Ok(false);
        }
        if !refused.is_empty() && put_file(dir, name, mode, text.as_bytes())? {
            self.tell(refused_in(path, &refused));
        }
        Ok(true)
    }

    /// Reports commands in a list of what `git rebase` has to do that were not in it before.
    pub(super) fn tell_commands(&mut self, before: &RecordedPlace) {
        let had = match &before.state {
            PlaceState::File { content, .. } => commands(content),
            _ => Vec::new(),
        };
        let path = &before.real;
        let parent = path.parent().unwrap_or(Path::new(""));
        let opened = self.open_parent(parent, &before.place.anchor, &PlaceState::Absent);
        let (Ok(Some(dir)), Some(name)) = (opened, path.file_name()) else {
            return;
        };
        // If it is not a file, or gone, git runs nothing from it.
        let read = read_file(dir.as_fd(), name, MAX_CONFIGURATION);
        let Ok(Some((_, content))) = read else { return };
        if let Some(new) = commands(&content).into_iter().find(|it| !had.contains(it)) {
            let path = path.display();
            self.tell(format!(
                "{path} (left as it is: `git rebase --continue` will run `{new}`)"
            ));
        }
    }
}

/// A configuration with the settings of which changes were refused.
pub(super) fn refused_in(path: &Path, refused: &[String]) -> String {
    format!("{} ({})", path.display(), refused.join(", "))
}

/// The commands that a list of what `git rebase` has to do runs.
fn commands(content: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(content);
    let command = |line: &str| {
        let (word, rest) = line.trim_start().split_once([' ', '\t'])?;
        matches!(word, "exec" | "x").then(|| rest.trim().chars().take(100).collect())
    };
    text.lines().filter_map(command).collect()
}
