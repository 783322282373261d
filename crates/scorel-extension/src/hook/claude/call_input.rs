//! Arguments in the words of Claude Code, and back.

use std::path::Path;

use serde_json::{Map, Value};

use super::tool_words::words;

/// The start of paths that are relative to the project.
const PROJECT: &str = "@project/";

/// A call as a command sees it. A call of `Edit` with several replacements has several.
#[derive(Debug, Clone, PartialEq)]
pub struct CallView {
    /// The arguments in their words.
    pub input: Map<String, Value>,
    /// The replacement of an `Edit` that it is about.
    replacement: Option<usize>,
}

/// The views of a call. `input` is as the tool's schema has it; `directory` is that of the session.
pub fn views(tool: &str, input: &Value, directory: &Path) -> Vec<CallView> {
    let Some(fields) = input.as_object() else {
        return vec![view(tool, &Map::new(), directory, None)];
    };
    let edits = fields.get("edits").and_then(Value::as_array);
    let Some(edits) = edits.filter(|edits| tool == "Edit" && !edits.is_empty()) else {
        return vec![view(tool, fields, directory, None)];
    };
    let of_edit = |(index, edit): (usize, &Value)| {
        let mut own = fields.clone();
        own.shift_remove("edits");
        own.extend(edit.as_object().cloned().unwrap_or_default());
        view(tool, &own, directory, Some(index))
    };
    edits.iter().enumerate().map(of_edit).collect()
}

fn view(
    tool: &str,
    fields: &Map<String, Value>,
    directory: &Path,
    replacement: Option<usize>,
) -> CallView {
    let words = words(tool);
    let named = |(name, value): (&String, &Value)| {
        let theirs = words.map_or(name.as_str(), |it| it.their_argument(name));
        let value = match (theirs, value.as_str()) {
            ("file_path", Some(path)) => absolute(path, directory).into(),
            ("path", Some(path)) if words.is_some() || tool == "Glob" => {
                absolute(path, directory).into()
            }
            ("output_mode", Some("files")) => "files_with_matches".into(),
            _ => value.clone(),
        };
        (theirs.to_owned(), value)
    };
    CallView {
        input: fields.iter().map(named).collect(),
        replacement,
    }
}

fn absolute(path: &str, directory: &Path) -> String {
    let path = path.strip_prefix(PROJECT).unwrap_or(path);
    directory.join(path).to_string_lossy().into_owned()
}

/// The input with a hook's changes to a view of it: a field that it leaves out keeps its value, `null` removes
/// one. `None` if nothing has changed.
pub fn changed_input(
    tool: &str,
    input: &Value,
    view: &CallView,
    updated: &Map<String, Value>,
) -> Option<Value> {
    let words = words(tool);
    let mut changed = input.as_object().cloned().unwrap_or_default();
    for (theirs, value) in updated {
        if view.input.get(theirs) == Some(value) {
            continue;
        }
        let ours = words.map_or(theirs.as_str(), |it| it.our_argument(theirs));
        let value = match (theirs.as_str(), value.as_str()) {
            ("output_mode", Some("files_with_matches")) => "files".into(),
            _ => value.clone(),
        };
        let edit = view.replacement.filter(|_| ours != "path");
        let edits = changed.get_mut("edits").and_then(Value::as_array_mut);
        match edit.and_then(|index| edits?.get_mut(index)?.as_object_mut()) {
            Some(edit) => set(edit, ours, value),
            None => set(&mut changed, ours, value),
        }
    }
    let changed = Value::Object(changed);
    (changed != *input).then_some(changed)
}

fn set(fields: &mut Map<String, Value>, name: &str, value: Value) {
    if value.is_null() {
        fields.shift_remove(name);
    } else {
        fields.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn updated(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn an_edit_is_shown_once_for_each_replacement_and_changed_there() {
        let input = json!({"path": "@project/a.rs", "edits": [
            {"oldString": "a", "newString": "b"},
            {"oldString": "c", "newString": "d", "replaceAll": true},
        ]});
        let views = views("Edit", &input, Path::new("/p"));
        let second = json!({
            "file_path": "/p/a.rs", "old_string": "c", "new_string": "d", "replace_all": true,
        });
        assert_eq!(views.len(), 2);
        assert_eq!(Value::Object(views[1].input.clone()), second);
        let change = updated(&json!({
            "file_path": "/p/a.rs", "new_string": "e", "replace_all": null,
        }));
        let changed = changed_input("Edit", &input, &views[1], &change).unwrap();
        let expected = json!({"path": "@project/a.rs", "edits": [
            {"oldString": "a", "newString": "b"},
            {"oldString": "c", "newString": "e"},
        ]});
        assert_eq!(changed, expected);
        let elsewhere = updated(&json!({"file_path": "/p/b.rs"}));
        let changed = changed_input("Edit", &input, &views[0], &elsewhere).unwrap();
        assert_eq!(changed["path"], "/p/b.rs");
        assert_eq!(changed["edits"], input["edits"]);
    }

    #[test]
    fn what_a_hook_leaves_out_or_repeats_is_as_it_was() {
        let input = json!({"command": "ls", "timeoutMs": 5, "description": "lists"});
        let views = views("Bash", &input, Path::new("/p"));
        let same = updated(&json!({"command": "ls", "timeout": 5}));
        assert_eq!(changed_input("Bash", &input, &views[0], &same), None);
        let change =
            updated(&json!({"command": "ls -a", "timeout": null, "run_in_background": true}));
        let changed = changed_input("Bash", &input, &views[0], &change).unwrap();
        let expected = json!({"command": "ls -a", "description": "lists", "background": true});
        assert_eq!(changed, expected);
    }
}
