//! A tool call as an editor shows it.

use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{Diff, ToolCallContent, ToolCallLocation, ToolKind};
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

fn path(input: &Value, work_dir: &Path) -> Option<PathBuf> {
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

/// The change that `Edit` or `Write` would make: its parts, as the model gave them.
pub(crate) fn diffs(name: &str, input: &Value, work_dir: &Path) -> Vec<ToolCallContent> {
    let Some(path) = path(input, work_dir) else {
        return Vec::new();
    };
    let diff = |old: Option<&str>, new: &str| {
        let diff = Diff::new(path.clone(), new).old_text(old.map(str::to_owned));
        ToolCallContent::Diff(diff)
    };
    let text = |value: &Value, keys: [&str; 2]| {
        let text = keys.iter().find_map(|key| value[*key].as_str());
        text.map(str::to_owned)
    };
    let edit = |edit: &Value| {
        let old = text(edit, ["oldString", "old_string"])?;
        let new = text(edit, ["newString", "new_string"])?;
        Some(diff(Some(&old), &new))
    };
    match name {
        "Write" => input["content"]
            .as_str()
            .map(|new| diff(None, new))
            .into_iter()
            .collect(),
        "Edit" | "MultiEdit" => match input["edits"].as_array() {
            Some(edits) => edits.iter().filter_map(edit).collect(),
            None => edit(input).into_iter().collect(),
        },
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_has_a_title_of_one_line_and_its_changes() {
        assert_eq!(title("Bash", &json!({"command": "ls\nrm"})), "Bash ls…");
        assert_eq!(title("Spawn", &json!({})), "Spawn");
        let input = json!({"path": "a/b", "edits": [{"oldString": "1", "newString": "2"}]});
        let Some(ToolCallContent::Diff(diff)) = diffs("Edit", &input, Path::new("/p")).pop() else {
            panic!("no diff");
        };
        assert_eq!(
            (diff.path, diff.old_text, diff.new_text),
            ("/p/a/b".into(), Some("1".into()), "2".into())
        );
    }
}
