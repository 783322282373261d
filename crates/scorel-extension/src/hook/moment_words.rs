//! Points of a turn in the words of Claude Code, and back.

use scorel_engine::{BackgroundTask, Moment, MomentAnswer, MomentVerdict, Occasion, SessionSource};
use scorel_proto::{CompactionTrigger, ContextOp, Role};
use serde_json::{Map, Value, json};

use super::claude::{AnswerError, HookEffect, HookOpinion};
use super::{ContextPoint, HookEntry, HookEvent};

/// The point in the words of an entry; `None` before a request is sent.
pub(super) const fn point(event: HookEvent, occasion: &Occasion) -> Option<ContextPoint> {
    match occasion {
        // Of an agent's beginning only what is said in JSON is for the model.
        Occasion::Begin { .. } if matches!(event, HookEvent::SubagentStart) => None,
        // Also behind a summary in the midst of a turn: what the command writes is for the model.
        Occasion::Begin { .. } => Some(ContextPoint::Start),
        other => ContextPoint::of(other.point()),
    }
}

/// True if the hook is for what happens there, in the session of an agent of this type, if it is one's.
pub(super) fn matches(entry: &HookEntry, agent: Option<&str>, moment: &Moment) -> bool {
    match (entry.event, &moment.occasion) {
        (HookEvent::SubagentStart, Occasion::Begin { source }) => {
            *source == SessionSource::Startup && agent.is_some_and(|it| entry.matcher.matches(it))
        }
        (HookEvent::SessionStart, Occasion::Begin { source }) => {
            entry.matcher.matches(their_source(*source))
        }
        (HookEvent::PreCompact, Occasion::Trim { trigger, .. }) => {
            entry.matcher.matches(their_trigger(*trigger))
        }
        _ => true,
    }
}

const fn their_source(source: SessionSource) -> &'static str {
    match source {
        SessionSource::Startup => "startup",
        SessionSource::Resume => "resume",
        SessionSource::Clear => "clear",
        SessionSource::Compact => "compact",
    }
}

fn their_task(task: &BackgroundTask) -> Value {
    let (id, title) = (&task.id, &task.title);
    match &task.agent_type {
        Some(agent) => json!({
            "id": id, "type": "subagent", "status": "running", "description": title, "agent_type": agent,
        }),
        None => json!({
            "id": id, "type": "shell", "status": "running", "description": title, "command": title,
        }),
    }
}

const fn their_trigger(trigger: CompactionTrigger) -> &'static str {
    match trigger {
        CompactionTrigger::Manual => "manual",
        _ => "auto",
    }
}

/// The part of a command's input about a point.
pub(super) fn told(moment: &Moment) -> Map<String, Value> {
    let of = |role: Role| {
        let texts = moment.messages.iter().filter(move |it| it.role == role);
        texts.map(|it| it.text.as_str())
    };
    let fields = match &moment.occasion {
        Occasion::Begin { source } => json!({"source": their_source(*source)}),
        Occasion::Start { .. } => {
            json!({"prompt": of(Role::User).collect::<Vec<_>>().join("\n")})
        }
        Occasion::Trim {
            trigger,
            instructions,
        } => json!({
            "trigger": their_trigger(*trigger),
            "custom_instructions": instructions.as_deref().unwrap_or_default(),
        }),
        Occasion::End {
            went_on,
            background,
        } => json!({
            "stop_hook_active": *went_on > 0,
            "last_assistant_message": of(Role::Assistant).next_back().unwrap_or_default(),
            "background_tasks": background.iter().map(their_task).collect::<Vec<_>>(),
            "session_crons": [],
        }),
        Occasion::Call | Occasion::Send => json!({}),
    };
    let mut fields = fields.as_object().cloned().unwrap_or_default();
    fields.insert("scorel".to_owned(), own(moment).into());
    fields
}

/// A moment in our words, which programs of extensions get too.
pub(crate) fn own(moment: &Moment) -> Map<String, Value> {
    let own = json!({
        "point": moment.occasion.point(),
        "turnId": moment.turn_id,
        "attempt": moment.attempt,
        "messages": &*moment.messages,
        "leftOut": moment.left_out,
    });
    let of_point = match &moment.occasion {
        Occasion::Begin { source } => json!({ "source": their_source(*source) }),
        Occasion::Start { first_turn } => json!({ "firstTurn": first_turn }),
        Occasion::Trim {
            trigger,
            instructions,
        } => json!({ "trigger": trigger, "instructions": instructions }),
        Occasion::End { went_on, .. } => json!({ "wentOn": went_on }),
        Occasion::Call | Occasion::Send => json!({}),
    };
    let parts = [own, of_point].into_iter();
    parts
        .filter_map(|it| it.as_object().cloned())
        .flatten()
        .collect()
}

/// An effect as an answer at a point.
pub(super) fn answered(
    occasion: &Occasion,
    effect: HookEffect,
) -> Result<MomentAnswer, AnswerError> {
    let edits = match effect.edits {
        None => Vec::new(),
        Some(edits) => {
            serde_json::from_value::<Vec<ContextOp>>(edits).map_err(|error| AnswerError::Value {
                field: "edits",
                value: error.to_string(),
            })?
        }
    };
    let block = match effect.opinion {
        HookOpinion::Block(reason) => Some(reason),
        _ => None,
    };
    let verdict = match (effect.stop, block, occasion) {
        (Some(reason), _, _) => MomentVerdict::Stop(reason),
        (None, Some(reason), Occasion::Start { .. }) => MomentVerdict::Deny(reason),
        (None, Some(reason), Occasion::End { .. }) => MomentVerdict::GoOn(reason),
        (None, Some(reason), Occasion::Send) => MomentVerdict::Fail(reason),
        (None, _, _) => MomentVerdict::Pass,
    };
    Ok(MomentAnswer {
        inject: effect.context,
        edits,
        verdict,
    })
}
