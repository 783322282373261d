use serde::Deserialize;

use super::bounded::{Bounded, number, number_or};
use super::dollars::Dollars;

const MIB: u64 = 1024 * 1024;
const MILLION: u64 = 1_000_000;

/// `[workflow]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct WorkflowSection {
    pub(super) allow: Vec<String>,
    pub(super) deny: Vec<String>,
    pub(super) max_read_bytes: Option<Bounded<1, { 64 * MIB }>>,
    pub(super) max_write_bytes: Option<Bounded<1, MIB>>,
    pub(super) mcp: Option<bool>,
    pub(super) max_run_cost: Option<Dollars>,
    pub(super) max_run_tokens: Option<Bounded<1, { 1_000_000 * MILLION }>>,
    pub(super) max_spawns: Option<Bounded<0, 100_000>>,
}

/// `[workflow]`, effective: what runs of workflows may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowConfig {
    /// Names of tools, or beginnings with `*` after them. Empty: all.
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    /// Bytes of a file that a model reads as a whole.
    pub max_read_bytes: u64,
    /// Bytes that a model writes at once.
    pub max_write_bytes: u64,
    /// True if runs may use servers of the Model Context Protocol.
    pub mcp: bool,
    /// Of a run with all that it spawns, in millionths of a US dollar.
    pub max_run_cost: Option<u64>,
    /// Tokens of a run with all that it spawns.
    pub max_run_tokens: Option<u64>,
    /// Tasks that a run gives agents.
    pub max_spawns: Option<u64>,
}

impl WorkflowConfig {
    pub(super) fn of(section: &WorkflowSection) -> Self {
        Self {
            allow: section.allow.clone(),
            deny: section.deny.clone(),
            max_read_bytes: number_or(section.max_read_bytes, MIB),
            max_write_bytes: number_or(section.max_write_bytes, MIB),
            mcp: section.mcp.unwrap_or(true),
            max_run_cost: section.max_run_cost.map(Dollars::get),
            max_run_tokens: number(section.max_run_tokens),
            max_spawns: number(section.max_spawns),
        }
    }
}
