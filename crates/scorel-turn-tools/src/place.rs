//! Where a turn's socket is, and the program that serves it to runners.

use std::path::{Path, PathBuf};

use scorel_proto::SessionId;

/// The last characters of a session's id that name its socket: they are random, and paths of sockets are short.
const CHARACTERS: usize = 8;

/// There is no program beside the daemon's that could serve the tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is missing", .0.display())]
pub struct NoServerProgram(PathBuf);

/// The socket for turns of a session, in the directory of the daemon's own. The same for each turn: a process that is
/// kept finds the next one there. A daemon removes what one that was killed has left, by its name.
pub fn socket_path(directory: &Path, session_id: SessionId) -> PathBuf {
    let id = session_id.to_string();
    let from = id.len().saturating_sub(CHARACTERS);
    directory.join(format!(".t{}.0.tmp", id.get(from..).unwrap_or(&id)))
}

/// The client's program that was installed with a daemon.
///
/// # Errors
/// There is none beside it.
pub fn server_program(daemon: &Path) -> Result<PathBuf, NoServerProgram> {
    let name = daemon.file_name().unwrap_or_default().to_string_lossy();
    // The system's name of a program that was replaced, such as by an upgrade.
    let name = name.trim_end_matches(" (deleted)");
    let program = daemon.with_file_name(name.replacen("scoreld", "scorelctl", 1));
    match program.is_file() && program != daemon {
        true => Ok(program),
        false => Err(NoServerProgram(daemon.with_file_name("scorelctl"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_has_a_short_name_of_its_session() {
        let session: SessionId = "ses_01K1H9Q80000000000ABCDEFGH".parse().unwrap();
        let path = socket_path(Path::new("/run"), session);
        assert_eq!(path, Path::new("/run/.tABCDEFGH.0.tmp"));
    }

    #[test]
    fn the_program_is_beside_the_daemons() {
        let dir = tempfile::tempdir().unwrap();
        let daemon = dir.path().join("scoreld");
        assert!(server_program(&daemon).is_err());
        let program = dir.path().join("scorelctl");
        std::fs::write(&program, "").unwrap();
        assert_eq!(server_program(&daemon).unwrap(), program);
        let replaced = dir.path().join("scoreld (deleted)");
        assert_eq!(server_program(&replaced).unwrap(), program);
        assert!(server_program(&dir.path().join("other")).is_err());
    }
}
