//! A tool call as an editor shows it.

use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{ToolCallLocation, ToolKind};
use serde_json::Value;

use crate::visible::one_line;

/// One line: the tool, and what it is about.
pub(crate) fn title(name: &str, input: &Value) -> String {
    let about = [
        "command",
        "path",
        "file_path",
        "pattern",
        "url",
        "query",
        "name",
    ];
    let about = about.iter().find_map(|key| input[*key].as_str());
    let text = match about {
        Some(about) => format!("{name} {about}"),
        None => name.to_owned(),
    };
    one_line(&text)
}

pub(crate) fn kind(name: &str) -> ToolKind {
    match name {
        "Bash" => ToolKind::Execute,
        "Read" | "Skill" => ToolKind::Read,
        "Edit" | "Write" | "MultiEdit" => ToolKind::Edit,
        "Grep" | "Glob" => ToolKind::Search,
        "WebFetch" => ToolKind::Fetch,
        "Todo" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

pub(crate) fn path(input: &Value, work_dir: &Path) -> Option<PathBuf> {
    let path = input["path"].as_str().or(input["file_path"].as_str())?;
    Some(work_dir.join(path.strip_prefix("@project/").unwrap_or(path)))
}

pub(crate) fn locations(input: &Value, work_dir: &Path) -> Vec<ToolCallLocation> {
    let line = input["offset"]
        .as_u64()
        .and_then(|it| u32::try_from(it).ok());
    let location = |path| ToolCallLocation::new(path).line(line);
    path(input, work_dir).map(location).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_has_a_title_of_one_line() {
        assert_eq!(title("Bash", &json!({"command": "ls\nrm"})), "Bash ls…");
        assert_eq!(title("Spawn", &json!({})), "Spawn");
    }
}
