use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use nix::unistd::getsid;
use scorel_proto::SessionId;

/// The session that was used last at this terminal, or rather by the programs of its shell. A file that is gone when
/// the user logs out; without a directory for such files nothing is remembered.
pub(super) struct TerminalMemory {
    file: Option<PathBuf>,
}

impl TerminalMemory {
    pub(super) fn new() -> Self {
        let directory = env::var_os("XDG_RUNTIME_DIR").filter(|dir| Path::new(dir).is_absolute());
        let shell = getsid(None).ok();
        let file = directory
            .zip(shell)
            .map(|(directory, shell)| Path::new(&directory).join(format!("scorelctl-{shell}")));
        Self { file }
    }

    pub(super) fn is(&self, session: SessionId) -> bool {
        let kept = self.file.as_ref().map(fs::read_to_string);
        kept.is_some_and(|kept| kept.is_ok_and(|kept| kept == session.to_string()))
    }

    pub(super) fn keep(&self, session: SessionId) {
        if let Some(file) = &self.file {
            // If it cannot be written, the session is named once more.
            let _ = fs::write(file, session.to_string());
        }
    }
}
