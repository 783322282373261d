//! The git worktrees that agents and runs of workflows work in.
//!
//! One is made for a runtime whose agent has `workspace = "worktree"`, and for a run that is started so: a directory
//! below `worktrees` of the home, on a branch of its own that begins at the project's commit. It stays until a person
//! removes it.
//!
//! ```text
//! worktrees/<owner>.json   what it is: project, repository, branch. Written first, removed last
//! worktrees/<owner>/       the files, with a `.git` that leads to the repository of the project
//! worktrees/<owner>.gone/  the same while it is removed
//! ```
//!
//! Everything here blocks, on files and on git.

mod branch;
mod error;
mod git;
mod plain_git;
mod record;
mod registration;
mod removal;
mod repository;
mod status;
mod summary;
mod supervised_git;
mod work_dir;

use std::collections::HashMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use scorel_fs::if_present;
use scorel_permission::WORKTREES;
use scorel_proto::{Project, ProjectId, SessionWorktree, WorktreeOwner};

use branch::branch_name;
pub use error::WorktreeError;
use git::{GitOrder, GitProgram};
use plain_git::PlainGit;
pub use record::WorktreeRecord;
use record::text;
use registration::Registration;
use removal::remove_tree;
use repository::Repository;
pub use summary::{as_data, summary};
pub use supervised_git::SupervisedGit;
pub use work_dir::{WorkDirGone, work_dir};
use work_dir::{below_repository, inside};

/// Makes, lists and removes the worktrees of one home.
#[derive(Debug)]
pub struct Worktrees {
    dir: PathBuf,
    git: Box<dyn GitProgram>,
    /// One thing at a time happens to a worktree.
    taken: Mutex<HashMap<WorktreeOwner, Arc<Mutex<()>>>>,
}

/// A worktree that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundWorktree {
    pub record: WorktreeRecord,
    /// True if something would be lost with it; `None` if git does not say.
    pub dirty: Option<bool>,
    /// The number of commits made in it; `None` if git does not say.
    pub commits: Option<u32>,
}

impl Worktrees {
    /// The worktrees of the home at `home`. Supervisors, and with them the sandbox, exist on Linux only.
    pub fn new(home: &Path, git: SupervisedGit) -> Self {
        if cfg!(target_os = "linux") {
            Self::with_git(home, Box::new(git))
        } else {
            Self::with_git(home, Box::new(PlainGit))
        }
    }

    fn with_git(home: &Path, git: Box<dyn GitProgram>) -> Self {
        // Git notes paths without links.
        let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
        Self {
            dir: home.join(WORKTREES),
            git,
            taken: Mutex::default(),
        }
    }

    /// Makes the worktree of a runtime or a run, on a branch whose name contains its title and which
    /// starts at the commit of `beside`, another worktree, or else of the project. An existing worktree
    /// is used as it is; a half-made one, left by a crash, is made again on the same branch.
    ///
    /// # Errors
    /// Why there is no worktree. Nothing of one is left, but
    /// perhaps its branch.
    pub fn make(
        &self,
        project: &Project,
        owner: WorktreeOwner,
        title: &str,
        beside: Option<&SessionWorktree>,
    ) -> Result<SessionWorktree, WorktreeError> {
        self.alone(owner, || {
            let known = self.record(owner)?;
            if let Some(known) = &known {
                let registration = Registration::find(&known.repository, &known.path);
                if registration.is_some_and(|it| it.is_whole(&known.path)) {
                    return known.worktree();
                }
                self.clear(known)?;
            }
            let start = beside.map_or(&project.work_dir, |beside| &beside.path);
            let work_dir = PathBuf::from(start);
            let repository = Repository::of(&*self.git, &work_dir)?;
            let (branch, start) = match known {
                Some(known) => (known.branch, known.start),
                None => (branch_name(title, owner), Some(repository.head)),
            };
            let record = WorktreeRecord {
                owner,
                project_id: project.project_id,
                path: self.path(owner),
                branch,
                repository: repository.data,
                start,
            };
            let made = self.make_recorded(&record, &work_dir);
            if made.is_err() {
                self.give_up(&record);
            }
            made
        })
    }

    /// The worktrees, the oldest first; those of one project if one is given. The remains of a worktree
    /// that was not removed completely are not among them.
    pub fn list(&self, project: Option<ProjectId>) -> Result<Vec<FoundWorktree>, WorktreeError> {
        let mut found = Vec::new();
        for owner in self.recorded()? {
            let Some(record) = self.record(owner)? else {
                continue;
            };
            let is_wanted = project.is_none_or(|project| project == record.project_id);
            if is_wanted && record.path.is_dir() {
                let dirty = self.is_dirty(&record);
                let why = |error: &WorktreeError| {
                    tracing::warn!(%owner, %error, "cannot read the status of a worktree");
                };
                let dirty = dirty.inspect_err(why).ok();
                let commits = self.commits(&record);
                found.push(FoundWorktree {
                    record,
                    dirty,
                    commits,
                });
            }
        }
        Ok(found)
    }

    /// The record of a worktree; `None` if there is none.
    pub fn record(&self, owner: WorktreeOwner) -> Result<Option<WorktreeRecord>, WorktreeError> {
        let read = WorktreeRecord::file(&self.dir, owner).read();
        read.map_err(WorktreeError::record)
    }

    /// Removes a worktree and leaves its branch. A removal that a crash has interrupted is completed, whether
    /// it is forced or not.
    ///
    /// # Errors
    /// There is none, something would be lost and `force` is not set, or the file system refuses.
    pub fn remove(&self, owner: WorktreeOwner, force: bool) -> Result<(), WorktreeError> {
        self.alone(owner, || {
            let record = self.record(owner)?;
            let record = record.ok_or(WorktreeError::NotFound(owner))?;
            if !force && record.path.exists() && self.is_dirty(&record)? {
                return Err(WorktreeError::Dirty { path: record.path });
            }
            self.clear(&record)?;
            self.forget(&record)
        })
    }

    fn make_recorded(
        &self,
        record: &WorktreeRecord,
        project: &Path,
    ) -> Result<SessionWorktree, WorktreeError> {
        self.make_dir(&self.dir)?;
        let written = WorktreeRecord::file(&self.dir, record.owner).replace(record);
        written.map_err(WorktreeError::record)?;
        self.make_dir(&record.path)?;
        self.add(record, project)?;
        let registration = Registration::find(&record.repository, &record.path);
        if !registration.is_some_and(|it| it.is_whole(&record.path)) {
            return Err(WorktreeError::Git {
                command: "worktree add".to_owned(),
                reason: "it has made only a part of the worktree".to_owned(),
            });
        }
        if !inside(&record.path, below_repository(project)).is_dir() {
            let path = project.to_owned();
            return Err(WorktreeError::NotCommitted { path });
        }
        record.worktree()
    }

    /// Has git make the worktree and, unless a first attempt did, its branch.
    fn add(&self, record: &WorktreeRecord, project: &Path) -> Result<(), WorktreeError> {
        let path = text(&record.path)?;
        let branch = record.branch.as_str();
        let arguments = if Repository::has_branch(&*self.git, project, branch)? {
            vec!["worktree", "add", "--quiet", path, branch]
        } else {
            vec![
                "worktree",
                "add",
                "--quiet",
                "--no-track",
                "-b",
                branch,
                path,
                record.start.as_deref().unwrap_or("HEAD"),
            ]
        };
        let order = GitOrder {
            worktree: Some(record.path.clone()),
            changes: Some(record.repository.clone()),
            without_filters: self.unconfined_filters(record.repository.clone())?,
            ..GitOrder::looking(project.to_owned(), &arguments)
        };
        match self.git.run(&order)?.checked(&order) {
            Ok(_) => Ok(()),
            Err(WorktreeError::Git { reason, .. }) if is_in_use(&reason) => {
                Err(WorktreeError::BranchInUse {
                    branch: record.branch.clone(),
                    reason,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Removes the files of a worktree and its registration in the repository. Renames the directory
    /// first, so that a half-removed one is never taken for a worktree with changes.
    fn clear(&self, record: &WorktreeRecord) -> Result<(), WorktreeError> {
        let gone = self.dir.join(format!("{}.gone", record.owner));
        remove_tree(&gone).map_err(WorktreeError::io(&gone))?;
        if_present(fs::rename(&record.path, &gone)).map_err(WorktreeError::io(&record.path))?;
        if let Some(registration) = Registration::find(&record.repository, &record.path) {
            registration.remove()?;
        }
        remove_tree(&gone).map_err(WorktreeError::io(&gone))
    }

    fn forget(&self, record: &WorktreeRecord) -> Result<(), WorktreeError> {
        let file = WorktreeRecord::file(&self.dir, record.owner);
        let removed = if_present(fs::remove_file(file.path()));
        removed.map(drop).map_err(WorktreeError::io(file.path()))
    }

    /// Removes what a failed attempt has left, but for the branch: commits of an earlier attempt may be
    /// on it.
    fn give_up(&self, record: &WorktreeRecord) {
        let cleared = self.clear(record).and_then(|()| self.forget(record));
        if let Err(error) = cleared {
            tracing::warn!(owner = %record.owner, %error, "a part of a worktree is left");
        }
    }

    fn path(&self, owner: WorktreeOwner) -> PathBuf {
        self.dir.join(owner.to_string())
    }

    /// The owners of which something is noted, the oldest first.
    fn recorded(&self) -> Result<Vec<WorktreeOwner>, WorktreeError> {
        let entries = if_present(fs::read_dir(&self.dir)).map_err(WorktreeError::io(&self.dir))?;
        let names = entries.into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name());
        let ids = names.filter_map(|name| name.to_str()?.strip_suffix(".json")?.parse().ok());
        let mut ids: Vec<WorktreeOwner> = ids.collect();
        ids.sort_unstable();
        Ok(ids)
    }

    fn make_dir(&self, path: &Path) -> Result<(), WorktreeError> {
        let made = DirBuilder::new().mode(0o700).create(path);
        match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(WorktreeError::io(path)(error))
            }
            _ => Ok(()),
        }
    }

    fn alone<T>(&self, owner: WorktreeOwner, work: impl FnOnce() -> T) -> T {
        let mine = {
            let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
            taken.retain(|_, lock| Arc::strong_count(lock) > 1);
            Arc::clone(taken.entry(owner).or_default())
        };
        let _held = mine.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

/// What git says of a branch that another worktree has.
fn is_in_use(reason: &str) -> bool {
    ["already checked out at", "already used by worktree at"]
        .iter()
        .any(|words| reason.contains(words))
}

#[cfg(test)]
mod tests;
