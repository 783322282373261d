//! The arguments of `Grep`.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct GrepArguments {
    /// The regular expression, such as `fn \w+_test` or `TODO|FIXME`.
    pub(super) pattern: String,
    /// The directory or file to search: relative to the project, or absolute. The user may be asked about
    /// one outside the project. Default: the project.
    pub(super) path: Option<String>,
    /// Search only files that match this glob, such as `*.rs`, `src/**/*.{ts,tsx}` or `!*.lock`.
    /// Without a slash it matches file names at any depth.
    pub(super) glob: Option<String>,
    /// Search only files of this type, such as `rust`, `py`, `js`, `ts`, `go`, `md`.
    #[serde(rename = "type")]
    pub(super) file_type: Option<String>,
    /// What to show: matching lines, paths of files with a match, or counts. Default `content`.
    pub(super) mode: Option<Mode>,
    /// The number of lines to show before each match. Default: `context`.
    pub(super) before: Option<u8>,
    /// The number of lines to show after each match. Default: `context`.
    pub(super) after: Option<u8>,
    /// The number of lines to show before and after each match. Default 0.
    pub(super) context: Option<u8>,
    /// Whether to ignore case. Default false.
    pub(super) ignore_case: Option<bool>,
    /// Whether a match may span lines; `.` then matches line ends too. Default false.
    pub(super) multiline: Option<bool>,
    /// The maximum number of matching lines (or files) to show. Default 100.
    pub(super) limit: Option<NonZeroU64>,
    /// The number of matching lines (or files) to skip, for the next page. Default 0.
    pub(super) offset: Option<u64>,
}

// Plain comments: doc comments would turn the schema's `enum` into a list of constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    // Matching lines, with context lines if asked for.
    #[default]
    Content,
    // One path per file with a match.
    Files,
    // One path per file with a match, with the number of matching lines.
    Count,
}
