use jiff::civil::date;
use scorel_proto::{EventId, Phase, ProjectId, SessionId, ThinkingLevel};
use scorel_provider::ThinkingLevels;
use scorel_session::{DamagedRange, TargetProblem};

use super::*;

fn on_the_wire(error: impl Into<CallError>) -> RpcError {
    error.into().into()
}

#[test]
fn each_damaged_place_is_in_the_details() {
    let place = DamagedRange {
        offset: 7,
        length: 9,
        reason: "checksum".to_owned(),
    };
    let session_id = SessionId::generate();
    let error = on_the_wire(SessionError::Damaged {
        session_id,
        places: vec![place],
    });
    assert_eq!(error.code, ErrorCode::SessionFailed);
    let damage = json!([{ "offset": 7, "length": 9, "reason": "checksum" }]);
    let details = json!({ "sessionId": session_id, "damage": damage });
    assert_eq!(error.details, details);
}

#[test]
fn a_refused_move_says_how_the_session_stands() {
    let id = EventId::generate();
    let busy = SessionError::Busy {
        phase: Phase::Running,
        queued: 2,
    };
    let invalid = SessionError::InvalidTarget {
        event_id: Some(id),
        problem: TargetProblem::OtherBranch,
    };
    let moved = SessionError::LeafMoved { active: Some(id) };
    let summarised = SessionError::Summarised {
        compacted_through: id,
    };
    for (error, code, details) in [
        (
            busy,
            ErrorCode::AgentTaskBusy,
            json!({ "phase": "running", "queueLength": 2 }),
        ),
        (
            moved,
            ErrorCode::Conflict,
            json!({ "kind": "leaf", "activeLeafId": id }),
        ),
        (
            invalid,
            ErrorCode::InvalidEventId,
            json!({ "eventId": id, "reason": "other_branch" }),
        ),
        (
            summarised,
            ErrorCode::CannotRewindPastCompact,
            json!({ "compactedThrough": id }),
        ),
    ] {
        let error = on_the_wire(error);
        assert_eq!((error.code, error.details), (code, details));
    }
}

#[test]
fn what_the_caller_referred_to_is_in_the_details() {
    let path = Some("x".to_owned());
    let error = ProjectError::NotAbsolute {
        path: "x".to_owned(),
    };
    let error = on_the_wire(CallError::Project { error, path });
    assert_eq!(error.code, ErrorCode::FilesystemError);
    assert_eq!(error.message, "`x` is not an absolute path");
    assert_eq!(error.details, json!({ "path": "x" }));

    let id = ProjectId::generate();
    let error = on_the_wire(CallError::ProjectNotFound(id));
    assert_eq!(error.details, json!({ "projectId": id }));

    let error = on_the_wire(CallError::invalid_field("content", "`content` is empty"));
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert_eq!(error.details, json!({ "field": "content" }));
}

#[test]
fn an_unknown_model_is_the_callers_mistake_and_a_missing_key_is_not() {
    let unknown = SetupError::MissingModel {
        provider: "openai".to_owned(),
    };
    let error = on_the_wire(CallError::Model(ModelCallError::Named(unknown.into())));
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert_eq!(
        error.details,
        json!({ "provider": "openai", "field": "model" })
    );

    let no_key = ModelError::NoKey {
        provider: "openai".to_owned(),
        variables: vec!["OPENAI_API_KEY".to_owned()],
        file: "/home/env".into(),
    };
    let error = on_the_wire(CallError::Model(ModelCallError::Named(no_key)));
    assert_eq!(error.code, ErrorCode::ProviderError);
    let details = json!({ "provider": "openai", "keyVariables": ["OPENAI_API_KEY"] });
    assert_eq!(error.details, details);
}

#[test]
fn a_level_that_a_model_lacks_and_a_retired_model_say_what_there_is() {
    let lacking = SetupError::NoThinkingLevel {
        model: "a".to_owned(),
        level: ThinkingLevel::Xhigh,
        levels: ThinkingLevels::of(&[ThinkingLevel::Low, ThinkingLevel::Max]),
    };
    let error = on_the_wire(CallError::Model(ModelCallError::Named(lacking.into())));
    assert_eq!(error.code, ErrorCode::InvalidParams);
    let details = json!({ "thinkingLevels": ["low", "max"], "field": "thinkingLevel" });
    assert_eq!(error.details, details);
    let retired = SetupError::Retired {
        provider: "xai".to_owned(),
        model: "grok-3".to_owned(),
        on: date(2026, 5, 15),
        successor: Some("grok-4.3".to_owned()),
    };
    let error = on_the_wire(CallError::Model(ModelCallError::Named(retired.into())));
    assert_eq!(error.details["suggestion"], "grok-4.3");
    assert_eq!(error.details["field"], "model");
}
