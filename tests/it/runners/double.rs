//! Scripts that stand for agents.

use serde_json::{Value, json};

use super::answer_of;

/// `[runners.NAME]` of a bash script.
pub(super) fn script_runner(name: &str, kind: &str, script: &str, keys: &str) -> String {
    // A JSON string is a TOML string.
    let command = json!(["/bin/bash", "-c", script, "bash"]);
    format!("[runners.{name}]\ntype = \"{kind}\"\ncommand = {command}\n{keys}\n")
}

/// One that speaks ACP.
pub(super) fn acp(name: &str, script: &str, keys: &str) -> String {
    script_runner(name, "acp", script, keys)
}

/// An ACP agent that answers each prompt with its process id.
pub(super) struct AcpDouble<'a> {
    /// Whether it takes its sessions up again.
    pub(super) resumes: bool,
    /// More keys of its section.
    pub(super) keys: &'a str,
}

impl AcpDouble<'_> {
    pub(super) fn config(&self, name: &str) -> String {
        self.config_with(name, "")
    }

    /// Runs commands before each answer. `$line` is the prompt.
    pub(super) fn config_with(&self, name: &str, before: &str) -> String {
        let resume = match self.resumes {
            true => r#"{"sessionCapabilities":{"resume":{}}}"#,
            false => "{}",
        };
        let script = format!(
            r#"
read -r _; echo '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":1,"agentCapabilities":{resume}}}}}'
read -r _; echo '{{"jsonrpc":"2.0","id":2,"result":{{"sessionId":"s"}}}}'
id=3
while read -r line; do
    {before}
    echo "{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"sessionId\":\"s\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"$$\"}}}}}}}}"
    echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"stopReason\":\"end_turn\"}}}}"
    id=$((id + 1))
done"#
        );
        acp(name, &script, self.keys)
    }
}

/// The process that has answered.
pub(super) fn process_of(events: &[Value]) -> i32 {
    let message = &answer_of(events)["message"];
    let text = message["content"][0]["text"].as_str().unwrap();
    text.parse().unwrap()
}
