use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use scorel_workflow::MAX_PACKAGE_BYTES;

use crate::commands::install::{self, FileSink, InstallError, NewFile};

/// The files of a skill by their paths, in memory.
#[derive(Debug, Default)]
pub(super) struct SkillFiles {
    files: BTreeMap<String, NewFile>,
    bytes: u64,
}

impl SkillFiles {
    /// Reads a directory or a zip archive.
    pub(super) fn read(source: &Path) -> Result<Self, InstallError> {
        let mut files = Self::default();
        install::read(source, &mut files)?;
        Ok(files)
    }

    /// The text of a file; `None` if there is none, or it is not a text.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        let file = self.files.get(path)?;
        std::str::from_utf8(&file.bytes).ok()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Puts a text in the place of a file, or beside the others.
    pub(super) fn put(&mut self, path: &str, text: String) {
        let (name, bytes) = (path.to_owned(), text.into_bytes());
        let file = NewFile {
            name: name.clone(),
            is_executable: false,
            bytes,
        };
        self.files.insert(name, file);
    }

    pub(super) fn into_files(self) -> Vec<NewFile> {
        self.files.into_values().collect()
    }
}

impl FileSink for SkillFiles {
    fn write(
        &mut self,
        name: &str,
        is_executable: bool,
        content: impl Read,
    ) -> Result<(), InstallError> {
        let (mut bytes, left) = (Vec::new(), MAX_PACKAGE_BYTES - self.bytes);
        let read = content.take(left + 1).read_to_end(&mut bytes);
        read.map_err(|error| InstallError::refused(name, format!("cannot be read: {error}")))?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_PACKAGE_BYTES {
            return Err(InstallError::refused(name, "is too large with the others"));
        }
        let name = name.to_owned();
        let file = NewFile {
            name: name.clone(),
            is_executable,
            bytes,
        };
        self.files.insert(name, file);
        Ok(())
    }
}
