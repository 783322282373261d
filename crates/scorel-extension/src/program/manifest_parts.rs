use std::sync::Arc;
use std::time::Duration;

use scorel_outside_tool::ToolSchema;

use super::manifest_table::ManifestTable;
use crate::expand_arguments;
use crate::hook::{ContextPoint, HookEntry, HookEvent, HookStage, Matcher, OnFailure};

/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 4096;

/// The longest name of a tool or command.
const MAX_NAME: usize = 64;

/// A tool that an extension offers.
#[derive(Debug, Clone)]
pub struct ManifestTool {
    pub name: String,
    pub description: String,
    /// The schema of its arguments.
    pub schema: Arc<ToolSchema>,
    /// It changes nothing.
    pub read_only: bool,
    /// The time that a call may take without a sign of progress.
    pub timeout: Duration,
}

/// A command of an extension, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestCommand {
    pub name: String,
    pub description: String,
    pub argument_hint: Option<String>,
    /// The message that it stands for; without it the program is asked.
    pub prompt: Option<String>,
}

/// A hook that an extension's program answers.
#[derive(Debug, Clone)]
pub struct ManifestHook {
    /// One of [`HookEvent::NATIVE`].
    pub event: HookEvent,
    /// The tools whose calls it sees.
    pub matcher: Matcher,
    /// The points at which it is asked, if it changes the context.
    pub points: Vec<ContextPoint>,
    pub timeout: Duration,
    /// The consequence of its failure.
    pub on_failure: OnFailure,
}

impl ManifestTool {
    pub(super) fn read(table: ManifestTable<'_, '_>) -> Option<Self> {
        table.only(&[
            "name",
            "description",
            "parameters",
            "readOnly",
            "timeoutSeconds",
        ]);
        let name = name(&table);
        let description = table.needed_text("description", MAX_DESCRIPTION);
        let parameters = table
            .json("parameters")
            .unwrap_or_else(|| serde_json::json!({"type": "object", "properties": {}}));
        let schema = ToolSchema::new(parameters)
            .map_err(|reason| table.refuse("parameters", reason))
            .ok();
        let seconds = table.number("timeoutSeconds", 1..=600).unwrap_or(60);
        Some(Self {
            name: name?,
            description: description?,
            schema: Arc::new(schema?),
            read_only: table.flag("readOnly"),
            timeout: Duration::from_secs(seconds),
        })
    }
}

impl ManifestCommand {
    /// The message that the command stands for; `None` if the program is asked.
    pub fn message(&self, arguments: &str) -> Option<String> {
        let prompt = self.prompt.as_deref()?;
        Some(expand_arguments(prompt, arguments))
    }

    pub(super) fn read(table: ManifestTable<'_, '_>) -> Option<Self> {
        table.only(&["name", "description", "argumentHint", "prompt"]);
        let argument_hint = table.text("argumentHint", MAX_NAME);
        let prompt = table.text("prompt", 64 * 1024);
        let (name, description) = (
            name(&table),
            table.needed_text("description", MAX_DESCRIPTION),
        );
        Some(Self {
            name: name?,
            description: description?,
            argument_hint,
            prompt,
        })
    }
}

impl ManifestHook {
    pub(super) fn read(event: HookEvent, table: ManifestTable<'_, '_>) -> Self {
        table.only(match event.stage() {
            HookStage::Before | HookStage::After => &["matcher", "timeoutSeconds", "onFailure"],
            HookStage::Context => &["points", "timeoutSeconds", "onFailure"],
            _ => &["timeoutSeconds", "onFailure"],
        });
        let point = |written: String| {
            let found = ContextPoint::ALL.iter().find(|it| it.word() == written);
            if found.is_none() {
                table.refuse("points", "a point is `start`, `call`, `trim` or `end`");
            }
            found.copied()
        };
        let points = table.texts("points", ContextPoint::ALL.len());
        let points = match points {
            Some(points) => points.into_iter().filter_map(point).collect(),
            None => HookEntry::usual_points(event),
        };
        let matcher = table.text("matcher", 1024).map(Matcher::try_from);
        let matcher = matcher.and_then(|matcher| {
            matcher
                .map_err(|error| table.refuse("matcher", error.to_string()))
                .ok()
        });
        let seconds = table.number("timeoutSeconds", 1..=600);
        let on_failure = table.word(
            "onFailure",
            &[("ignore", OnFailure::Ignore), ("fail", OnFailure::Fail)],
        );
        let usual_timeout = HookEntry::usual_timeout(event, &points);
        Self {
            event,
            matcher: matcher.unwrap_or_else(Matcher::all),
            points,
            timeout: seconds.map_or(usual_timeout, Duration::from_secs),
            on_failure: on_failure.unwrap_or_else(|| HookEntry::usual_on_failure(event)),
        }
    }
}

fn name(table: &ManifestTable<'_, '_>) -> Option<String> {
    let name = table.needed_text("name", MAX_NAME)?;
    let usual = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    if name.chars().all(usual) {
        return Some(name);
    }
    table.refuse("name", "it has letters, digits, `_` and `-` only");
    None
}
