use std::collections::HashMap;
use std::time::Duration;

use scorel_proto::AgentTaskId;
use tokio::time::Instant;

/// How often a runtime's summary is written to its parent's log.
pub(crate) const LOGGED_EVERY: Duration = Duration::from_secs(10);

/// What runtimes did when that was told last.
#[derive(Debug, Default)]
pub(crate) struct Summaries {
    told: HashMap<AgentTaskId, ReportedSummary>,
}

#[derive(Debug, Default)]
struct ReportedSummary {
    text: String,
    logged: Option<(Instant, String)>,
}

/// Where a summary goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SummaryDue {
    /// To the log, and so to everyone.
    Log,
    /// To the host feed; to the log later.
    Feed,
    /// To the log later: the host feed has it.
    Later,
    Nowhere,
}

impl Summaries {
    pub(crate) fn told(&mut self, id: AgentTaskId, text: &str, now: Instant) -> SummaryDue {
        let told = self.told.entry(id).or_default();
        let is_new = told.text != text;
        if is_new {
            text.clone_into(&mut told.text);
        }
        match &told.logged {
            Some((_, logged)) if logged == text => SummaryDue::Nowhere,
            Some((at, _)) if now.duration_since(*at) < LOGGED_EVERY => match is_new {
                true => SummaryDue::Feed,
                false => SummaryDue::Later,
            },
            _ => {
                told.logged = Some((now, text.to_owned()));
                SummaryDue::Log
            }
        }
    }

    /// The last summary that was told of a runtime.
    pub(crate) fn text(&self, id: AgentTaskId) -> Option<&str> {
        self.told.get(&id).map(|told| told.text.as_str())
    }

    pub(crate) fn forget(&mut self, id: AgentTaskId) {
        self.told.remove(&id);
    }
}
