//! Results as models read them.

use scorel_proto::{AgentTaskId, RuntimeFinishedBody, SessionWorktree};

/// A result: who it is from, how it ended, where its files are if they are not the project's, and what the
/// agent said last.
pub(crate) fn result_text(
    id: AgentTaskId,
    (agent_type, title): (&str, &str),
    body: &RuntimeFinishedBody,
    worktree: Option<&SessionWorktree>,
) -> String {
    let status = body.final_status;
    let files = worktree.map_or_else(String::new, |worktree| {
        format!("Branch: {}, in {}\n", worktree.branch, worktree.path)
    });
    let head = format!(
        "<agent-result runtime=\"{id}\" agent=\"{agent_type}\" status=\"{status}\">\n\
         Task: {title}\nEnd: {}\n{files}",
        body.reason
    );
    let message = body.last_message.as_str();
    let rest = match &body.last_message_blob {
        Some(blob) => format!("\n[cut; the whole result is blob {blob}]"),
        None => String::new(),
    };
    let said = match message {
        "" => "It said nothing.".to_owned(),
        message => format!("\n{message}{rest}"),
    };
    format!("{head}{said}\n</agent-result>")
}
