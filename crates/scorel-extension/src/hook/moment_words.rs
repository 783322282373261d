//! Points of a turn in the words of Claude Code, and back.

use scorel_engine::{Moment, MomentAnswer, MomentVerdict, Occasion};
use scorel_proto::{CompactionTrigger, ContextOp, Role};
use serde_json::{Map, Value, json};

use super::claude::{AnswerError, HookEffect, HookOpinion};
use super::{HookEntry, HookEvent};

/// The way in which every session begins here.
const STARTUP: &str = "startup";

/// True if the hook is for what happens there.
pub(super) fn matches(entry: &HookEntry, moment: &Moment) -> bool {
    match (entry.event, &moment.occasion) {
        (HookEvent::SessionStart, Occasion::Start { first_turn }) => {
            *first_turn && entry.matcher.matches(STARTUP)
        }
        (HookEvent::PreCompact, Occasion::Trim { trigger, .. }) => {
            entry.matcher.matches(their_trigger(*trigger))
        }
        _ => true,
    }
}

const fn their_trigger(trigger: CompactionTrigger) -> &'static str {
    match trigger {
        CompactionTrigger::Manual => "manual",
        _ => "auto",
    }
}

/// The part of a command's input about a point.
pub(super) fn told(event: HookEvent, moment: &Moment) -> Map<String, Value> {
    let of = |role: Role| {
        let texts = moment.messages.iter().filter(move |it| it.role == role);
        texts.map(|it| it.text.as_str())
    };
    let fields = match (event, &moment.occasion) {
        (HookEvent::SessionStart, _) => json!({"source": STARTUP}),
        (_, Occasion::Start { .. }) => {
            json!({"prompt": of(Role::User).collect::<Vec<_>>().join("\n")})
        }
        (
            _,
            Occasion::Trim {
                trigger,
                instructions,
            },
        ) => json!({
            "trigger": their_trigger(*trigger),
            "custom_instructions": instructions.as_deref().unwrap_or_default(),
        }),
        (_, Occasion::End { went_on }) => json!({
            "stop_hook_active": *went_on > 0,
            "last_assistant_message": of(Role::Assistant).next_back().unwrap_or_default(),
            "background_tasks": [],
        }),
        (_, Occasion::Call | Occasion::Send) => json!({}),
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
        Occasion::Start { first_turn } => json!({ "firstTurn": first_turn }),
        Occasion::Trim {
            trigger,
            instructions,
        } => json!({ "trigger": trigger, "instructions": instructions }),
        Occasion::End { went_on } => json!({ "wentOn": went_on }),
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
