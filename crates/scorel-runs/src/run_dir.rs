use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use scorel_home::StateFile;
use scorel_proto::RunId;

use crate::error::RunError;
use crate::run_file::RunFile;

/// The directory of runs, in the daemon's home.
const RUNS: &str = "runs";

/// The files of one run.
#[derive(Debug, Clone)]
pub(crate) struct RunDir {
    id: RunId,
    path: PathBuf,
}

impl RunDir {
    pub(crate) fn of(home: &Path, id: RunId) -> Self {
        let path = home.join(RUNS).join(id.to_string());
        Self { id, path }
    }

    /// The runs of a home, the last started first.
    pub(crate) fn all(home: &Path) -> io::Result<Vec<RunId>> {
        let entries = match fs::read_dir(home.join(RUNS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let names = entries.filter_map(|it| it.ok()?.file_name().into_string().ok());
        let mut runs: Vec<RunId> = names.filter_map(|name| name.parse().ok()).collect();
        runs.sort_unstable_by(|one, other| other.cmp(one));
        Ok(runs)
    }

    pub(crate) const fn id(&self) -> RunId {
        self.id
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self) -> StateFile<RunFile> {
        StateFile::new(self.path.join("run.json"))
    }

    /// The files that the model may write.
    pub(crate) fn state(&self) -> PathBuf {
        self.path.join("state")
    }

    pub(crate) fn document(&self) -> PathBuf {
        self.state().join("workflow.md")
    }

    /// The last state of the document that was written or accepted.
    pub(crate) fn last_good(&self) -> PathBuf {
        self.path.join("last-good.md")
    }

    /// A name for a document that is put aside: the first that is free.
    pub(crate) fn broken(&self) -> PathBuf {
        let names = (1..).map(|number| self.path.join(format!("workflow.md.broken-{number}")));
        let mut free = names.filter(|path| path.symlink_metadata().is_err());
        free.next().expect("there are more numbers than files")
    }

    pub(crate) fn exists(&self) -> bool {
        self.path.symlink_metadata().is_ok_and(|it| it.is_dir())
    }

    /// Makes the directories, durably.
    pub(crate) fn make(&self) -> Result<(), RunError> {
        let state = self.state();
        let mut builder = DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(&state);
        made.map_err(RunError::io(&state))?;
        for dir in state.ancestors().skip(1).take(3) {
            let synced = File::open(dir).and_then(|dir| dir.sync_all());
            synced.map_err(RunError::io(dir))?;
        }
        Ok(())
    }

    /// Removes all of it. Half of it is never taken for a run: it has another name first.
    pub(crate) fn remove(&self) -> Result<(), RunError> {
        let gone = self.path.with_extension("gone");
        match fs::rename(&self.path, &gone) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            renamed => renamed.map_err(RunError::io(&self.path))?,
        }
        match fs::remove_dir_all(&gone) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(RunError::io(&gone)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_put_aside_and_removed() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(RunDir::all(home.path()).unwrap(), []);
        let ids = [RunId::from_bytes([1; 16]), RunId::from_bytes([2; 16])];
        for id in ids {
            RunDir::of(home.path(), id).make().unwrap();
        }
        fs::create_dir(home.path().join("runs/other")).unwrap();
        assert_eq!(
            RunDir::all(home.path()).unwrap(),
            [ids[1], ids[0]],
            "the last first"
        );
        let dir = RunDir::of(home.path(), ids[0]);
        fs::write(dir.broken(), "one").unwrap();
        assert!(dir.broken().ends_with("workflow.md.broken-2"));
        dir.remove().unwrap();
        dir.remove().unwrap();
        assert!(!dir.exists());
        assert_eq!(RunDir::all(home.path()).unwrap(), [ids[1]]);
    }
}
