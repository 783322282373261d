use std::io::{self, Read};
use std::path::Path;

use scorel_workflow::{MAX_PACKAGE_BYTES, PackageFiles};

use crate::commands::install::{self, FileSink, InstallError};

/// The files of a package, before they are looked at.
#[derive(Debug, Default)]
struct ReadFiles(PackageFiles);

/// Reads the files of a directory or a zip archive.
pub(super) fn read_files(source: &Path) -> Result<PackageFiles, InstallError> {
    let mut files = ReadFiles::default();
    install::read(source, &mut files)?;
    Ok(files.0.unwrapped())
}

impl FileSink for ReadFiles {
    fn write(&mut self, name: &str, _: bool, content: impl Read) -> Result<(), InstallError> {
        let mut bytes = Vec::new();
        let read: io::Result<usize> = content.take(MAX_PACKAGE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| InstallError::refused(name, format!("cannot be read: {error}")))?;
        let inserted = self.0.insert(name, bytes);
        inserted.map_err(|error| InstallError::refused(name, format!("is not taken: {error}")))
    }
}
