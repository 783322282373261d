//! What Claude Code's tools do.

use std::path::{Path, PathBuf};

use scorel_engine::RunnerAction;
use serde_json::Value;

/// What a call would do, by the tool's name.
pub(super) fn action(tool: &str, input: &Value, directory: &Path) -> RunnerAction {
    let field = |name: &str| input[name].as_str();
    let path = |name: &str| field(name).map(|path| vec![PathBuf::from(path)]);
    let known = match tool {
        "Bash" => field("command").map(|command| RunnerAction::Command {
            command: command.to_owned(),
            directory: directory.to_owned(),
        }),
        "Edit" | "MultiEdit" | "Write" => {
            path("file_path").map(|paths| RunnerAction::Write { paths })
        }
        "NotebookEdit" => path("notebook_path").map(|paths| RunnerAction::Write { paths }),
        "Read" => path("file_path").map(|paths| RunnerAction::Read { paths }),
        "Glob" | "Grep" | "LS" => {
            let paths = path("path").unwrap_or_else(|| vec![directory.to_owned()]);
            Some(RunnerAction::Read { paths })
        }
        "WebFetch" => field("url").map(|url| RunnerAction::Fetch {
            url: url.to_owned(),
        }),
        _ => Some(RunnerAction::Other {
            tool: tool.to_owned(),
        }),
    };
    known.unwrap_or_else(|| RunnerAction::Untold {
        tool: tool.to_owned(),
    })
}
