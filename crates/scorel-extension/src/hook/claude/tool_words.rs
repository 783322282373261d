/// A tool and its arguments in the words of Claude Code, each before ours.
#[derive(Debug)]
pub(super) struct ToolWords {
    ours: &'static str,
    theirs: &'static str,
    pub(super) arguments: &'static [(&'static str, &'static str)],
}

const TOOLS: [ToolWords; 9] = [
    ToolWords {
        ours: "Read",
        theirs: "Read",
        arguments: &[("file_path", "path")],
    },
    ToolWords {
        ours: "Write",
        theirs: "Write",
        arguments: &[("file_path", "path")],
    },
    ToolWords {
        ours: "Edit",
        theirs: "Edit",
        arguments: &[
            ("file_path", "path"),
            ("old_string", "oldString"),
            ("new_string", "newString"),
            ("replace_all", "replaceAll"),
        ],
    },
    ToolWords {
        ours: "Bash",
        theirs: "Bash",
        arguments: &[
            ("timeout", "timeoutMs"),
            ("run_in_background", "background"),
        ],
    },
    ToolWords {
        ours: "Grep",
        theirs: "Grep",
        arguments: &[
            ("output_mode", "mode"),
            ("-B", "before"),
            ("-A", "after"),
            ("-C", "context"),
            ("-i", "ignoreCase"),
            ("head_limit", "limit"),
        ],
    },
    ToolWords {
        ours: "AgentSpawn",
        theirs: "Agent",
        arguments: &[("subagent_type", "agentType"), ("description", "title")],
    },
    ToolWords {
        ours: "Todo",
        theirs: "TodoWrite",
        arguments: &[("todos", "items")],
    },
    ToolWords {
        ours: "BashOutput",
        theirs: "BashOutput",
        arguments: &[("bash_id", "id")],
    },
    ToolWords {
        ours: "BashStop",
        theirs: "KillShell",
        arguments: &[("shell_id", "id")],
    },
];

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
