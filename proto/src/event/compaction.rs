//! Compaction: summaries that take the place of older messages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TurnError;
use crate::tags::reminder;
use crate::{CompactionId, Cost, EventId, Usage};

/// Body of `compact`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactBody {
    /// The summary that replaces the messages.
    pub summary: String,
    /// The last event that the summary replaces.
    pub compacted_through: EventId,
    /// Messages up to that event that stay in the context in full.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<EventId>,
    /// The size of the request before, in tokens.
    pub tokens_before: u64,
    /// The size of the request after, in tokens; estimated.
    pub tokens_after: u64,
    /// The compaction, as its `compaction` event names it.
    pub compaction_id: CompactionId,
    /// Its cause.
    pub trigger: CompactionTrigger,
    /// The model that wrote the summary, as `provider:id`.
    pub model: String,
    /// The tokens used by all model calls of the compaction, also those in vain; absent if none was
    /// reported.
    pub usage: Option<Usage>,
    /// Their cost; absent if that is not known.
    pub cost: Option<Cost>,
    /// The facts that the program adds to the summary.
    #[serde(default, skip_serializing_if = "CompactionFacts::is_empty")]
    pub facts: CompactionFacts,
}

impl CompactBody {
    /// The summary and the facts, as the model reads them.
    pub fn text(&self) -> String {
        let facts = self.facts.text();
        let summary = &self.summary;
        reminder(&format!(
            "The conversation before this point was summarised:\n\n{summary}{facts}"
        ))
    }
}

/// The facts that the program knows about the messages replaced by a summary, so that no model has to remember
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CompactionFacts {
    /// Files that tools changed, the last one last; at most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The task list as it is now, an entry with its status each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<String>,
    /// Background commands that run now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<String>,
    /// Skills that were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
}

impl CompactionFacts {
    /// Returns whether there is nothing to say.
    pub const fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.todos.is_empty()
            && self.processes.is_empty()
            && self.skills.is_empty()
    }

    /// These facts with those of what came after. Of the files the last `max_files` stay.
    #[must_use]
    pub fn followed_by(mut self, newer: Self, max_files: usize) -> Self {
        self.files.retain(|file| !newer.files.contains(file));
        self.files.extend(newer.files);
        let surplus = self.files.len().saturating_sub(max_files);
        self.files.drain(..surplus);
        self.skills.retain(|skill| !newer.skills.contains(skill));
        self.skills.extend(newer.skills);
        Self {
            todos: newer.todos,
            processes: newer.processes,
            ..self
        }
    }

    fn text(&self) -> String {
        let lists = [
            ("Files changed so far", &self.files),
            ("The task list now", &self.todos),
            ("Commands that run in the background now", &self.processes),
            ("Skills used so far", &self.skills),
        ];
        let mut text = String::new();
        for (title, entries) in lists {
            if !entries.is_empty() {
                text.push_str(&format!("\n\n{title}:\n- {}", entries.join("\n- ")));
            }
        }
        text
    }
}

/// Body of `compaction`: a compaction began, or ended without a summary. One that succeeds ends with
/// its `compact` event.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionBody {
    /// The compaction.
    pub compaction_id: CompactionId,
    /// The new state.
    pub state: CompactionState,
    /// Its cause; present for `started`.
    pub trigger: Option<CompactionTrigger>,
    /// The model that is asked first, as `provider:id`; present for `started`.
    pub model: Option<String>,
    /// The instructions that the user adds to the request for a summary.
    pub instructions: Option<String>,
    /// Why there is no summary; present for `failed`.
    pub error: Option<TurnError>,
    /// The tokens used by its model calls, if any were.
    pub usage: Option<Usage>,
    /// Their cost; absent if that is not known.
    pub cost: Option<Cost>,
}

impl CompactionBody {
    /// The body without optional fields.
    pub const fn new(compaction_id: CompactionId, state: CompactionState) -> Self {
        Self {
            compaction_id,
            state,
            trigger: None,
            model: None,
            instructions: None,
            error: None,
            usage: None,
            cost: None,
        }
    }
}

/// The state of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompactionState {
    /// It began.
    Started,
    /// No summary could be made.
    Failed,
    /// A client cancelled it, or its turn.
    Cancelled,
    /// The daemon stopped or crashed.
    Interrupted,
}

/// The cause of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompactionTrigger {
    /// The next request was over the budget.
    Threshold,
    /// The endpoint refused a request as too large.
    Overflow,
    /// A client called `compact`.
    Manual,
    /// A cause that this version does not know.
    #[serde(other)]
    Other,
}
