use serde_json::{Map, Value};

use super::super::{ContextPoint, HookEvent};
use super::answer_error::AnswerError;
use super::decision::{object, opinion, text, wrong};
use super::effect::{HookEffect, HookOpinion};

/// The exit code of a command that blocks.
const BLOCKS: i32 = 2;

/// The longest line of an error output that is repeated, in characters.
const MAX_LINE: usize = 500;

/// The longest text for the model, in characters.
const MAX_CONTEXT: usize = 10_000;

/// The meaning of an exit code and of what a command has written. `point` is that of a hook of the context.
///
/// # Errors
/// The command has failed, or its answer cannot be used.
pub fn answer(
    event: HookEvent,
    point: Option<ContextPoint>,
    code: i32,
    stdout: &[u8],
    stderr: &str,
) -> Result<HookEffect, AnswerError> {
    let found = std::str::from_utf8(stdout)
        .map_err(|_| AnswerError::Encoding)
        .and_then(|written| json(event, written.trim()));
    if code == BLOCKS {
        return Ok(blocked(found.ok().flatten(), stderr));
    }
    match found {
        Ok(Some(effect)) => Ok(effect),
        Ok(None) if code == 0 => Ok(plain(point, stdout)),
        Ok(None) => Err(AnswerError::Exit {
            code,
            line: last_line(stderr),
        }),
        // Text that is no answer matters only if the command says that it went well.
        Err(AnswerError::Encoding) if code != 0 => Err(AnswerError::Exit {
            code,
            line: last_line(stderr),
        }),
        Err(error) => Err(error),
    }
}

/// The last line with text, without what a terminal would do.
pub(in crate::hook) fn last_line(stderr: &str) -> String {
    let mut lines = stderr.lines().map(str::trim);
    let line = lines.rfind(|line| !line.is_empty()).unwrap_or_default();
    let shown = line.chars().filter(|char| !char.is_control());
    shown.take(MAX_LINE).collect()
}

/// Exit code 2 blocks, whatever the answer says.
fn blocked(answer: Option<HookEffect>, stderr: &str) -> HookEffect {
    let mut effect = answer.unwrap_or_default();
    let told = match effect.opinion {
        HookOpinion::Block(reason) | HookOpinion::Ask(reason) => reason,
        HookOpinion::Allow(_) | HookOpinion::None => String::new(),
    };
    let reason = Some(told).filter(|it| !it.is_empty());
    let stderr = || stderr.trim().chars().take(MAX_CONTEXT).collect();
    effect.opinion = HookOpinion::Block(reason.unwrap_or_else(stderr));
    effect.updated_input = None;
    effect
}

/// At the start of a turn, plain text is for the model.
fn plain(point: Option<ContextPoint>, stdout: &[u8]) -> HookEffect {
    let text = String::from_utf8_lossy(stdout);
    let is_told = point == Some(ContextPoint::Start) && !text.trim().is_empty();
    HookEffect {
        context: is_told.then(|| text.trim().chars().take(MAX_CONTEXT).collect()),
        ..HookEffect::default()
    }
}

/// The answer in JSON; `None` if it is none.
fn json(event: HookEvent, written: &str) -> Result<Option<HookEffect>, AnswerError> {
    if !written.starts_with('{') {
        return Ok(None);
    }
    let fields: Map<String, Value> =
        serde_json::from_str(written).map_err(|error| AnswerError::Json(error.to_string()))?;
    let none = Map::new();
    let specific = match fields.get("hookSpecificOutput") {
        None | Some(Value::Null) => &none,
        Some(value) => object("hookSpecificOutput", value)?,
    };
    if let Some(name) = text(specific, "hookEventName")?
        && !event.is_also(&name)
    {
        return Err(AnswerError::OtherEvent(name));
    }
    let context = text(specific, "additionalContext")?;
    Ok(Some(HookEffect {
        opinion: opinion(event, &fields, specific)?,
        updated_input: updated_input(specific)?,
        output: output(specific),
        edits: specific.get("edits").filter(|it| !it.is_null()).cloned(),
        context: context
            .map(|it| it.chars().take(MAX_CONTEXT).collect::<String>())
            .filter(|it| !it.is_empty()),
        stop: stop(&fields)?,
        message: text(&fields, "systemMessage")?,
    }))
}

/// That of `PermissionRequest` stands within its decision.
fn updated_input(specific: &Map<String, Value>) -> Result<Option<Map<String, Value>>, AnswerError> {
    let of_question = specific
        .get("decision")
        .and_then(|it| it.get("updatedInput"));
    match specific.get("updatedInput").or(of_question) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => Ok(Some(object("updatedInput", value)?.clone())),
    }
}

fn output(specific: &Map<String, Value>) -> Option<Value> {
    let names = ["updatedToolOutput", "updatedMCPToolOutput"];
    let mut found = names.iter().filter_map(|name| specific.get(*name));
    found.find(|value| !value.is_null()).cloned()
}

fn stop(fields: &Map<String, Value>) -> Result<Option<String>, AnswerError> {
    match fields.get("continue") {
        None | Some(Value::Null | Value::Bool(true)) => Ok(None),
        Some(Value::Bool(false)) => Ok(Some(text(fields, "stopReason")?.unwrap_or_default())),
        Some(other) => Err(wrong("continue", other)),
    }
}
