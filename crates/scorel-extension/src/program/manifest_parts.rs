use std::sync::Arc;
use std::time::Duration;

use super::manifest_table::ManifestTable;
use super::tool_schema::ToolSchema;
use crate::hook::{ContextPoint, Matcher, OnFailure};

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

/// A native hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NativeHook {
    BeforeToolCall,
    AfterToolCall,
    TransformContext,
    ConvertToLlm,
}

impl NativeHook {
    /// All of them, by their words.
    pub(super) const WORDS: [(&'static str, Self); 4] = [
        ("beforeToolCall", Self::BeforeToolCall),
        ("afterToolCall", Self::AfterToolCall),
        ("transformContext", Self::TransformContext),
        ("convertToLlm", Self::ConvertToLlm),
    ];

    /// The hook as it is written.
    pub fn word(self) -> &'static str {
        let mut words = Self::WORDS.iter();
        words
            .find(|(_, it)| *it == self)
            .map_or("", |(word, _)| word)
    }
}

/// A hook that an extension's program answers.
#[derive(Debug, Clone)]
pub struct ManifestHook {
    pub hook: NativeHook,
    /// The tools whose calls it sees.
    pub matcher: Matcher,
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
    pub(super) fn read(hook: NativeHook, table: ManifestTable<'_, '_>) -> Self {
        table.only(&["matcher", "points", "timeoutSeconds", "onFailure"]);
        let points = table.texts("points", 4).unwrap_or_default();
        let words = [
            ContextPoint::Start,
            ContextPoint::Call,
            ContextPoint::Trim,
            ContextPoint::End,
        ];
        let point = |written: &String| {
            let found = words.iter().find(|point| point.word() == written);
            if found.is_none() {
                table.refuse("points", "a point is `start`, `call`, `trim` or `end`");
            }
            found.copied()
        };
        let points: Vec<_> = points.iter().filter_map(point).collect();
        if !points.is_empty() && hook != NativeHook::TransformContext {
            table.refuse("points", "only `transformContext` has points");
        }
        let matcher = table.text("matcher", 1024).map(Matcher::try_from);
        let matcher = matcher.and_then(|matcher| {
            matcher
                .map_err(|error| table.refuse("matcher", error.to_string()))
                .ok()
        });
        let usual = match hook {
            NativeHook::AfterToolCall => 120,
            _ => 30,
        };
        let seconds = table.number("timeoutSeconds", 1..=600).unwrap_or(usual);
        let on_failure = table.word(
            "onFailure",
            &[("ignore", OnFailure::Ignore), ("fail", OnFailure::Fail)],
        );
        Self {
            hook,
            matcher: matcher.unwrap_or_else(Matcher::all),
            points,
            timeout: Duration::from_secs(seconds),
            on_failure: on_failure.unwrap_or(match hook {
                NativeHook::BeforeToolCall | NativeHook::ConvertToLlm => OnFailure::Fail,
                NativeHook::AfterToolCall | NativeHook::TransformContext => OnFailure::Ignore,
            }),
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
