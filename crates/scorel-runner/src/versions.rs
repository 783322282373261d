//! Versions of programs, queried once for each executable file.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use scorel_exec::{CommandLine, CommandOrder, EndCause, Environment, Supervisors, Umask};
use tokio::sync::OnceCell;

use crate::version::Version;

/// Large programs take seconds on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Bytes of the answer that are looked at.
const ANSWER: usize = 4096;

/// What `PROGRAM --version` said, by the file's identity: an upgrade makes a new file.
#[derive(Debug)]
pub struct Versions {
    supervisors: Arc<Supervisors>,
    /// A cell each, so that those who ask at the same time wait for one answer.
    known: Mutex<HashMap<FileIdentity, VersionCell>>,
}

type VersionCell = Arc<OnceCell<Option<Version>>>;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FileIdentity {
    path: PathBuf,
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl FileIdentity {
    fn of(program: &Path) -> Option<Self> {
        let path = fs::canonicalize(program).ok()?;
        let metadata = fs::metadata(&path).ok()?;
        Some(Self {
            path,
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        })
    }
}

impl Versions {
    pub fn new(supervisors: Arc<Supervisors>) -> Arc<Self> {
        Arc::new(Self {
            supervisors,
            known: Mutex::default(),
        })
    }

    /// `None` if the program does not tell its version.
    pub(crate) async fn of(
        &self,
        program: &Path,
        environment: &Environment,
        umask: Option<Umask>,
    ) -> Option<Version> {
        let identity = FileIdentity::of(program)?;
        let cell = Arc::clone(self.known().entry(identity).or_default());
        // A program that did not answer is asked again the next time.
        let ask = async || self.ask(program, environment, umask).await.ok_or(());
        let asked = cell.get_or_try_init(ask);
        asked.await.copied().ok().flatten()
    }

    /// What the program says; `None` if it says nothing in time.
    async fn ask(
        &self,
        program: &Path,
        environment: &Environment,
        umask: Option<Umask>,
    ) -> Option<Option<Version>> {
        let order = CommandOrder {
            command: CommandLine::Program {
                program: program.to_owned(),
                arguments: vec!["--version".to_owned()],
            },
            environment: environment.clone(),
            sandbox: None,
            space: None,
            resources: None,
            timeout: Some(TIME_LIMIT),
            umask,
            spool_dir: None,
        };
        let root = File::open("/").ok()?;
        let run = self.supervisors.start(order, root.as_fd()).ok()?;
        let end = run.wait().await;
        let answer = run.section(0, ANSWER).bytes;
        let has_answered = end.cause == EndCause::Exited;
        has_answered.then(|| Version::find(&String::from_utf8_lossy(&answer)))
    }

    fn known(&self) -> MutexGuard<'_, HashMap<FileIdentity, VersionCell>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
