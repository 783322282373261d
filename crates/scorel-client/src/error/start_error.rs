use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why the daemon could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The lock file cannot be opened or locked.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The daemon's program, or the service manager, cannot be run.
    #[error("cannot run {}: {source}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The program ran and reported a failure.
    #[error("{} did not start the daemon ({status}){}", program.display(), said(.report))]
    Failed {
        /// The program.
        program: PathBuf,
        /// Its exit status.
        status: ExitStatus,
        /// What it wrote to standard error, truncated.
        report: String,
    },
    /// The client's runtime shut down while the daemon was starting.
    #[error("the client stopped while it was starting the daemon")]
    GivenUp,
}

impl StartError {
    /// What the user can do about it, if known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Program { source, .. } if source.kind() == io::ErrorKind::NotFound => Some(
                "install scoreld beside scorelctl or on PATH, or name it with SCORELD".to_owned(),
            ),
            _ => None,
        }
    }
}

fn said(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}
