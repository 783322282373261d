//! Messages to a running turn. Codex refuses one that comes when the turn has just ended.

use std::collections::VecDeque;

use scorel_engine::RunnerInput;

/// What follows a turn.
pub(super) enum AfterTurn {
    /// Messages that came too late for it.
    Prompt(Vec<RunnerInput>),
    End,
}

#[derive(Debug, Default)]
pub(super) struct Steers {
    /// Not answered yet, in the order in which they were sent.
    open: VecDeque<Vec<RunnerInput>>,
    /// Refused.
    late: Vec<RunnerInput>,
    /// The turn has completed.
    has_ended: bool,
}

impl Steers {
    pub(super) fn sent(&mut self, input: Vec<RunnerInput>) {
        self.open.push_back(input);
    }

    pub(super) fn taken(&mut self) {
        self.open.pop_front();
    }

    pub(super) fn refused(&mut self) {
        self.late.extend(self.open.pop_front().unwrap_or_default());
    }

    pub(super) fn ended(&mut self) {
        self.has_ended = true;
    }

    /// What follows, once the turn has completed and all messages were answered.
    pub(super) fn next(&mut self) -> Option<AfterTurn> {
        if !self.has_ended || !self.open.is_empty() {
            return None;
        }
        self.has_ended = false;
        let late = std::mem::take(&mut self.late);
        Some(match late.is_empty() {
            true => AfterTurn::End,
            false => AfterTurn::Prompt(late),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_was_refused_begins_another_turn_once() {
        let mut steers = Steers::default();
        steers.sent(vec![RunnerInput::Text("in time".to_owned())]);
        steers.sent(vec![RunnerInput::Text("late".to_owned())]);
        steers.taken();
        steers.ended();
        assert!(steers.next().is_none(), "an answer is open");
        steers.refused();
        let Some(AfterTurn::Prompt(late)) = steers.next() else {
            panic!("no further turn");
        };
        assert_eq!(late, [RunnerInput::Text("late".to_owned())]);
        assert!(steers.next().is_none(), "it has not ended");
        steers.ended();
        assert!(matches!(steers.next(), Some(AfterTurn::End)));
    }
}
