//! Handlers of the events of runtimes. The model reads none: it gets results as messages.

use super::control::control;
use super::{DisplayPart, DisplayStyle, EventHandler, LlmAction};
use crate::{
    AgentTaskStatus, DeliveredVia, PersistentEvent, RuntimeBoundSessionBody, RuntimeFinishedBody,
    RuntimeQueueChangedBody, RuntimeResultDeliveredBody, RuntimeSpawnedBody,
    RuntimeStatusChangedBody, RuntimeSummaryUpdatedBody,
};

control! {
    RuntimeSpawnedBody => |this| DisplayPart::note(format!(
        "agent {} was given {}: {}", this.agent_type, this.stamp.runtime_id, this.title
    ));
    RuntimeBoundSessionBody => |_this| Vec::new();
    RuntimeStatusChangedBody => |this| status(this);
    RuntimeQueueChangedBody => |this| DisplayPart::note(format!(
        "{} is number {} of {} that wait for agent {}",
        this.stamp.runtime_id, this.queue_position, this.queued_count, this.agent_type
    ));
    RuntimeSummaryUpdatedBody => |this| DisplayPart::note(format!(
        "{}: {}", this.stamp.runtime_id, this.summary
    ));
    RuntimeFinishedBody => |this| finished(this);
    RuntimeResultDeliveredBody => |this| match this.via {
        // The message itself is shown.
        DeliveredVia::Message => Vec::new(),
        DeliveredVia::ToolResult => DisplayPart::note(format!(
            "the result of {} was delivered", this.stamp.runtime_id
        )),
    };
}

fn status(body: &RuntimeStatusChangedBody) -> Vec<DisplayPart> {
    let id = body.stamp.runtime_id;
    let text = match (&body.waiting_for, body.stopping) {
        (_, true) => format!("{id} is being stopped"),
        (Some(question), false) => format!(
            "{id} waits for permission {} ({}) in {}",
            question.request_id, question.tool_name, question.session_id
        ),
        (None, false) => match body.stamp.status {
            AgentTaskStatus::WaitingInput => format!("{id} waits: its queue is paused"),
            status => format!("{id} is {status}"),
        },
    };
    DisplayPart::note(text)
}

fn finished(body: &RuntimeFinishedBody) -> Vec<DisplayPart> {
    let text = format!(
        "{} {}: {}",
        body.stamp.runtime_id, body.final_status, body.reason
    );
    match body.final_status {
        AgentTaskStatus::Failed => vec![DisplayPart::new(DisplayStyle::Error, text)],
        _ => DisplayPart::note(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{EventHandler, RuntimeFinishedBody, RuntimeStatusChangedBody};

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
        let body: RuntimeStatusChangedBody = serde_json::from_value(asks).expect("a body");
        let parts = body.convert_to_display();
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
        let body: RuntimeFinishedBody = serde_json::from_value(failed).expect("a body");
        assert_eq!(
            body.convert_to_display()[0].style,
            crate::DisplayStyle::Error
        );
    }
}
