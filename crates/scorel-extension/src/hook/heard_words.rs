//! Events that sessions publish, in the words of Claude Code.

use serde_json::{Map, Value, json};

use super::HookEvent;

/// Events by what they mean, beside the types of the protocol.
pub const MEANINGS: [&str; 6] = [
    "session_start",
    "session_end",
    "prompt_submit",
    "turn_finish",
    "turn_error",
    "permission_asked",
];

/// The events of sessions that hooks of an event hear of.
pub(super) const fn kinds(event: HookEvent) -> &'static [&'static str] {
    match event {
        HookEvent::SessionEnd => &["session_end"],
        HookEvent::Notification => &["permission_asked", "turn_finish", "turn_error"],
        HookEvent::SubagentStop => &["runtime_finished"],
        _ => &[],
    }
}

/// The part of a command's input about an event, and the word that its matcher is compared with.
pub(super) fn told(event: HookEvent, kind: &str, heard: &Value) -> (String, Map<String, Value>) {
    let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    let (word, mut fields) = match (event, kind) {
        (HookEvent::Notification, "permission_asked") => {
            let (tool, reason) = (text(&heard["toolName"]), text(&heard["reason"]));
            notification(
                "permission_prompt",
                &format!("{tool} asks for permission: {reason}"),
            )
        }
        (HookEvent::Notification, "turn_finish") => {
            notification("idle_prompt", "The turn has ended.")
        }
        (HookEvent::Notification, _) => {
            let reason = text(&heard["reason"]);
            let message = match heard["error"]["message"].as_str() {
                Some(error) => format!("The turn has ended: {reason}: {error}"),
                None => format!("The turn has ended: {reason}"),
            };
            notification("idle_prompt", &message)
        }
        (HookEvent::SubagentStop, _) => {
            let agent = text(&heard["agentType"]);
            let fields = json!({
                "agent_id": heard["childSessionId"],
                "agent_type": agent,
                "last_assistant_message": heard["lastMessage"],
            });
            (agent, fields)
        }
        // Their reasons are those of a terminal program.
        _ => (String::new(), json!({ "reason": "other" })),
    };
    fields["scorel"] = json!({ "heard": kind, "data": heard });
    let fields = fields.as_object().cloned().unwrap_or_default();
    (word, fields)
}

fn notification(kind: &str, message: &str) -> (String, Value) {
    let fields = json!({ "message": message, "notification_type": kind });
    (kind.to_owned(), fields)
}
