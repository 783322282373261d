/// A tool and its arguments in the words of Claude Code, each before ours.
#[derive(Debug)]
pub(super) struct ToolWords {
    ours: &'static str,
    theirs: &'static str,
    arguments: &'static [(&'static str, &'static str)],
}

const TOOLS: [ToolWords; 9] = [
    tool("Read", "Read", &[("file_path", "path")]),
    tool("Write", "Write", &[("file_path", "path")]),
    tool(
        "Edit",
        "Edit",
        &[
            ("file_path", "path"),
            ("old_string", "oldString"),
            ("new_string", "newString"),
            ("replace_all", "replaceAll"),
        ],
    ),
    tool(
        "Bash",
        "Bash",
        &[
            ("timeout", "timeoutMs"),
            ("run_in_background", "background"),
        ],
    ),
    tool(
        "Grep",
        "Grep",
        &[
            ("output_mode", "mode"),
            ("-B", "before"),
            ("-A", "after"),
            ("-C", "context"),
            ("-i", "ignoreCase"),
            ("head_limit", "limit"),
        ],
    ),
    tool(
        "AgentSpawn",
        "Agent",
        &[("subagent_type", "agentType"), ("description", "title")],
    ),
    tool("Todo", "TodoWrite", &[("todos", "items")]),
    tool("BashOutput", "BashOutput", &[("bash_id", "id")]),
    tool("BashStop", "KillShell", &[("shell_id", "id")]),
];

const fn tool(
    ours: &'static str,
    theirs: &'static str,
    arguments: &'static [(&'static str, &'static str)],
) -> ToolWords {
    ToolWords {
        ours,
        theirs,
        arguments,
    }
}

/// The words of a tool; `None` if it has the same ones everywhere.
pub(super) fn words(tool: &str) -> Option<&'static ToolWords> {
    TOOLS.iter().find(|it| it.ours == tool)
}

/// The name that a tool of ours has there.
pub fn their_tool(tool: &str) -> &str {
    words(tool).map_or(tool, |words| words.theirs)
}

impl ToolWords {
    pub(super) fn their_argument<'a>(&self, ours: &'a str) -> &'a str {
        let mut pairs = self.arguments.iter();
        pairs
            .find(|(_, it)| *it == ours)
            .map_or(ours, |(theirs, _)| theirs)
    }

    pub(super) fn our_argument<'a>(&self, theirs: &'a str) -> &'a str {
        let mut pairs = self.arguments.iter();
        pairs
            .find(|(it, _)| *it == theirs)
            .map_or(theirs, |(_, ours)| ours)
    }
}
