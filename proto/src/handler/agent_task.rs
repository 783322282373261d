//! Notes of the events of runtimes. The model reads none: it gets results as messages.

use super::{DisplayPart, DisplayStyle};
use crate::{
    AgentTaskStatus, DeliveredVia, RuntimeFinishedBody, RuntimeQueueChangedBody,
    RuntimeResultDeliveredBody, RuntimeSpawnedBody, RuntimeStatusChangedBody,
};

pub(super) fn spawned(body: &RuntimeSpawnedBody) -> String {
    let id = body.stamp.runtime_id;
    format!("agent {} was given {id}: {}", body.agent_type, body.title)
}

pub(super) fn queue(body: &RuntimeQueueChangedBody) -> String {
    format!(
        "{} is number {} of {} that wait for agent {}",
        body.stamp.runtime_id, body.queue_position, body.queued_count, body.agent_type
    )
}

pub(super) fn delivered(body: &RuntimeResultDeliveredBody) -> Vec<DisplayPart> {
    match body.via {
        // The message itself is shown.
        DeliveredVia::Message => Vec::new(),
        DeliveredVia::ToolResult => DisplayPart::note(format!(
            "the result of {} was delivered",
            body.stamp.runtime_id
        )),
    }
}

pub(super) fn status(body: &RuntimeStatusChangedBody) -> String {
    let id = body.stamp.runtime_id;
    match (&body.waiting_for, body.stopping) {
        (_, true) => format!("{id} is being stopped"),
        (Some(question), false) => format!(
            "{id} waits for permission {} ({}) in {}",
            question.request_id, question.tool_name, question.session_id
        ),
        (None, false) => match body.stamp.status {
            AgentTaskStatus::WaitingInput => format!("{id} waits: its queue is paused"),
            status => format!("{id} is {status}"),
        },
    }
}

pub(super) fn finished(body: &RuntimeFinishedBody) -> Vec<DisplayPart> {
    let text = format!(
        "{} {}: {}",
        body.stamp.runtime_id, body.final_status, body.reason
    );
    match body.final_status {
        AgentTaskStatus::Failed => DisplayPart::only(DisplayStyle::Error, text),
        _ => DisplayPart::note(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::PersistentBody;

    #[test]
    fn a_question_names_where_it_is_answered_and_a_failure_is_shown_as_one() {
        let stamp = json!({
            "runtimeId": "rti_01K1H9Q8000000000000000001", "version": 3,
            "status": "waiting_input", "timestamp": 1,
        });
        let mut asks = stamp.clone();
        asks["waitingFor"] = json!({
            "sessionId": "ses_01K1H9Q8000000000000000001",
            "requestId": "prm_01K1H9Q8000000000000000001", "toolName": "Bash",
        });
        let body = serde_json::from_value(asks).expect("a body");
        let parts = PersistentBody::RuntimeStatusChanged(body).convert_to_display();
        assert_eq!(
            parts[0].text,
            "rti_01K1H9Q8000000000000000001 waits for permission prm_01K1H9Q8000000000000000001 \
             (Bash) in ses_01K1H9Q8000000000000000001"
        );
        let mut failed = stamp;
        failed["status"] = json!("failed");
        failed["finalStatus"] = json!("failed");
        failed["endedAt"] = json!(2);
        failed["reason"] = json!("no key");
        failed["lastMessage"] = json!("");
        failed["metadata"] = json!({
            "usage": {"inputTokens": 0, "outputTokens": 0}, "cost": {"microUsd": 0}, "steps": 0, "durationMs": 1,
        });
        let body = serde_json::from_value(failed).expect("a body");
        let parts = PersistentBody::RuntimeFinished(body).convert_to_display();
        assert_eq!(parts[0].style, crate::DisplayStyle::Error);
    }
}
