use std::convert::Infallible;
use std::str::FromStr;

use scorel_proto::{ListRuns, ListRunsParams, RunId};

use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::id_part::{IdPart, ambiguous};

/// A run as the user selects it on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunSelector {
    Id(RunId),
    /// The beginning or the end of an id.
    Part(String),
}

/// The number of runs that are searched, the last started first: the daemon's limit for a list.
const SEARCHED: u32 = 1000;

/// The number of characters of an id that are needed.
const MIN_PART: usize = 4;

const LISTED: &str = "`scorelctl run list --all` lists the runs";

impl FromStr for RunSelector {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.parse() {
            Ok(id) => Self::Id(id),
            Err(_) => Self::Part(text.to_owned()),
        })
    }
}

impl RunSelector {
    /// The selected run. A whole id is not looked up.
    pub(crate) async fn find(&self, daemon: &mut DaemonClient) -> Result<RunId, Failure> {
        if let Self::Id(id) = self {
            return Ok(*id);
        }
        let params = ListRunsParams {
            project_id: None,
            limit: Some(SEARCHED),
        };
        let found = daemon.call::<ListRuns>(&params).await?;
        let unreadable = found.unreadable.iter().map(|run| run.run_id);
        self.choose(found.runs.iter().map(|run| run.run_id).chain(unreadable))
    }

    /// The one run that is selected, with or without `run_`, in any case.
    fn choose(&self, ids: impl Iterator<Item = RunId>) -> Result<RunId, Failure> {
        let part = match self {
            Self::Id(id) => return Ok(*id),
            Self::Part(part) => part,
        };
        let wanted = IdPart::new(part, RunId::PREFIX);
        if wanted.digits().len() < MIN_PART {
            let text =
                format!("`{part}` is too short: at least {MIN_PART} characters are required");
            return Err(Failure::usage(text).hint(LISTED));
        }
        let found: Vec<RunId> = ids.filter(|id| wanted.is_of(id)).collect();
        match found[..] {
            [id] => Ok(id),
            [] => {
                let text = format!("no run has an id that begins or ends with `{part}`");
                Err(Failure::refused("run_not_found", text).hint(LISTED))
            }
            _ => Err(ambiguous(part, &found)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_id_selects_a_run() {
        let ids = [
            "run_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "run_01ARZ3NDEKTSV4RRFFQ69G5FAW",
        ]
        .map(|text| text.parse::<RunId>().expect("an id"));
        let choose = |text: &str| {
            let selector: RunSelector = text.parse().expect("infallible");
            selector.choose(ids.into_iter()).ok()
        };
        assert_eq!(choose("g5faw"), Some(ids[1]));
        assert_eq!(choose("run_01ARZ3NDEKTSV4RRFFQ69G5FAV"), Some(ids[0]));
        assert_eq!(choose("01ARZ3"), None, "it is of both");
        assert_eq!(choose("9999"), None);
        assert_eq!(choose("AW"), None, "it is too short");
    }
}
