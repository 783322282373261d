use scorel_engine::StopCause;
use scorel_proto::{Phase, SessionState};

/// The phase of a session: the first row that matches.
///
/// | health, stop, fold | phase |
/// |---|---|
/// | unaccepted damage, log lost | `Failed` |
/// | stop signalled, turn or compaction without an end | `Cancelling` |
/// | `turn_waiting`, open question | `Waiting`, `AwaitingPermission` |
/// | turn with `runtime_start`; without, or a compaction of its own; none | `Running`; `Preparing`; `Idle` |
///
/// `getSession`, listings, `inFlight` and `cancel` all use this function, so they cannot disagree.
/// The last two rows are folded from events alone; `SessionState::phase` owns them, because clients
/// fold them too.
pub(crate) fn phase(failed: bool, stop: Option<StopCause>, fold: &SessionState) -> Phase {
    if failed {
        Phase::Failed
    } else if stop.is_some() && fold.has_job() {
        Phase::Cancelling
    } else {
        fold.phase()
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::{
        EventId, PersistentBody, PersistentEvent, Seq, SeqReserveBody, SessionId, SessionView,
        TurnId,
    };

    use super::*;

    fn with_turn() -> SessionState {
        let mut view = SessionView::default();
        view.apply_persistent(&PersistentEvent {
            id: EventId::generate(),
            parent_id: None,
            seq: Seq::ZERO.next(),
            session_id: SessionId::generate(),
            client_id: scorel_proto::ClientId::Daemon,
            ts: 0,
            turn_id: Some(TurnId::generate()),
            command_id: None,
            digest: None,
            origin: None,
            body: PersistentBody::SeqReserve(SeqReserveBody {}),
            prev: None,
        });
        view.state
    }

    #[test]
    fn the_first_matching_row_wins() {
        let (idle, open) = (SessionState::default(), with_turn());
        for cause in [StopCause::Cancelled, StopCause::Interrupted] {
            assert_eq!(phase(true, Some(cause), &open), Phase::Failed);
            assert_eq!(phase(false, Some(cause), &open), Phase::Cancelling);
            assert_eq!(
                phase(false, Some(cause), &idle),
                Phase::Idle,
                "a turn with an outcome is not cancelled any more"
            );
        }
        assert_eq!(phase(true, None, &idle), Phase::Failed);
        assert_eq!(phase(false, None, &open), Phase::Preparing);
        assert_eq!(phase(false, None, &idle), Phase::Idle);
    }
}
