//! The `[[hooks]]` of a file.

use std::collections::BTreeSet;

use scorel_extension::hook::{HookEntry, HookSection};
use toml::Spanned;

use super::ConfigError;
use super::origin::DocumentOrigin;

/// The most hooks of a file.
const MAX: usize = 256;

/// The hooks that the tables describe, in their order. `is_users`: the file is the user's own, whose hooks may
/// allow calls.
pub(super) fn hooks(
    sections: &[Spanned<HookSection>],
    is_users: bool,
    origin: &DocumentOrigin,
) -> Result<Vec<HookEntry>, ConfigError> {
    let mut names = BTreeSet::new();
    let mut entries = Vec::new();
    for section in sections {
        let error = |key: &str, reason: String, suggestion: Option<String>| {
            let key = format!("hooks.{key}");
            let reason = format!("`{key}`: {reason}");
            origin.error(Some(section.span()), Some(key), reason, suggestion)
        };
        let found = section.get_ref();
        if entries.len() == MAX {
            return Err(error(
                "name",
                format!("a file has at most {MAX} hooks"),
                None,
            ));
        }
        let entry = found.entry().map_err(|problem| {
            let key = problem.key.unwrap_or_default();
            error(&key, problem.reason, problem.suggestion)
        })?;
        if !is_users && entry.may_allow {
            let reason = "only the user's file may set it".to_owned();
            return Err(error("mayAllow", reason, None));
        }
        if !names.insert(entry.name.clone()) {
            let reason = format!("there is another hook `{}` in this file", entry.name);
            return Err(error("name", reason, None));
        }
        entries.push(entry);
    }
    Ok(entries)
}
