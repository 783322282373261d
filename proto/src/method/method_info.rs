use schemars::{Schema, SchemaGenerator};

use super::{AccessLevel, MethodGroup};
use crate::ErrorCode;

/// The description of a method, for dispatch and documentation.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// The name on the wire, such as `sendMessage`.
    pub name: &'static str,
    /// The description, in Markdown with line breaks; see [`MethodInfo::summary_line`].
    pub summary: &'static str,
    /// The section of the reference.
    pub group: MethodGroup,
    /// The permission that a method requires. Each level includes the previous ones.
    pub access: AccessLevel,
    /// The error codes specific to this method. JSON-RPC errors, `forbidden`, `shutting_down`,
    /// `overloaded` for want of file descriptors, and `internal_error` can come from any method and
    /// are not listed.
    pub errors: &'static [ErrorCode],
    /// Generates the JSON Schema of the parameters.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// Generates the JSON Schema of the result.
    pub result: fn(&mut SchemaGenerator) -> Schema,
    /// The parameter names in order, for positional parameters.
    pub param_names: fn() -> &'static [&'static str],
}

impl MethodInfo {
    /// The description on one line.
    pub fn summary_line(&self) -> String {
        let words: Vec<&str> = self.summary.split_whitespace().collect();
        words.join(" ")
    }
}
