//! What would be lost with a worktree.

use std::path::{Path, PathBuf};

use super::Worktrees;
use super::error::WorktreeError;
use super::git::{GitOrder, GitOutput};
use super::record::{WorktreeRecord, text};
use super::registration::Registration;

/// The line of `git status` with the branch, and what it says if there is none.
const HEAD: &str = "# branch.head ";
const DETACHED: &str = "(detached)";

/// The line with the commit.
const COMMIT: &str = "# branch.oid ";

impl Worktrees {
    /// Returns whether a worktree has something that no branch has: changes that are not committed, or a commit
    /// that is on no branch. Files that git ignores do not count.
    pub(super) fn is_dirty(&self, record: &WorktreeRecord) -> Result<bool, WorktreeError> {
        let unclear = |reason: String| WorktreeError::Unclear {
            path: record.path.clone(),
            reason,
        };
        let registration = Registration::find(&record.repository, &record.path);
        let Some(registration) = registration.filter(|it| it.is_whole(&record.path)) else {
            return Err(unclear("it is not a complete worktree".to_owned()));
        };
        let submodules = match self.git.is_confined() {
            true => "--ignore-submodules=none",
            // Git would look into them with their own configuration.
            false => "--ignore-submodules=dirty",
        };
        let arguments = [
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=normal",
            submodules,
        ];
        let status = self.in_worktree(record, &registration, &arguments)?;
        let lines = || status.stdout.split('\0').filter(|line| !line.is_empty());
        if lines().any(|line| !line.starts_with("# ")) {
            return Ok(true);
        }
        let value = |key: &str| lines().find_map(|line| line.strip_prefix(key));
        if value(HEAD) != Some(DETACHED) {
            return Ok(false);
        }
        let commit = value(COMMIT).ok_or_else(|| unclear("it has no commit".to_owned()))?;
        let arguments = ["for-each-ref", "--count=1", "--contains", commit];
        let branches = self.in_worktree(record, &registration, &arguments)?;
        Ok(branches.stdout.trim().is_empty())
    }

    /// The number of commits on a worktree's branch that it did not begin with; `None` if git does not
    /// say.
    pub fn commits(&self, record: &WorktreeRecord) -> Option<u32> {
        let registration = Registration::find(&record.repository, &record.path)?;
        let range = format!("{}..HEAD", record.start.as_ref()?);
        let counted = self.in_worktree(record, &registration, &["rev-list", "--count", &range]);
        counted.ok()?.stdout.trim().parse().ok()
    }

    /// A sentence on the work in the worktree at `path` once its agent is done; `None` if all of it is
    /// committed.
    pub fn left_undone(&self, path: &Path) -> Option<String> {
        let owner = path.file_name()?.to_str()?.parse().ok()?;
        let record = self.record(owner).ok()??;
        let has_none = self.commits(&record) == Some(0);
        let is_dirty = self.is_dirty(&record).unwrap_or(false);
        let notes = [
            has_none.then_some("its branch has no commit"),
            is_dirty.then_some("its worktree has changes that are not committed"),
        ];
        let notes: Vec<&str> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join(", and "))
    }

    /// Runs git in a worktree. What its `.git` says does not count: an agent could have changed it.
    fn in_worktree(
        &self,
        record: &WorktreeRecord,
        registration: &Registration,
        arguments: &[&str],
    ) -> Result<GitOutput, WorktreeError> {
        let mut all = vec![
            format!("--git-dir={}", text(&registration.data)?),
            format!("--work-tree={}", text(&record.path)?),
        ];
        all.extend(arguments.iter().map(|it| (*it).to_owned()));
        let order = GitOrder {
            directory: record.path.clone(),
            arguments: all,
            project: record.path.clone(),
            worktree: Some(record.path.clone()),
            changes: None,
            without_filters: self.unconfined_filters(registration.data.clone())?,
        };
        let run = self
            .git
            .run(&order)
            .and_then(|output| output.checked(&order));
        run.map_err(|error| WorktreeError::Unclear {
            path: record.path.clone(),
            reason: error.to_string(),
        })
    }

    /// The filters that the configuration of a repository names, if they would run outside of a sandbox.
    pub(super) fn unconfined_filters(&self, data: PathBuf) -> Result<Vec<String>, WorktreeError> {
        if self.git.is_confined() {
            return Ok(Vec::new());
        }
        let git_dir = format!("--git-dir={}", text(&data)?);
        let arguments = [&git_dir, "config", "--null", "--name-only", "--get-regexp"];
        let pattern = [r"^filter\..*\.(smudge|clean|process)$"];
        let order = GitOrder::looking(data, &[&arguments[..], &pattern].concat());
        // It fails if there is none.
        let found = self.git.run(&order)?.stdout;
        let names = found.split('\0').filter_map(|key| {
            let (filter, _) = key.strip_prefix("filter.")?.rsplit_once('.')?;
            Some(filter.to_owned())
        });
        Ok(names.collect())
    }
}
