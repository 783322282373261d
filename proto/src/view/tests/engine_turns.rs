use serde_json::json;

use super::log::{Log, assistant, message};
use super::runs::{run, started, state};
use crate::{
    CustomBody, ENGINE_TURN_KIND, EngineTurnBody, EngineTurns, Message, OutcomeReason,
    PersistentBody, RequestProof, RunId, RunPhase,
};

fn answer(number: u8) -> PersistentBody {
    let Message::Assistant(mut answer) = assistant(Vec::new(), false) else {
        unreachable!("it is an answer");
    };
    answer.meta.request = Some(Box::new(RequestProof {
        request_sha256: format!("{number:064}"),
        tool_set_digest: "a".repeat(64).parse().expect("64 digits"),
    }));
    message(Message::Assistant(answer))
}

fn record() -> PersistentBody {
    PersistentBody::Custom(CustomBody {
        kind: ENGINE_TURN_KIND.to_owned(),
        data: json!({}),
    })
}

fn calls(log: &Log) -> EngineTurns {
    run(log).calls
}

#[test]
fn a_call_of_a_run_is_due_until_its_record() {
    let mut log = Log::new();
    log.push(started(RunId::generate()));
    log.push(state("1", "one"));
    let turn_id = log.begin();
    log.assistant(Vec::new());
    assert_eq!(calls(&log), EngineTurns::default(), "it has no proof");
    let asked = log.user("q");
    log.push(answer(6));
    log.push(record());
    let told = log.user("r");
    log.push(answer(7));
    log.push(state("2", "two"));
    let due = calls(&log).due.expect("a call");
    assert_eq!((due.turn_id, due.turn_index), (turn_id, 1));
    assert_eq!((due.leaf_id, due.node_id.as_str()), (Some(told), "one"));
    assert_ne!(told, asked);
    let body = EngineTurnBody::of(&due, calls(&log).recorded, Some(RunPhase::Completed));
    let expected = json!({
        "id": "C02",
        "turnId": turn_id,
        "turnIndex": 1,
        "phaseBefore": "Running",
        "nodeId": "one",
        "leafId": told,
        "requestSha256": format!("{:064}", 7),
        "toolSetDigest": "a".repeat(64),
        "phaseAfter": "Completed",
        "stopReason": "end_turn",
    });
    assert_eq!(
        serde_json::to_value(&body).expect("keys are texts"),
        expected
    );
    log.push(record());
    assert_eq!((calls(&log).recorded, calls(&log).due), (2, None));
    log.outcome(OutcomeReason::Completed);
    log.begin();
    log.push(answer(8));
    let due = calls(&log).due.expect("a call");
    assert_eq!(due.turn_index, 0, "the first of its turn");
    assert_eq!(due.request.request_sha256, format!("{:064}", 8));
}

#[test]
fn a_session_without_a_run_has_none() {
    let mut log = Log::new();
    log.begin();
    log.push(answer(1));
    assert_eq!(log.view.state.run, None);
}
