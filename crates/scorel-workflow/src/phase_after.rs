/// Turns in a row that change the document and stay at one node, before a person is asked.
pub const MAX_TURNS_AT_NODE: u32 = 3;

/// A turn of a run, as it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnEnd {
    pub outcome: RunTurnOutcome,
    /// True if an end was completed ([`crate::CurrentRun::has_ended`]).
    pub has_ended: bool,
    pub autopilot: bool,
    /// True if the node that the turn ended at waits for a person.
    pub node_waits: bool,
    /// True if the turn changed the document.
    pub changed_document: bool,
    /// The turns in a row, with this one, that changed the document and ended at this node.
    pub turns_at_node: u32,
}

/// The way a turn of a run ended, or the reason why it did not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunTurnOutcome {
    Completed,
    Cancelled,
    /// A limit of the turn or of the run was reached.
    Limit,
    Interrupted,
    Error,
    /// The document cannot be used, so the model was not called.
    StateInvalid,
    /// The copy of the package is not there, so the model was not called.
    PackageMissing,
}

/// The phase that a turn leaves its run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseAfter {
    /// The daemon goes on without a person.
    Running,
    WaitingUser(RunWait),
    Completed,
    Failed(RunFault),
}

/// The reason why a run waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunWait {
    Question,
    /// The document changed turn after turn, and no node was completed.
    NoProgress,
    Cancelled,
    Limit,
    Interrupted,
    StateInvalid,
}

/// The reason why a run failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunFault {
    Error,
    PackageMissing,
}

/// The phase of a run after a turn.
pub const fn phase_after(turn: TurnEnd) -> PhaseAfter {
    if turn.has_ended {
        return PhaseAfter::Completed;
    }
    PhaseAfter::WaitingUser(match turn.outcome {
        RunTurnOutcome::Completed => match turn {
            TurnEnd {
                autopilot: true,
                node_waits: false,
                changed_document: true,
                turns_at_node,
                ..
            } if turns_at_node < MAX_TURNS_AT_NODE => return PhaseAfter::Running,
            TurnEnd {
                autopilot: true,
                node_waits: false,
                changed_document: true,
                ..
            } => RunWait::NoProgress,
            _ => RunWait::Question,
        },
        RunTurnOutcome::Cancelled => RunWait::Cancelled,
        RunTurnOutcome::Limit => RunWait::Limit,
        RunTurnOutcome::Interrupted => RunWait::Interrupted,
        RunTurnOutcome::StateInvalid => RunWait::StateInvalid,
        RunTurnOutcome::Error => return PhaseAfter::Failed(RunFault::Error),
        RunTurnOutcome::PackageMissing => return PhaseAfter::Failed(RunFault::PackageMissing),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: TurnEnd = TurnEnd {
        outcome: RunTurnOutcome::Completed,
        has_ended: false,
        autopilot: true,
        node_waits: false,
        changed_document: true,
        turns_at_node: 1,
    };

    /// Every turn there can be, against the rows of the table.
    #[test]
    fn a_turn_leaves_its_run_in_one_phase() {
        let outcomes = [
            (RunTurnOutcome::Completed, None),
            (
                RunTurnOutcome::Cancelled,
                Some(PhaseAfter::WaitingUser(RunWait::Cancelled)),
            ),
            (
                RunTurnOutcome::Limit,
                Some(PhaseAfter::WaitingUser(RunWait::Limit)),
            ),
            (
                RunTurnOutcome::Interrupted,
                Some(PhaseAfter::WaitingUser(RunWait::Interrupted)),
            ),
            (
                RunTurnOutcome::StateInvalid,
                Some(PhaseAfter::WaitingUser(RunWait::StateInvalid)),
            ),
            (
                RunTurnOutcome::Error,
                Some(PhaseAfter::Failed(RunFault::Error)),
            ),
            (
                RunTurnOutcome::PackageMissing,
                Some(PhaseAfter::Failed(RunFault::PackageMissing)),
            ),
        ];
        for (outcome, expected) in outcomes {
            for bits in 0..16_u32 {
                let [has_ended, autopilot, node_waits, changed_document] =
                    [1, 2, 4, 8].map(|bit| bits & bit != 0);
                for turns_at_node in 0..5 {
                    let turn = TurnEnd {
                        outcome,
                        has_ended,
                        autopilot,
                        node_waits,
                        changed_document,
                        turns_at_node,
                    };
                    let goes_on = autopilot && changed_document && !node_waits;
                    let expected = match expected {
                        _ if has_ended => PhaseAfter::Completed,
                        Some(expected) => expected,
                        None if goes_on && turns_at_node < 3 => PhaseAfter::Running,
                        None if goes_on => PhaseAfter::WaitingUser(RunWait::NoProgress),
                        None => PhaseAfter::WaitingUser(RunWait::Question),
                    };
                    assert_eq!(phase_after(turn), expected, "{turn:?}");
                }
            }
        }
    }

    #[test]
    fn the_first_question_of_the_reference_run_waits_and_its_next_turns_go_on() {
        let asks = TurnEnd {
            changed_document: false,
            ..TURN
        };
        assert_eq!(
            phase_after(asks),
            PhaseAfter::WaitingUser(RunWait::Question)
        );
        assert_eq!(phase_after(TURN), PhaseAfter::Running);
    }
}
