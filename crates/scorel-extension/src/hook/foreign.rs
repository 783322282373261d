//! Hooks in the files of Claude Code: settings, and `hooks/hooks.json` of plugins.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{HookCommand, HookEntry, HookEvent, HookName, Matcher};
use crate::Problem;

/// The largest file that is read, in bytes.
pub const MAX_FILE: usize = 1024 * 1024;

/// The most hooks of a file.
const MAX_ENTRIES: usize = 256;

/// The time of an entry without one, as its own program has it.
const USUAL: Duration = Duration::from_secs(600);

/// The same at a prompt.
const AT_PROMPT: Duration = Duration::from_secs(30);

const LONGEST: Duration = Duration::from_secs(3600);

/// Events of Claude Code that do not happen here.
const OTHER_EVENTS: [&str; 19] = [
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "PermissionDenied",
    "PostCompact",
    "PostToolBatch",
    "Setup",
    "StopFailure",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "WorktreeCreate",
    "WorktreeRemove",
];

/// Settings of an entry that change nothing here.
const IGNORED: [&str; 3] = ["once", "shell", "statusMessage"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ForeignFile {
    hooks: Option<Map<String, Value>>,
    #[serde(default)]
    disable_all_hooks: Value,
}

/// Hooks with one matcher.
#[derive(Deserialize)]
struct ForeignGroup {
    matcher: Option<Matcher>,
    hooks: Vec<Value>,
}

/// An entry of type `command`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ForeignCommand {
    command: String,
    args: Option<Vec<String>>,
    #[serde(rename = "if")]
    condition: Option<String>,
    timeout: Option<f64>,
    r#async: Option<bool>,
    async_rewake: Option<bool>,
}

/// The hooks of a foreign file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignHooks {
    pub entries: Vec<HookEntry>,
    /// Settings that are not run, or change nothing: a sentence each.
    pub left_out: Vec<String>,
    /// Entries that cannot be understood. They are not run.
    pub problems: Vec<Problem>,
}

impl ForeignHooks {
    /// Reads the text of a file. Nothing in it is so wrong that the other entries are lost, but that it is no
    /// JSON.
    pub fn read(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        if let Err(problem) = found.read_file(bytes) {
            found.problems.push(problem);
        }
        found
    }

    fn read_file(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if bytes.len() > MAX_FILE {
            let reason = format!("the file has more than {MAX_FILE} bytes");
            return Err(Problem::new(reason));
        }
        let file: ForeignFile = typed(&serde_json::from_slice(bytes)?, "")?;
        let Some(hooks) = file.hooks else {
            return Ok(());
        };
        if file.disable_all_hooks == Value::Bool(true) {
            let sentence = "`disableAllHooks` is set: none is run";
            self.left_out.push(sentence.to_owned());
            return Ok(());
        }
        for (word, groups) in hooks {
            let is_other = OTHER_EVENTS.contains(&word.as_str());
            let read = match word.parse::<HookEvent>() {
                Ok(event) => self.read_event(event, &groups),
                Err(problem) if problem.suggestion.is_some() && !is_other => Err(Problem {
                    key: Some(format!("hooks.{word}")),
                    ..problem
                }),
                Err(_) => {
                    let sentence = format!("`{word}`: not taken over, there is no such event here");
                    self.left_out.push(sentence);
                    Ok(())
                }
            };
            self.problems.extend(read.err());
        }
        Ok(())
    }

    fn read_event(&mut self, event: HookEvent, groups: &Value) -> Result<(), Problem> {
        let path = format!("hooks.{event}");
        let groups: Vec<Value> = typed(groups, &path)?;
        for (index, group) in groups.iter().enumerate() {
            let read = self.read_group(event, group, &format!("{path}[{index}]"));
            self.problems.extend(read.err());
        }
        Ok(())
    }

    fn read_group(&mut self, event: HookEvent, group: &Value, path: &str) -> Result<(), Problem> {
        let group: ForeignGroup = typed(group, path)?;
        let matcher = group.matcher.unwrap_or_else(Matcher::all);
        for (index, entry) in group.hooks.iter().enumerate() {
            let path = format!("{path}.hooks[{index}]");
            let read = self.read_entry(event, &matcher, entry, &path);
            self.problems.extend(read.err());
        }
        Ok(())
    }

    fn read_entry(
        &mut self,
        event: HookEvent,
        matcher: &Matcher,
        entry: &Value,
        path: &str,
    ) -> Result<(), Problem> {
        let fields: Map<String, Value> = typed(entry, path)?;
        match fields
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default()
        {
            "command" => {}
            kind @ ("http" | "mcp_tool" | "prompt" | "agent") => {
                let sentence = format!("`{path}`: hooks of type `{kind}` are not run");
                self.left_out.push(sentence);
                return Ok(());
            }
            other => {
                let problem = Problem::of(format!("{path}.type"), format!("no type `{other}`"));
                return Err(problem.suggest(other, ["command"]));
            }
        }
        for name in IGNORED.iter().filter(|name| fields.contains_key(**name)) {
            self.left_out.push(format!("`{path}.{name}`: ignored"));
        }
        let name = name(event, matcher, &fields)?;
        let command: ForeignCommand = typed(entry, path)?;
        let entry = command.entry(name, event, matcher);
        let entry = entry.map_err(|problem| Problem {
            key: problem.key.map(|key| format!("{path}.{key}")),
            ..problem
        })?;
        if self.entries.contains(&entry) {
            return Ok(());
        }
        if self.entries.len() == MAX_ENTRIES {
            let reason = format!("a file has at most {MAX_ENTRIES} hooks");
            return Err(Problem::of(path, reason));
        }
        if event == HookEvent::PermissionRequest {
            let sentence = format!("`{path}`: its `allow` answers no question without `mayAllow`");
            self.left_out.push(sentence);
        }
        self.entries.push(entry);
        Ok(())
    }
}

/// A value of the file as its type. The problem names the place in the file.
fn typed<T: DeserializeOwned>(value: &Value, path: &str) -> Result<T, Problem> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let key = match error.path().to_string().as_str() {
            "." => path.to_owned(),
            below => format!("{path}.{below}"),
        };
        Problem::of(key.trim_start_matches('.'), error.inner().to_string())
    })
}

impl ForeignCommand {
    fn entry(
        self,
        name: HookName,
        event: HookEvent,
        matcher: &Matcher,
    ) -> Result<HookEntry, Problem> {
        Ok(HookEntry {
            name,
            event,
            matcher: matcher.clone(),
            timeout: self.timeout(event)?,
            command: HookCommand::new(self.command, self.args)?,
            condition: self.condition,
            on_failure: HookEntry::usual_on_failure(event),
            sandbox: None,
            may_allow: false,
            parallel: false,
            is_async: [self.r#async, self.async_rewake].contains(&Some(true)),
            points: HookEntry::usual_points(event),
        })
    }

    fn timeout(&self, event: HookEvent) -> Result<Duration, Problem> {
        match self.timeout {
            None if event == HookEvent::UserPromptSubmit => Ok(AT_PROMPT),
            None => Ok(USUAL),
            Some(seconds) if seconds > 0.0 => {
                let wanted = Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST);
                Ok(wanted.clamp(Duration::from_secs(1), LONGEST))
            }
            Some(_) => Err(Problem::of("timeout", "it is not a number of seconds")),
        }
    }
}

/// The event and six digits of the entry: another entry has another name.
fn name(
    event: HookEvent,
    matcher: &Matcher,
    fields: &Map<String, Value>,
) -> Result<HookName, Problem> {
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort_by_key(|(name, _)| name.as_str());
    let told = json!([event.word(), matcher.as_str(), sorted]).to_string();
    let digest = Sha256::digest(told.as_bytes());
    let mut text = String::new();
    for char in event.word().chars() {
        if char.is_ascii_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.push(char.to_ascii_lowercase());
    }
    HookName::try_from(format!("{text}-{digest:.6x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_names_of_their_own_and_the_rest_is_said() {
        let file = json!({
            "permissions": {"allow": []},
            "hooks": {
                "PreToolUse": [
                    {"matcher": "Bash", "hooks": [
                        {"type": "command", "command": "guard", "timeout": 2.5},
                        {"type": "command", "command": "guard", "timeout": 2.5},
                        {"type": "prompt", "prompt": "is it fine?"},
                        {"type": "comand", "command": "x"},
                    ]},
                    {"matcher": "Edit(?!x)", "hooks": []},
                    {"hooks": [{"type": "command", "command": "node", "args": ["a b.js"], "statusMessage": "…"}]},
                ],
                "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "remind"}]}],
                "Stop": [{"hooks": [{"type": "command", "command": "  "}]}],
                "Setup": [],
                "StopFailure": [],
                "PostToolBatch": [],
                "PreToolUes": [],
            },
        });
        let found = ForeignHooks::read(file.to_string().as_bytes());
        let shown: Vec<_> = found
            .entries
            .iter()
            .map(|it| (it.name.as_str(), it.command.line(), it.timeout.as_millis()))
            .collect();
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert!(
            shown[0].0.starts_with("pre-tool-use-") && shown[0].2 == 2500,
            "{shown:?}"
        );
        assert_eq!((shown[1].1.as_str(), shown[1].2), ("node a b.js", 600_000));
        assert!(shown[2].0.starts_with("user-prompt-submit-") && shown[2].2 == 30_000);
        assert_eq!(
            found.left_out,
            [
                "`hooks.PreToolUse[0].hooks[2]`: hooks of type `prompt` are not run",
                "`hooks.PreToolUse[2].hooks[0].statusMessage`: ignored",
                "`Setup`: not taken over, there is no such event here",
                "`StopFailure`: not taken over, there is no such event here",
                "`PostToolBatch`: not taken over, there is no such event here",
            ]
        );
        let problems: Vec<_> = found.problems.iter().map(ToString::to_string).collect();
        let expected = [
            "`hooks.PreToolUse[0].hooks[3].type`: no type `comand`; did you mean `command`?",
            "`hooks.PreToolUse[1].matcher`: character 5 of the matcher: look-around",
            "`hooks.Stop[0].hooks[0].command`: it is empty",
            "`hooks.PreToolUes`: no event `PreToolUes`; did you mean `PreToolUse`?",
        ];
        assert_eq!(problems.len(), expected.len(), "{problems:#?}");
        for (problem, expected) in problems.iter().zip(expected) {
            assert!(problem.starts_with(expected), "{problem}");
        }
    }

    #[test]
    fn a_file_that_is_no_json_has_its_place() {
        let found = ForeignHooks::read(b"{\n  \"hooks\": {,\n");
        assert_eq!(found.problems[0].place, Some((2, 13)));
        let large = vec![b' '; MAX_FILE + 1];
        assert_eq!(ForeignHooks::read(&large).problems.len(), 1);
        assert_eq!(ForeignHooks::read(b"{}"), ForeignHooks::default());
    }
}
