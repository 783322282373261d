use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{EventId, ProjectId, Role, Seq, SessionId};

/// Parameters of `search`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchParams {
    /// The query, at most 4,096 bytes.
    ///
    /// With `words`: words, `"a phrase"`, `begin*` (at least two letters), and `-` before what must not
    /// be in a record. All of them have to match, in any order. All other characters only separate words.
    pub query: String,
    /// The interpretation of `query`, and the texts to search.
    #[serde(default)]
    pub mode: SearchMode,
    /// Only sessions of this project.
    pub project_id: Option<ProjectId>,
    /// `true`: only archived sessions; `false` or absent: only the others.
    pub archived: Option<bool>,
    /// Only messages of this author, and no titles.
    pub role: Option<Role>,
    /// Only records from this time on, in milliseconds since 1970.
    pub since: Option<u64>,
    /// The maximum number of hits, 1 to 200; absent: 50.
    pub limit: Option<u32>,
    /// `nextCursor` of the previous page, for the same search.
    pub cursor: Option<String>,
}

/// The interpretation of a query, and the texts that are searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// Words, in an index: what users and models wrote, titles, and the first 2 KiB of the input of each
    /// tool call. Case and accents make no difference.
    #[default]
    Words,
    /// A regular expression, in the logs: all of that, whole inputs, and what tools and the daemon
    /// wrote. `^` and `$` match at lines. A call reads at most 64 MiB of the logs.
    Regex,
}

/// Result of `search`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// With `words` the newest first. With `regex` those of the session that was created last, and of a
    /// session the newest first.
    pub hits: Vec<SearchHit>,
    /// The number of bytes of the logs that are not in the index yet, so that hits in them are missing; 0 with
    /// `regex`.
    pub behind_bytes: u64,
    /// Continues the search with the next call; absent if all was searched.
    pub next_cursor: Option<String>,
}

/// A record that matches.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// The session.
    pub session_id: SessionId,
    /// Its title, as in its metadata; absent if it has none.
    pub title: Option<String>,
    /// The project it belongs to.
    pub project_id: ProjectId,
    /// The number of the event in its session. The event may be on another branch than the active one.
    pub seq: Seq,
    /// The event.
    pub event_id: EventId,
    /// The author; absent if it is the title that matches.
    pub role: Option<Role>,
    /// When the event was created, in milliseconds since 1970.
    pub ts: u64,
    /// The text around the first match, on one line: control characters are spaces.
    pub snippet: String,
    /// The matches in `snippet`, in order, each as its start and its end, in bytes of its UTF-8 form.
    pub ranges: Vec<[u32; 2]>,
}
