use std::io::Read;

use super::InstallError;

/// A place for the files of a directory or archive.
pub(in crate::commands) trait FileSink {
    /// Takes a file. `name` has `/` between its parts, and is not checked yet.
    fn write(
        &mut self,
        name: &str,
        is_executable: bool,
        content: impl Read,
    ) -> Result<(), InstallError>;
}
