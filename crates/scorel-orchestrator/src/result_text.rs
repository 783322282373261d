//! Results as models read them.

use scorel_proto::{RuntimeFinishedBody, RuntimeId};

/// A result: who it is from, how it ended, and what the agent said last.
pub(crate) fn result_text(
    id: RuntimeId,
    (agent_type, title): (&str, &str),
    body: &RuntimeFinishedBody,
) -> String {
    let status = body.final_status;
    let head = format!(
        "<agent-result runtime=\"{id}\" agent=\"{agent_type}\" status=\"{status}\">\n\
         Task: {title}\nEnd: {}\n",
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
