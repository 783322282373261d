use std::path::{Path, PathBuf};

use scorel_exec::Environment;

/// The reason why a program cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramMissing {
    /// There is no such file, or none on the `PATH`.
    #[error("{0} is not installed")]
    NotInstalled(String),
    /// The path names something that cannot be executed.
    #[error("{0} is not a program")]
    NotAProgram(String),
}

/// A program by its path, or by its name on the `PATH` of its environment. A relative path is one from the
/// directory `base`.
///
/// # Errors
/// There is no such program.
pub fn find_program(
    name: &str,
    environment: &Environment,
    base: &Path,
) -> Result<PathBuf, ProgramMissing> {
    if name.contains('/') {
        let path = base.join(name);
        return match is_program(&path) {
            true => Ok(path),
            false if path.exists() => Err(ProgramMissing::NotAProgram(name.to_owned())),
            false => Err(ProgramMissing::NotInstalled(name.to_owned())),
        };
    }
    let path = environment.get("PATH").unwrap_or_default();
    let mut candidates = std::env::split_paths(path).map(|place| place.join(name));
    let found = candidates.find(|path| is_program(path));
    found.ok_or_else(|| ProgramMissing::NotInstalled(name.to_owned()))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = std::fs::metadata(path);
    metadata.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}
