//! What a clone copies of a session, which may run meanwhile: its records up to one moment.

use scorel_journal::Records;
use scorel_proto::{EventId, PathNode, Seq, SessionChanges, SessionState, ThinkingLevel};

use super::Lane;
use crate::SessionError;
use crate::history_copy::PrefixRecords;

/// A session at one moment, to be cloned up to one of its events.
#[derive(Debug)]
pub(crate) struct LaneHistory {
    /// From the root to the event.
    pub(crate) path: Vec<PathNode>,
    /// All settings of the session, as the changes that lead from none to them.
    pub(crate) settings: SessionChanges,
    pub(crate) prefix: PrefixRecords,
    /// The records, first to last.
    pub(crate) records: Records,
}

impl Lane {
    /// The history that ends with `event`; with `None` it has only settings.
    ///
    /// # Errors
    ///
    /// [`SessionError::InvalidTarget`] unless a finished turn ends at the event.
    pub(crate) fn history(&self, event: Option<EventId>) -> Result<LaneHistory, SessionError> {
        self.check_writable()?;
        let published = self.published();
        published.check_exists()?;
        published.check_target(event)?;
        let view = published.view();
        let places = published.places_after(Seq::ZERO);
        let range = match (places.first(), places.last(), event) {
            // A place ends before its newline.
            (Some(first), Some(last), Some(_)) => first.offset..last.end() + 1,
            _ => 0..0,
        };
        Ok(LaneHistory {
            path: view.tree.path(event),
            settings: settings(&view.state),
            prefix: PrefixRecords {
                snapshot: view.state.snapshot_seq,
                tools: view.state.tool_set.as_ref().map(|told| told.seq),
            },
            records: self.reader.records(range),
        })
    }
}

/// All settings of a session, as the changes that lead from none to them.
pub(crate) fn settings(state: &SessionState) -> SessionChanges {
    let level = state.thinking_level;
    SessionChanges {
        title: state.title.clone(),
        title_source: state.title_source,
        refresh_instructions: None,
        model: state.model.clone(),
        runner: state.runner.clone(),
        thinking_level: (level != ThinkingLevel::default()).then_some(level),
        tools: state.tools,
        on_restart: state.on_restart,
        archived: None,
    }
}
