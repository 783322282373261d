use serde_json::{Value, json};

use super::log::Log;
use crate::{
    CustomBody, FoldedRun, OutcomeReason, PersistentBody, RUN_PHASE_KIND, RUN_STARTED_KIND,
    RUN_STATE_KIND, RunId, RunPhase, RunReason,
};

fn record(kind: &str, data: Value) -> PersistentBody {
    PersistentBody::Custom(CustomBody {
        kind: kind.to_owned(),
        data,
    })
}

pub(super) fn started(id: RunId) -> PersistentBody {
    let package = json!({"id": "story", "version": "1", "digest": "d"});
    record(
        RUN_STARTED_KIND,
        json!({"runId": id, "package": package, "workflow": "story"}),
    )
}

pub(super) fn state(sha256: &str, node: &str) -> PersistentBody {
    let data = json!({"sha256": sha256, "currentNodeId": node, "cause": "patch"});
    record(RUN_STATE_KIND, data)
}

fn phase(to: RunPhase, reason: RunReason) -> PersistentBody {
    let data = json!({"from": "Running", "to": to, "reason": reason});
    record(RUN_PHASE_KIND, data)
}

pub(super) fn run(log: &Log) -> FoldedRun {
    log.view.state.run.clone().expect("it has one")
}

#[test]
fn a_run_is_folded_from_its_records() {
    let (mut log, id) = (Log::new(), RunId::generate());
    log.push(state("0", "a"));
    assert_eq!(log.view.state.run, None, "it was not started");
    log.push(started(id));
    assert_eq!(run(&log).shown.phase, RunPhase::Running);
    log.push(state("1", "a"));
    log.begin();
    log.user("go");
    assert!(!run(&log).has_changed);
    log.push(state("2", "b"));
    assert_eq!(
        (run(&log).sha256.as_str(), run(&log).has_changed),
        ("2", true)
    );
    log.outcome(OutcomeReason::Completed);
    assert!(run(&log).is_undecided);
    log.push(phase(RunPhase::WaitingUser, RunReason::Question));
    let folded = run(&log);
    assert!(!folded.is_undecided);
    assert_eq!(folded.shown.phase, RunPhase::WaitingUser);
    assert_eq!(
        (folded.shown.node_id.as_str(), folded.turns_at_node),
        ("b", 1)
    );
}

#[test]
fn turns_are_counted_while_the_node_stays() {
    let mut log = Log::new();
    log.push(started(RunId::generate()));
    for turn in 1..=3 {
        log.begin();
        log.user("go");
        log.push(state(&turn.to_string(), "a"));
        log.outcome(OutcomeReason::Completed);
        assert_eq!(run(&log).turns_at_node, turn);
    }
    log.push(state("4", "b"));
    assert_eq!(run(&log).turns_at_node, 0);
}

#[test]
fn a_clone_belongs_to_no_run() {
    let mut log = Log::new();
    log.push_with(started(RunId::generate()), |event| {
        event.origin = Some(crate::Origin {
            session_id: crate::SessionId::generate(),
            event_id: event.id,
        });
    });
    assert_eq!(log.view.state.run, None);
}
