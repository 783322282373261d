//! The demo in a workflow run: it goes through the graph by the briefs alone, and writes a line into each file that is wanted.

use scorel_engine::ModelRequest;
use scorel_proto::{Block, Message};
use serde_json::json;

use super::script::{DemoCall, DemoReply};

const DOCUMENT: &str = "@state/workflow.md";

/// The tool without which there is no run.
const PATCH: &str = "fs_apply_patch";

/// The node of the last brief, and what was done since.
#[derive(Debug, Default)]
pub(super) struct DemoRun {
    node: String,
    outputs: Vec<String>,
    /// The nodes that may follow, the usual one last.
    next: Vec<String>,
    waits: bool,
    is_answered: bool,
    /// The tools that were called, and the error of the last.
    called: Vec<String>,
    error: Option<String>,
}

impl DemoRun {
    /// The run of a request; `None` if it is not one of a run.
    pub(super) fn of(request: &ModelRequest) -> Option<Self> {
        if !request.tools.iter().any(|tool| tool.name == PATCH) {
            return None;
        }
        let mut run = None;
        for message in &request.messages {
            let blocks = message.content().iter().map(Block::plain_text);
            match (message, &mut run) {
                (Message::User(_), run) => blocks.for_each(|text| Self::hear(run, &text)),
                (Message::ToolResult(result), Some(run)) => {
                    let text = blocks.collect::<String>();
                    run.called.push(result.tool_name.clone());
                    run.error = result.result().is_error.then_some(text);
                }
                _ => {}
            }
        }
        run
    }

    /// Takes what a message says of the run.
    fn hear(run: &mut Option<Self>, text: &str) {
        let mut lines = text.lines().skip_while(|line| !is_head(line));
        match lines.next() {
            Some("NODE_BRIEF") => {
                let brief = Self::briefed(lines);
                // The answer may stand before the brief of the same node.
                let is_same = |was: &Self| was.node == brief.node;
                let is_answered = run
                    .take()
                    .is_some_and(|was| is_same(&was) && was.is_answered);
                *run = Some(Self {
                    is_answered,
                    ..brief
                });
            }
            Some("USER_INPUT") => {
                let node = lines.next().and_then(|it| it.strip_prefix("- forNodeId: "));
                if let Some(run) = run.as_mut().filter(|run| node == Some(run.node.as_str())) {
                    run.is_answered = true;
                }
            }
            _ => {}
        }
    }

    fn briefed<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let (mut run, mut list, mut usual) = (Self::default(), "", None);
        for line in lines.take_while(|line| line.starts_with("- ") || line.starts_with("  ")) {
            if let Some(item) = line.strip_prefix("  - ") {
                match list {
                    "requiredOutputs" => run.outputs.push(item.to_owned()),
                    "allowedNext" => {
                        let (to, rest) = item.split_once(" (").unwrap_or((item, ""));
                        if rest.contains("isDefault=true") {
                            usual = Some(to.to_owned());
                        }
                        run.next.push(to.to_owned());
                    }
                    _ => {}
                }
                continue;
            }
            let (name, value) = line
                .trim_start_matches("- ")
                .split_once(':')
                .unwrap_or((line, ""));
            list = name;
            match (name, value.trim()) {
                ("currentNodeId", id) => id.clone_into(&mut run.node),
                ("input", "user") => run.waits = true,
                _ => {}
            }
        }
        run.next.extend(usual);
        run
    }

    /// The next step at this node: read the document, write the outputs, patch the document.
    pub(super) fn reply(&self) -> DemoReply {
        let node = &self.node;
        let done = |tool: &str| self.called.iter().filter(|it| *it == tool).count();
        if let Some(error) = self.error.as_ref().filter(|_| done(PATCH) > 0) {
            return say(format!("The node {node} was not completed: {error}"));
        }
        if done(PATCH) > 0 {
            return say(format!(
                "The workflow is at its end, {node}. I am Scorel's built-in demo, not a language model."
            ));
        }
        if self.waits && !self.is_answered {
            return say(format!(
                "The node {node} waits for you: any answer will do for this demo."
            ));
        }
        if done("fs_read") == 0 {
            return call(
                format!("At the node {node}.\n"),
                "fs_read",
                json!({ "path": DOCUMENT }),
            );
        }
        if let Some(path) = self.outputs.get(done("fs_write")) {
            let content = "A line of Scorel's built-in demo: a model would have its work here.\n";
            return call(
                format!("Writing {path}.\n"),
                "fs_write",
                json!({ "path": path, "content": content }),
            );
        }
        let mut update = json!({ "stepsCompleted": { "append": [node] } });
        if let Some(next) = self.next.last() {
            update["currentNodeId"] = json!({ "set": next });
        }
        let input = json!({ "path": DOCUMENT, "operation": "updateFrontmatter", "update": update });
        call(format!("Completing {node}.\n"), PATCH, input)
    }
}

fn is_head(line: &str) -> bool {
    ["NODE_BRIEF", "USER_INPUT"].contains(&line)
}

const fn say(text: String) -> DemoReply {
    DemoReply { text, call: None }
}

fn call(text: String, name: &'static str, input: serde_json::Value) -> DemoReply {
    DemoReply {
        text,
        call: Some(DemoCall { name, input }),
    }
}
