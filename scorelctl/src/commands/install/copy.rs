use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use scorel_fs::open_regular;

use super::InstallError;
use super::file_sink::FileSink;

/// Directories that version control keeps beside the files.
const LEFT_OUT: [&str; 3] = [".git", ".hg", ".svn"];

/// Copies the files below a directory.
pub(super) fn copy(source: &Path, files: &mut impl FileSink) -> Result<(), InstallError> {
    copy_below(source, "", files)
}

fn copy_below(dir: &Path, prefix: &str, files: &mut impl FileSink) -> Result<(), InstallError> {
    let io = |source| InstallError::io(dir, source);
    let entries = fs::read_dir(dir).map_err(io)?;
    for entry in entries {
        let entry = entry.map_err(io)?;
        let Ok(name) = entry.file_name().into_string() else {
            let shown = entry.file_name().to_string_lossy().into_owned();
            return Err(InstallError::refused(
                &shown,
                "is a name that is not written",
            ));
        };
        let (path, kind) = (entry.path(), entry.file_type().map_err(io)?);
        let name = format!("{prefix}{name}");
        if kind.is_dir() {
            if !LEFT_OUT.contains(&name.as_str()) {
                copy_below(&path, &format!("{name}/"), files)?;
            }
        } else if kind.is_file() {
            let opened = open_regular(File::options().read(true), &path);
            let file = opened.map_err(|error| InstallError::io(&path, error))?;
            let mode = file.metadata().map_err(io)?.permissions().mode();
            files.write(&name, mode & 0o111 != 0, file)?;
        } else {
            return Err(InstallError::refused(
                &name,
                "is a link or a special file, which is not copied",
            ));
        }
    }
    Ok(())
}
