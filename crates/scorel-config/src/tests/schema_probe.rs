//! Asks the loader what it takes, by giving it what it does not.

use std::path::Path;

use crate::ConfigError;
use crate::parse::parse;

/// A name and a text that stand nowhere in the schema, nor near anything that does.
const STRANGE: &str = "xyzzy";

/// Sections of which a file may have several.
const LISTS: [&str; 2] = ["mcp.servers", "channels.cron"];

/// What the loader says of the values of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TakenValues {
    Numbers {
        min: u64,
        max: u64,
    },
    Dollars {
        max: u64,
    },
    Choice(Vec<String>),
    ListOfChoices(Vec<String>),
    Boolean,
    /// A text, a list of texts or a table, which the loader does not describe.
    Other,
}

impl TakenValues {
    /// `key` has the names of its sections.
    pub(crate) fn of(key: &str) -> Self {
        let text = |value: &str| match key.rsplit_once('.') {
            Some((section, name)) if LISTS.contains(&section) => {
                format!("[[{section}]]\n{name} = {value}")
            }
            _ => format!("{key} = {value}"),
        };
        if let Some(reason) = refusal(&text("-1")) {
            if let Some((min, max)) = between(&reason, "a whole number from ") {
                return Self::Numbers { min, max };
            }
            if let Some((_, max)) = between(&reason, "an amount is from ") {
                return Self::Dollars { max };
            }
        }
        if let Some(reason) = refusal(&text(&format!("'{STRANGE}'"))) {
            if let Some(names) = known(&reason) {
                return Self::Choice(names);
            }
            if reason.contains("expected a boolean") {
                return Self::Boolean;
            }
        }
        let list = refusal(&text(&format!("['{STRANGE}']")));
        match list.and_then(|reason| known(&reason)) {
            Some(names) => Self::ListOfChoices(names),
            None => Self::Other,
        }
    }
}

/// The names that the schema knows in a section, in its order; `None` if it is none.
pub(crate) fn known_in(section: &str) -> Option<Vec<String>> {
    let text = match section {
        "" => format!("{STRANGE} = 1"),
        _ if LISTS.contains(&section) => format!("[[{section}]]\n{STRANGE} = 1"),
        _ => format!("[{section}]\n{STRANGE} = 1"),
    };
    let reason = refusal(&text)?;
    reason.starts_with("unknown ").then_some(())?;
    known(&reason)
}

fn known(reason: &str) -> Option<Vec<String>> {
    let (_, known) = reason.split_once("; known are ")?;
    Some(known.split(", ").map(str::to_owned).collect())
}

fn between(reason: &str, begin: &str) -> Option<(u64, u64)> {
    let (_, range) = reason.split_once(begin)?;
    let (min, max) = range.split_once(" to ")?;
    let max = max.split(' ').next()?;
    Some((min.parse().ok()?, max.parse().ok()?))
}

fn refusal(text: &str) -> Option<String> {
    match parse(Path::new("f"), text.as_bytes()) {
        Err(ConfigError::Content { reason, .. }) => Some(reason),
        _ => None,
    }
}
