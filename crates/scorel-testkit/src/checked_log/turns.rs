//! What must hold of the turns of a log.

use std::collections::HashMap;

use super::{CheckedRecord, LogFault};

/// What a turn has shown so far.
#[derive(Default)]
struct Turn<'a> {
    ended: bool,
    /// Calls, and whether their result has come.
    calls: Vec<(&'a str, bool)>,
}

/// Checks that a turn ends at most once, that nothing follows its end, that turns do not overlap,
/// and that each tool call of a turn has one result by its end.
pub(super) fn check(records: &[CheckedRecord]) -> Result<(), LogFault> {
    let mut turns: HashMap<&str, Turn<'_>> = HashMap::new();
    let mut open: Option<&str> = None;
    for record in records {
        let Some(id) = record.turn_id() else { continue };
        let fault = |reason| LogFault::Turn {
            turn_id: id.to_owned(),
            reason,
        };
        if open.is_some_and(|open| open != id) {
            return Err(fault("it began before the turn before had ended"));
        }
        let turn = turns.entry(id).or_default();
        if turn.ended {
            return Err(fault("something follows its outcome"));
        }
        turn.note(record).map_err(fault)?;
        open = (!turn.ended).then_some(id);
    }
    Ok(())
}

impl<'a> Turn<'a> {
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

    /// Ids of calls may come again in a later answer of the model.
    fn answer(&mut self, id: &str) -> Result<(), &'static str> {
        let mut open = self
            .calls
            .iter_mut()
            .filter(|(call, answered)| *call == id && !answered);
        let call = open.next().ok_or("a result without a call")?;
        call.1 = true;
        Ok(())
    }
}
