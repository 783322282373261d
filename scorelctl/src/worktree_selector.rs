use std::convert::Infallible;
use std::str::FromStr;

use scorel_proto::{
    AgentTaskId, ListWorktrees, ListWorktreesParams, RunId, WorktreeInfo, WorktreeOwner,
};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::id_part::{IdPart, ambiguous};

/// A worktree as the user selects it on the command line: by the runtime or the run that it was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorktreeSelector {
    Owner(WorktreeOwner),
    /// The beginning or the end of an id.
    Part(String),
}

/// The number of characters of an id that are needed.
const MIN_PART: usize = 4;

const LISTED: &str = "`scorelctl worktrees --all` lists the worktrees";

impl FromStr for WorktreeSelector {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.parse() {
            Ok(owner) => Self::Owner(owner),
            Err(_) => Self::Part(text.to_owned()),
        })
    }
}

impl WorktreeSelector {
    /// The owner of the selected worktree. A whole id is not looked up.
    pub(crate) async fn find(&self, cli: &mut Cli<'_>) -> Result<WorktreeOwner, Failure> {
        match self {
            Self::Owner(owner) => Ok(*owner),
            // A worktree outlives its owner, so the list of worktrees is searched.
            Self::Part(part) => {
                let params = ListWorktreesParams::default();
                let found = cli.call::<ListWorktrees>(&params).await?.worktrees;
                chosen(part, found.iter().filter_map(owner))
            }
        }
    }
}

/// The task or run that a worktree was made for.
pub(crate) fn owner(worktree: &WorktreeInfo) -> Option<WorktreeOwner> {
    let task = worktree.runtime_id.map(WorktreeOwner::RuntimeId);
    task.or(worktree.run_id.map(WorktreeOwner::RunId))
}

fn chosen(
    part: &str,
    owners: impl Iterator<Item = WorktreeOwner>,
) -> Result<WorktreeOwner, Failure> {
    let [of_task, of_run] = [AgentTaskId::PREFIX, RunId::PREFIX].map(|it| IdPart::new(part, it));
    let digits = of_task.digits().len().min(of_run.digits().len());
    if digits < MIN_PART {
        let text = format!("`{part}` is too short: at least {MIN_PART} characters are required");
        return Err(Failure::usage(text).hint(LISTED));
    }
    let is_it = |owner: &WorktreeOwner| match owner {
        WorktreeOwner::RuntimeId(id) => of_task.is_of(id),
        WorktreeOwner::RunId(id) => of_run.is_of(id),
    };
    let found: Vec<WorktreeOwner> = owners.filter(is_it).collect();
    match found[..] {
        [owner] => Ok(owner),
        [] => {
            let text = format!("no worktree is of an id that begins or ends with `{part}`");
            Err(Failure::refused("runtime_not_found", text).hint(LISTED))
        }
        _ => Err(ambiguous(part, &found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_id_of_a_runtime_or_a_run_is_enough() {
        let ids = [
            "rti_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "run_01ARZ3NDEKTSV4RRFFQ69G5FAW",
        ];
        let choose = |part: &str| chosen(part, ids.iter().map(|id| id.parse().expect("an id")));
        for (part, id) in [
            ("5fav", ids[0]),
            ("rti_01AR", ids[0]),
            ("9G5FAW", ids[1]),
            ("run_01ARZ3", ids[1]),
        ] {
            assert_eq!(choose(part).expect(part).to_string(), id);
        }
        for part in ["01ARZ3", "W", "zzzz"] {
            assert!(choose(part).is_err(), "{part}");
        }
    }
}
