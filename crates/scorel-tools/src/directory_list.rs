//! The names in a directory.

use rustix::fs::{Dir, FileType};

use crate::error::{ErrorCode, ToolError};
use crate::roots::{EntryKind, Location};
use crate::running_call::RunningCall;
use crate::shown_path::shown_path;

impl RunningCall {
    /// The names in a directory that the call may show, sorted; those of directories end with `/`. Ignore files do
    /// not count.
    ///
    /// # Errors
    /// It leads outside, or is not a directory that can be read.
    pub fn list(&self, location: &Location) -> Result<Vec<String>, ToolError> {
        if self.roots.kind(location)? != EntryKind::Directory {
            return Err(location.refused(ErrorCode::NotADirectory, "is not a directory"));
        }
        let failed = |error: rustix::io::Errno| {
            let error = std::io::Error::from(error);
            location.refused(ErrorCode::Internal, format!("cannot be listed: {error}"))
        };
        let shown = self.shown_below(location)?;
        let directory = self.roots.open_directory(location)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = String::from_utf8_lossy(entry.file_name().to_bytes()).into_owned();
            if matches!(name.as_str(), "." | "..") {
                continue;
            }
            if let Some((below, shown)) = &shown
                && !shown.may_show(&below.join(&name))
            {
                continue;
            }
            let end = match entry.file_type() {
                FileType::Directory => "/",
                _ => "",
            };
            names.push(format!("{}{end}", shown_path(name.as_ref())));
        }
        names.sort_unstable();
        Ok(names)
    }
}
