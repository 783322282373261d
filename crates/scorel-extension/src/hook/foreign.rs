//! Hooks in the files of Claude Code: settings, and `hooks/hooks.json` of plugins.

use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{HookCommand, HookEntry, HookEvent, HookName, Matcher};
use crate::Problem;

/// The largest file that is read, in bytes.
pub const MAX_FILE: usize = 1024 * 1024;

/// The most hooks of a file.
const MAX_ENTRIES: usize = 256;

/// The longest command, in bytes.
const MAX_COMMAND: usize = 32 * 1024;

/// The time of an entry without one, as its own program has it.
const USUAL: Duration = Duration::from_secs(600);

/// The same at a prompt.
const AT_PROMPT: Duration = Duration::from_secs(30);

const LONGEST: u64 = 3600;

/// Settings of an entry that change nothing here.
const IGNORED: [&str; 3] = ["once", "shell", "statusMessage"];

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
        if bytes.len() > MAX_FILE {
            let reason = format!("the file has more than {MAX_FILE} bytes");
            found.problems.push(Problem::new(reason));
            return found;
        }
        match serde_json::from_slice::<Value>(bytes) {
            Ok(file) => found.read_file(&file),
            Err(error) => found.problems.push(Problem {
                place: Some((error.line(), error.column())),
                ..Problem::new(format!("it is not JSON: {error}"))
            }),
        }
        found
    }

    fn read_file(&mut self, file: &Value) {
        let Some(hooks) = file.get("hooks").filter(|it| !it.is_null()) else {
            return;
        };
        let Some(hooks) = hooks.as_object() else {
            self.problem("hooks", "it is not an object");
            return;
        };
        if file.get("disableAllHooks") == Some(&Value::Bool(true)) {
            self.left_out
                .push("`disableAllHooks` is set: none is run".to_owned());
            return;
        }
        for (word, groups) in hooks {
            let Ok(event) = word.parse::<HookEvent>() else {
                self.unknown_event(word);
                continue;
            };
            self.read_event(event, groups);
        }
    }

    fn unknown_event(&mut self, word: &str) {
        let problem = Problem::of(format!("hooks.{word}"), format!("no event `{word}` here"));
        let known = HookEvent::ALL.map(HookEvent::word);
        let problem = problem.suggest(word, known);
        match problem.suggestion {
            Some(_) => self.problems.push(problem),
            None => self
                .left_out
                .push(format!("`{word}`: there is no such event here")),
        }
    }

    fn read_event(&mut self, event: HookEvent, groups: &Value) {
        let path = format!("hooks.{event}");
        let Some(groups) = groups.as_array() else {
            return self.problem(path, "it is not a list");
        };
        for (index, group) in groups.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let matcher = match matcher(group) {
                Ok(matcher) => matcher,
                Err(reason) => {
                    self.problem(format!("{path}.matcher"), reason);
                    continue;
                }
            };
            let Some(entries) = group.get("hooks").and_then(Value::as_array) else {
                self.problem(format!("{path}.hooks"), "it is not a list");
                continue;
            };
            for (index, entry) in entries.iter().enumerate() {
                let path = format!("{path}.hooks[{index}]");
                self.read_entry(event, &matcher, entry, path);
            }
        }
    }

    fn read_entry(&mut self, event: HookEvent, matcher: &Matcher, entry: &Value, path: String) {
        let Some(fields) = entry.as_object() else {
            return self.problem(path, "it is not an object");
        };
        let kind = fields.get("type").and_then(Value::as_str);
        match kind {
            Some("command") => {}
            Some(kind @ ("http" | "mcp_tool" | "prompt" | "agent")) => {
                let sentence = format!("`{path}`: hooks of type `{kind}` are not run");
                self.left_out.push(sentence);
                return;
            }
            other => {
                let reason = format!("no type `{}`", other.unwrap_or_default());
                let problem = Problem::of(format!("{path}.type"), reason);
                self.problems
                    .push(problem.suggest(other.unwrap_or_default(), ["command"]));
                return;
            }
        }
        for name in IGNORED.iter().filter(|name| fields.contains_key(**name)) {
            self.left_out.push(format!("`{path}.{name}`: ignored"));
        }
        match read_command(event, matcher, fields) {
            Ok(entry) if self.entries.contains(&entry) => {}
            Ok(entry) if self.entries.len() < MAX_ENTRIES => self.entries.push(entry),
            Ok(_) => self.problem(path, format!("a file has at most {MAX_ENTRIES} hooks")),
            Err(problem) => {
                let key = problem.key.as_deref().unwrap_or_default();
                self.problem(format!("{path}.{key}"), problem.reason.clone());
            }
        }
    }

    fn problem(&mut self, key: impl Into<String>, reason: impl Into<String>) {
        self.problems.push(Problem::of(key, reason));
    }
}

fn matcher(group: &Value) -> Result<Matcher, String> {
    match group.get("matcher") {
        None | Some(Value::Null) => Ok(Matcher::all()),
        Some(Value::String(text)) => text.parse().map_err(|error| format!("{error}")),
        Some(_) => Err("it is not a string".to_owned()),
    }
}

fn read_command(
    event: HookEvent,
    matcher: &Matcher,
    fields: &Map<String, Value>,
) -> Result<HookEntry, Problem> {
    let points = HookEntry::usual_points(event);
    let flag = |name: &str| fields.get(name) == Some(&Value::Bool(true));
    let condition = match fields.get("if") {
        None | Some(Value::Null) => None,
        Some(Value::String(rule)) => Some(rule.clone()),
        Some(_) => return Err(Problem::of("if", "it is not a string")),
    };
    Ok(HookEntry {
        name: name(event, matcher, fields)?,
        event,
        matcher: matcher.clone(),
        condition,
        command: command(fields)?,
        timeout: timeout(event, fields.get("timeout"))?,
        on_failure: HookEntry::usual_on_failure(event),
        sandbox: None,
        may_allow: false,
        parallel: false,
        is_async: flag("async") || flag("asyncRewake"),
        points,
    })
}

fn command(fields: &Map<String, Value>) -> Result<HookCommand, Problem> {
    let line = fields.get("command").and_then(Value::as_str);
    let line = line.filter(|line| !line.trim().is_empty() && !line.contains('\0'));
    let line = line.ok_or_else(|| Problem::of("command", "it is not a string, or empty"))?;
    let no_list = || Problem::of("args", "it is not a list of strings");
    let args = match fields.get("args") {
        None | Some(Value::Null) => None,
        Some(args) => {
            let args = args.as_array().ok_or_else(no_list)?.iter();
            let args = args.map(|it| it.as_str().map(str::to_owned));
            Some(args.collect::<Option<Vec<_>>>().ok_or_else(no_list)?)
        }
    };
    let rest = args.iter().flatten().map(String::len).sum::<usize>();
    if line.len() + rest > MAX_COMMAND {
        let reason = format!("a command has at most {MAX_COMMAND} bytes");
        return Err(Problem::of("command", reason));
    }
    Ok(match args {
        None => HookCommand::Shell(line.to_owned()),
        Some(args) => HookCommand::Argv([vec![line.to_owned()], args].concat()),
    })
}

fn timeout(event: HookEvent, value: Option<&Value>) -> Result<Duration, Problem> {
    let usual = match event {
        HookEvent::UserPromptSubmit => AT_PROMPT,
        _ => USUAL,
    };
    let Some(value) = value.filter(|it| !it.is_null()) else {
        return Ok(usual);
    };
    let seconds = value.as_f64().filter(|it| *it > 0.0);
    let seconds = seconds.ok_or_else(|| Problem::of("timeout", "it is not a number of seconds"))?;
    let wanted = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Ok(wanted.clamp(Duration::from_secs(1), Duration::from_secs(LONGEST)))
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
    HookName::try_from(format!(
        "{text}-{:02x}{:02x}{:02x}",
        digest[0], digest[1], digest[2]
    ))
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
                "WorktreeCreate": [],
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
                "`WorktreeCreate`: there is no such event here",
            ]
        );
        let problems: Vec<_> = found.problems.iter().map(ToString::to_string).collect();
        let expected = [
            "`hooks.PreToolUse[0].hooks[3].type`: no type `comand`; did you mean `command`?",
            "`hooks.PreToolUse[1].matcher`: character 5 of the matcher: look-around",
            "`hooks.Stop[0].hooks[0].command`: it is not a string, or empty",
            "`hooks.PreToolUes`: no event `PreToolUes` here; did you mean `PreToolUse`?",
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
