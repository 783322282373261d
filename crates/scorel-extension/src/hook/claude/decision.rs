//! The fields of an answer that decide.

use serde_json::{Map, Value};

use super::super::{HookEvent, HookStage};
use super::answer_error::AnswerError;
use super::effect::HookOpinion;

/// The longest value that an error repeats, in characters.
const MAX_SHOWN: usize = 64;

/// The opinion in an answer.
pub(super) fn opinion(
    event: HookEvent,
    fields: &Map<String, Value>,
    specific: &Map<String, Value>,
) -> Result<HookOpinion, AnswerError> {
    if let Some(decision) = specific.get("permissionDecision") {
        let reason = text(specific, "permissionDecisionReason")?.unwrap_or_default();
        return permission(decision, reason);
    }
    if event.stage() == HookStage::Question
        && let Some(decision) = specific.get("decision")
    {
        return of_question(decision);
    }
    let Some(decision) = fields.get("decision").filter(|it| !it.is_null()) else {
        return Ok(HookOpinion::None);
    };
    let reason = text(fields, "reason")?.unwrap_or_default();
    match decision.as_str() {
        Some("block" | "deny") => Ok(HookOpinion::Block(reason)),
        Some("approve" | "allow") => Ok(HookOpinion::Allow(reason)),
        _ => Err(wrong("decision", decision)),
    }
}

fn permission(decision: &Value, reason: String) -> Result<HookOpinion, AnswerError> {
    match decision.as_str() {
        Some("allow") => Ok(HookOpinion::Allow(reason)),
        Some("deny") => Ok(HookOpinion::Block(reason)),
        Some("ask" | "defer") => Ok(HookOpinion::Ask(reason)),
        _ => Err(wrong("permissionDecision", decision)),
    }
}

fn of_question(decision: &Value) -> Result<HookOpinion, AnswerError> {
    let fields = object("decision", decision)?;
    let message = text(fields, "message")?.unwrap_or_default();
    let behavior = fields.get("behavior").unwrap_or(&Value::Null);
    match behavior.as_str() {
        Some("allow") => Ok(HookOpinion::Allow(message)),
        Some("deny") => Ok(HookOpinion::Block(message)),
        _ => Err(wrong("behavior", behavior)),
    }
}

/// A text of an answer; `None` if it has none.
pub(super) fn text(
    fields: &Map<String, Value>,
    name: &'static str,
) -> Result<Option<String>, AnswerError> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(name, other)),
    }
}

/// An object of an answer.
pub(super) fn object<'a>(
    name: &'static str,
    value: &'a Value,
) -> Result<&'a Map<String, Value>, AnswerError> {
    value.as_object().ok_or_else(|| wrong(name, value))
}

pub(super) fn wrong(field: &'static str, value: &Value) -> AnswerError {
    let value = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    AnswerError::Value {
        field,
        value: value.chars().take(MAX_SHOWN).collect(),
    }
}
