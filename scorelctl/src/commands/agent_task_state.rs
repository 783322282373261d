use std::fmt;

use scorel_proto::{AgentTaskInfo, AgentTaskStatus};

/// The status of a runtime, for people: with its place in the queue, and whether it is to end.
pub(super) struct AgentTaskState<'a>(pub(super) &'a AgentTaskInfo);

impl fmt::Display for AgentTaskState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runtime = self.0;
        let mut text = runtime.status.name().to_owned();
        if runtime.status == AgentTaskStatus::Queued {
            match (runtime.queue_position, runtime.queued_count) {
                (Some(place), Some(count)) => text.push_str(&format!(" {place} of {count}")),
                (Some(place), None) => text.push_str(&format!(" {place}")),
                (None, _) => {}
            }
        }
        if runtime.stopping && !runtime.status.is_final() {
            text.push_str(", stopping");
        }
        // Through `pad`, a table can align it.
        f.pad(&text)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use scorel_proto::{CostTotal, ResultDelivery, Usage};

    use super::*;

    /// A runtime with fixed values.
    pub(in crate::commands) fn runtime(status: AgentTaskStatus) -> AgentTaskInfo {
        AgentTaskInfo {
            runtime_id: "rti_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().expect("an id"),
            version: 3,
            parent_session_id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAA".parse().expect("an id"),
            project_id: "prj_01ARZ3NDEKTSV4RRFFQ69G5FAA".parse().expect("an id"),
            agent_type: "reviewer".to_owned(),
            session_id: Some("ses_01ARZ3NDEKTSV4RRFFQ69G5FAB".parse().expect("an id")),
            bound: true,
            workflow_id: None,
            title: "Review the parser".to_owned(),
            status,
            stopping: false,
            queue_position: None,
            queued_count: None,
            summary: None,
            waiting_for: None,
            deliver: ResultDelivery::Turn,
            started_at: 1_000_000,
            ended_at: None,
            usage: Usage::default(),
            cost: CostTotal::default(),
        }
    }

    #[test]
    fn a_state_has_the_place_in_the_queue_and_whether_it_ends() {
        let mut info = runtime(AgentTaskStatus::Queued);
        assert_eq!(AgentTaskState(&info).to_string(), "queued");
        info.queue_position = Some(2);
        info.queued_count = Some(3);
        assert_eq!(AgentTaskState(&info).to_string(), "queued 2 of 3");
        info.status = AgentTaskStatus::WaitingInput;
        info.stopping = true;
        assert_eq!(AgentTaskState(&info).to_string(), "waiting_input, stopping");
        info.status = AgentTaskStatus::Interrupted;
        assert_eq!(format!("{:<13}|", AgentTaskState(&info)), "interrupted  |");
    }
}
