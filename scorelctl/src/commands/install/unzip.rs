use std::fs::File;
use std::path::Path;

use scorel_fs::open_linked;
// It gives the one that `zip` unpacks with its way to do so.
use flate2 as _;
use zip::ZipArchive;
use zip::result::ZipError;

use super::InstallError;
use super::file_sink::FileSink;

/// Bytes of an archive.
const MAX_ARCHIVE: u64 = 64 * 1024 * 1024;

/// The kind of file in a Unix mode, and that of a regular one and of a directory.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;

/// Writes the files of a zip archive. Its names, kinds and sizes are what a stranger says.
pub(super) fn unzip(source: &Path, files: &mut impl FileSink) -> Result<(), InstallError> {
    let io = |error| InstallError::io(source, error);
    let file = open_linked(File::options().read(true), source).map_err(io)?;
    if file.metadata().map_err(io)?.len() > MAX_ARCHIVE {
        return Err(InstallError::too_much("bytes", MAX_ARCHIVE));
    }
    let broken = |error: ZipError| match error {
        ZipError::Io(error) => io(error),
        error => InstallError::Archive {
            path: source.to_owned(),
            reason: error.to_string(),
        },
    };
    let mut archive = ZipArchive::new(file).map_err(broken)?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(broken)?;
        let name = entry.name().to_owned();
        let kind = entry.unix_mode().map(|mode| mode & KIND);
        if entry.is_dir() || kind == Some(DIRECTORY) {
            // Those that have files are made with them.
            continue;
        }
        if !matches!(kind, None | Some(0 | REGULAR)) {
            return Err(InstallError::refused(
                &name,
                "is a link or a special file, which is not copied",
            ));
        }
        let is_executable = entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0);
        files.write(&name, is_executable, entry)?;
    }
    Ok(())
}
