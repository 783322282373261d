//! The repository of a project, as git sees it.

use std::path::{Path, PathBuf};

use super::error::WorktreeError;
use super::git::{GitOrder, GitProgram};

/// The repository of a project, as git sees it.
#[derive(Debug)]
pub(super) struct Repository {
    /// Its data: `.git` of its main work tree, or what stands in for it.
    pub data: PathBuf,
    /// The commit of the project's work tree.
    pub head: String,
}

impl Repository {
    /// Finds the repository of a project, which must have a commit.
    pub(super) fn of(git: &dyn GitProgram, project: &Path) -> Result<Self, WorktreeError> {
        let path = || project.to_owned();
        let arguments = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
        let order = GitOrder::looking(path(), &arguments);
        let found = git.run(&order)?;
        if !found.is_ok() {
            return Err(refused(project, &order, &found.stderr));
        }
        let data = PathBuf::from(found.stdout.trim_end_matches('\n'));
        let data = data.canonicalize().map_err(WorktreeError::io(&data))?;
        let arguments = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        let head = git.run(&GitOrder::looking(path(), &arguments))?;
        if !head.is_ok() {
            return Err(WorktreeError::NoCommit { path: path() });
        }
        let head = head.stdout.trim().to_owned();
        Ok(Self { data, head })
    }

    /// Returns whether the repository has a branch.
    pub(super) fn has_branch(
        git: &dyn GitProgram,
        project: &Path,
        branch: &str,
    ) -> Result<bool, WorktreeError> {
        let name = format!("refs/heads/{branch}");
        let arguments = ["show-ref", "--verify", "--quiet", &name];
        let found = git.run(&GitOrder::looking(project.to_owned(), &arguments))?;
        Ok(found.is_ok())
    }
}

fn refused(project: &Path, order: &GitOrder, stderr: &str) -> WorktreeError {
    let path = project.to_owned();
    if stderr.contains("dubious ownership") {
        let reason = stderr.trim().to_owned();
        return WorktreeError::OtherOwner { path, reason };
    }
    if stderr.contains("not a git repository") {
        return WorktreeError::NotRepository { path };
    }
    WorktreeError::refused(&order.name(), stderr)
}
