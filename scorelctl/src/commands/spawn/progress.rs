use scorel_proto::{AgentTaskInfo, AgentTaskStatus, PermissionRequestId};

use crate::commands::agent_task_state::AgentTaskState;
use crate::question::child_question;
use scorel_screen::escape::one_line;

/// The last reported state of a runtime, so that only news is told.
#[derive(Debug, Default)]
pub(super) struct AgentTaskProgress {
    state: String,
    summary: Option<String>,
    question: Option<PermissionRequestId>,
    /// True if it was told that the queue of the runtime's session is paused.
    paused: bool,
}

impl AgentTaskProgress {
    /// The state and the summary, each only if it has changed.
    pub(super) fn news(&mut self, runtime: &AgentTaskInfo) -> Vec<String> {
        let mut lines = Vec::new();
        let state = AgentTaskState(runtime).to_string();
        if state != self.state {
            lines.push(state.clone());
            self.state = state;
        }
        if runtime.summary != self.summary {
            self.summary.clone_from(&runtime.summary);
            lines.extend(runtime.summary.as_deref().map(one_line));
        }
        lines
    }

    /// The next thing that a person has to do, so that it goes on.
    pub(super) fn demand(&mut self, runtime: &AgentTaskInfo) -> Option<String> {
        let waits = runtime.status == AgentTaskStatus::WaitingInput;
        let question = runtime.waiting_for.as_ref().filter(|_| waits);
        let asked = question.map(|question| question.request_id);
        let paused = waits && question.is_none() && !runtime.stopping;
        let is_new = (asked.is_some() && asked != self.question) || (paused && !self.paused);
        self.question = asked;
        self.paused = paused;
        if !is_new {
            return None;
        }
        if let Some(question) = question {
            return Some(child_question(question));
        }
        let session = runtime.session_id?;
        Some(format!(
            "its queue is paused: `scorelctl queue --session {session} resume` goes on with it"
        ))
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::AgentTaskQuestion;

    use super::*;
    use crate::commands::agent_task_state::tests::runtime;

    #[test]
    fn only_news_is_told() {
        let mut progress = AgentTaskProgress::default();
        let mut info = runtime(AgentTaskStatus::Queued);
        assert_eq!(progress.news(&info), ["queued"]);
        assert!(progress.news(&info).is_empty());
        info.status = AgentTaskStatus::Running;
        info.summary = Some("reads\u{1b}".to_owned());
        assert_eq!(progress.news(&info), ["running", "reads⟨1b⟩"]);
        assert!(progress.news(&info).is_empty());
    }

    #[test]
    fn a_question_and_a_paused_queue_are_told_once_with_what_to_do() {
        let mut progress = AgentTaskProgress::default();
        let mut info = runtime(AgentTaskStatus::WaitingInput);
        let text = progress.demand(&info).expect("a paused queue");
        assert!(
            text.contains("queue --session ses_01ARZ3NDEKTSV4RRFFQ69G5FAB resume"),
            "{text}"
        );
        assert_eq!(progress.demand(&info), None);
        info.waiting_for = Some(AgentTaskQuestion {
            session_id: "ses_01ARZ3NDEKTSV4RRFFQ69G5FAB".parse().unwrap(),
            request_id: "prm_01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap(),
            tool_name: "Bash".to_owned(),
        });
        let text = progress.demand(&info).expect("a question");
        assert!(text.contains("scorelctl approve"), "{text}");
        assert_eq!(progress.demand(&info), None);
        info.status = AgentTaskStatus::Running;
        assert_eq!(progress.demand(&info), None);
    }
}
