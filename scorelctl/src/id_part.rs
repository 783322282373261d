use std::fmt::Display;

use crate::failure::Failure;

/// The number of characters of the end of an id that are needed. A shorter part is its beginning only.
const MIN_END: usize = 4;

/// The characters of an id that listings show: they differ, while ids of one day begin alike.
const SHOWN_END: usize = 6;

/// A part of an id on the command line: its beginning or its end, with or without its prefix, in any
/// case.
#[derive(Debug)]
pub(crate) struct IdPart {
    digits: String,
    prefix: &'static str,
}

impl IdPart {
    pub(crate) fn new(text: &str, prefix: &'static str) -> Self {
        // A leading `…` stands for an omitted beginning.
        let text = text.trim_start_matches('…');
        let digits = text.strip_prefix(prefix).unwrap_or(text);
        Self {
            digits: digits.to_ascii_uppercase(),
            prefix,
        }
    }

    pub(crate) fn digits(&self) -> &str {
        &self.digits
    }

    /// An empty part is of none.
    pub(crate) fn is_of(&self, id: &impl Display) -> bool {
        let is_end = self.digits.len() >= MIN_END && self.digits_of(id).ends_with(&self.digits);
        is_end || self.begins(id)
    }

    /// Returns whether the id begins with it.
    pub(crate) fn begins(&self, id: &impl Display) -> bool {
        !self.digits.is_empty() && self.digits_of(id).starts_with(&self.digits)
    }

    fn digits_of(&self, id: &impl Display) -> String {
        id.to_string().split_off(self.prefix.len())
    }
}

/// The end of an id, as listings show it and `--session` and others take it.
pub(crate) fn end_of(id: &impl Display) -> String {
    let id = id.to_string();
    id[id.len().saturating_sub(SHOWN_END)..].to_owned()
}

/// The failure for a part that several ids have.
pub(crate) fn ambiguous(part: &str, found: &[impl Display]) -> Failure {
    const NAMED: usize = 8;
    let names: Vec<String> = found.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match found.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let hint = format!("it matches {}{more}", names.join(", "));
    Failure::usage(format!("`{part}` is ambiguous")).hint(hint)
}
