//! The phase that a turn leaves its run in, and the message by which a run goes on by itself.

use scorel_proto::{ClientId, OutcomeReason, QueueKind, RunIntent, RunMode, RunPhase, RunReason};
use scorel_session::{MutationCommand, Section, SessionError};
use scorel_workflow::{PhaseAfter, RunFault, RunTurnOutcome, RunWait, TurnEnd, phase_after};

use crate::error::RunError;
use crate::open_run::OpenRun;
use crate::start::opening;
use crate::states::record_phase;

/// Judges the turn that ended last, which has changed the document or not, if that was not done. Goes on with the run if nothing waits for a person.
pub(crate) fn rest(
    section: &mut Section<'_>,
    run: Result<&OpenRun, &RunError>,
    has_changed: bool,
) -> Result<(), SessionError> {
    let known = section.view().state.run.clone();
    let Some(known) = known.filter(|known| known.shown.phase == RunPhase::Running) else {
        return Ok(());
    };
    let (outcome, is_empty) = {
        let view = section.view();
        (view.state.last_outcome, view.state.queue.items.is_empty())
    };
    if !known.is_undecided {
        // The daemon ended before the message came that the run was to go on with.
        return match is_empty {
            true => record_phase(section, (RunPhase::WaitingUser, RunReason::Interrupted)),
            false => Ok(()),
        };
    }
    let current = run.ok().map(OpenRun::current);
    let waits = current
        .and_then(|it| it.node())
        .is_some_and(|(_, step)| step.waits_for_person());
    let after = phase_after(TurnEnd {
        outcome: match how(outcome, run.err()) {
            RunTurnOutcome::Completed if known.is_limited => RunTurnOutcome::Limit,
            outcome => outcome,
        },
        has_ended: current.is_some_and(|it| it.has_ended()),
        autopilot: run.is_ok_and(|run| run.state().autopilot),
        node_waits: waits,
        // A message for something else came in between: the run goes on as it would have.
        changed_document: has_changed || known.mode() != RunMode::Run,
        turns_at_node: known.turns_at_node,
    });
    match (after, known.shown.mode) {
        (PhaseAfter::Running, RunMode::Run) if is_empty => go_on(section)?,
        // Nothing has it go on, until messages are for the run again.
        (PhaseAfter::Running, RunMode::Chat | RunMode::Agent) if is_empty => {
            return record_phase(section, (RunPhase::WaitingUser, RunReason::Question));
        }
        _ => {}
    }
    record_phase(section, phase(after))
}

/// Queues the message by which the run goes on.
fn go_on(section: &mut Section<'_>) -> Result<(), SessionError> {
    let command = MutationCommand::new(ClientId::Daemon, None, "run", &());
    let content = opening(RunIntent::Continue, None);
    let item = command.queue_item(QueueKind::FollowUp, content);
    section.enter_active()?;
    section.add_to_queue(item, false, false).map(drop)
}

fn how(outcome: Option<OutcomeReason>, error: Option<&RunError>) -> RunTurnOutcome {
    match (outcome, error) {
        (Some(OutcomeReason::Cancelled), _) => RunTurnOutcome::Cancelled,
        (Some(OutcomeReason::Interrupted) | None, _) => RunTurnOutcome::Interrupted,
        (_, Some(RunError::PackageMissing { .. })) => RunTurnOutcome::PackageMissing,
        (_, Some(_)) => RunTurnOutcome::StateInvalid,
        (Some(OutcomeReason::Completed), None) => RunTurnOutcome::Completed,
        (Some(OutcomeReason::Limit), None) => RunTurnOutcome::Limit,
        (Some(_), None) => RunTurnOutcome::Error,
    }
}

const fn phase(after: PhaseAfter) -> (RunPhase, RunReason) {
    match after {
        PhaseAfter::Running => (RunPhase::Running, RunReason::Autopilot),
        PhaseAfter::Completed => (RunPhase::Completed, RunReason::EndReached),
        PhaseAfter::WaitingUser(wait) => (
            RunPhase::WaitingUser,
            match wait {
                RunWait::Question => RunReason::Question,
                RunWait::NoProgress => RunReason::NoProgress,
                RunWait::Cancelled => RunReason::Cancelled,
                RunWait::Limit => RunReason::Limit,
                RunWait::Interrupted => RunReason::Interrupted,
                RunWait::StateInvalid => RunReason::StateInvalid,
            },
        ),
        PhaseAfter::Failed(fault) => (
            RunPhase::Failed,
            match fault {
                RunFault::Error => RunReason::Error,
                RunFault::PackageMissing => RunReason::PackageMissing,
            },
        ),
    }
}
