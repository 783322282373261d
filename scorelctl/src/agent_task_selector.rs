use std::convert::Infallible;
use std::str::FromStr;

use scorel_proto::{AgentTaskId, ListRuntimes, ListRuntimesParams};

use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::id_part::{IdPart, ambiguous};

/// A runtime as the user selects it on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AgentTaskSelector {
    Id(AgentTaskId),
    /// The beginning or the end of an id.
    Part(String),
}

/// The number of runtimes that are searched, the last spawned first: the daemon's limit for a list.
const SEARCHED: u32 = 1000;

/// The number of characters of an id that are needed.
const MIN_PART: usize = 4;

impl FromStr for AgentTaskSelector {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.parse() {
            Ok(id) => Self::Id(id),
            Err(_) => Self::Part(text.to_owned()),
        })
    }
}

impl AgentTaskSelector {
    /// The selected runtime. A whole id is not looked up.
    pub(crate) async fn find(&self, control: &mut DaemonClient) -> Result<AgentTaskId, Failure> {
        if let Self::Id(id) = self {
            return Ok(*id);
        }
        let params = ListRuntimesParams {
            limit: Some(SEARCHED),
            ..ListRuntimesParams::default()
        };
        let found = control.call::<ListRuntimes>(&params).await?.runtimes;
        self.choose(found.iter().map(|runtime| runtime.runtime_id))
    }

    /// The one runtime that is selected, with or without `rti_`, in any case.
    pub(crate) fn choose(
        &self,
        ids: impl Iterator<Item = AgentTaskId>,
    ) -> Result<AgentTaskId, Failure> {
        let part = match self {
            Self::Id(id) => return Ok(*id),
            Self::Part(part) => part,
        };
        let wanted = IdPart::new(part, AgentTaskId::PREFIX);
        if wanted.digits().len() < MIN_PART {
            let text =
                format!("`{part}` is too short: at least {MIN_PART} characters are required");
            return Err(Failure::usage(text).hint(LISTED));
        }
        let found: Vec<AgentTaskId> = ids.filter(|id| wanted.is_of(id)).collect();
        match found[..] {
            [id] => Ok(id),
            [] => Err(unknown(part)),
            _ => Err(ambiguous(part, &found)),
        }
    }
}

const LISTED: &str = "`scorelctl runtimes --all` lists the runtimes";

fn unknown(part: &str) -> Failure {
    let text = format!("no runtime has an id that begins or ends with `{part}`");
    Failure::refused("runtime_not_found", text).hint(LISTED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    const A: &str = "rti_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const B: &str = "rti_01ARZ3NDEKTSV4RRFFQ69G5FAW";

    fn choose(wanted: &str) -> Result<AgentTaskId, Failure> {
        let selector: AgentTaskSelector = wanted.parse().expect("infallible");
        let ids = [A, B].map(|text| text.parse().expect("an id"));
        selector.choose(ids.into_iter())
    }

    fn hint(wanted: &str) -> (Exit, String) {
        let Err(Failure::Report(report)) = choose(wanted) else {
            panic!("{wanted} was accepted")
        };
        (report.exit, report.hint.expect("a hint"))
    }

    #[test]
    fn the_end_of_an_id_is_enough_in_any_case() {
        for wanted in [B, "g5faw", "5FAW", "rti_G5FAW"] {
            assert_eq!(choose(wanted).expect(wanted).to_string(), B);
        }
    }

    #[test]
    fn a_part_that_fits_several_or_none_says_so() {
        let (exit, text) = hint("01ARZ3");
        assert_eq!(exit, Exit::Usage);
        assert!(text.contains(A) && text.contains(B), "{text}");
        assert_eq!(hint("AW"), (Exit::Usage, LISTED.to_owned()));
        assert_eq!(hint("9999"), (Exit::NotAccepted, LISTED.to_owned()));
    }

    #[test]
    fn many_that_fit_are_counted() {
        let ids: Vec<AgentTaskId> = (0..20).map(|_| AgentTaskId::generate()).collect();
        let digits = ids[0].to_string().split_off(AgentTaskId::PREFIX.len());
        let selector = AgentTaskSelector::Part(digits[..4].to_owned());
        let Err(Failure::Report(report)) = selector.choose(ids.into_iter()) else {
            panic!("accepted")
        };
        let hint = report.hint.expect("a hint");
        assert!(hint.ends_with("and 12 more"), "{hint}");
    }
}
