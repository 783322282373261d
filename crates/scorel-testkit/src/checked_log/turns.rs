//! The invariants of turns in a log.

use std::collections::HashMap;

use super::fault::LogFault;
use super::record::CheckedRecord;

/// A turn as far as it was read.
#[derive(Default)]
struct CheckedTurn<'a> {
    ended: bool,
    /// The ids of calls, and whether each has its result.
    calls: Vec<(&'a str, bool)>,
}

/// Checks that a turn ends at most once, that nothing follows its end, that turns do not overlap,
/// and that each tool call of a turn has one result by its end.
pub(super) fn check(records: &[CheckedRecord]) -> Result<(), LogFault> {
    let mut turns: HashMap<&str, CheckedTurn<'_>> = HashMap::new();
    let mut open: Option<&str> = None;
    for record in records {
        let Some(id) = record.turn_id() else { continue };
        let fault = |reason| LogFault::Turn {
            turn_id: id.to_owned(),
            reason,
        };
        if open.is_some_and(|open| open != id) {
            return Err(fault("it began before the previous turn had ended"));
        }
        let turn = turns.entry(id).or_default();
        if turn.ended {
            return Err(fault("a record follows its outcome"));
        }
        turn.note(record).map_err(fault)?;
        open = (!turn.ended).then_some(id);
    }
    Ok(())
}

impl<'a> CheckedTurn<'a> {
    fn note(&mut self, record: &'a CheckedRecord) -> Result<(), &'static str> {
        let blocks = record.value["message"]["content"].as_array();
        for block in blocks.into_iter().flatten() {
            if let Some(id) = block["id"].as_str().filter(|_| block["type"] == "tool_use") {
                self.calls.push((id, false));
            }
            if let Some(id) = block["toolUseId"].as_str() {
                self.answer(id)?;
            }
        }
        if record.type_name() == "turn_outcome" {
            self.ended = true;
            if self.calls.iter().any(|(_, answered)| !answered) {
                return Err("a tool call has no result");
            }
        }
        Ok(())
    }

    /// Models reuse call ids in later replies, so the first open call with the id is meant.
    fn answer(&mut self, id: &str) -> Result<(), &'static str> {
        let mut open = self
            .calls
            .iter_mut()
            .filter(|(call, answered)| *call == id && !answered);
        let call = open.next().ok_or("a result has no call")?;
        call.1 = true;
        Ok(())
    }
}
