//! Edits on a text in memory.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization as _;

use super::line_ends::Unified;
use super::replacement::{Likely, Obstacle, Replacement};
use crate::limits::MAX_FILE_BYTES;
use crate::seen_files::Coverage;

/// The greatest number of occurrences of an ambiguous text that are located; all are counted.
const MAX_PLACES: usize = 16;

/// A text being edited, with the parts that the model has seen or written.
#[derive(Debug)]
pub(super) struct EditDraft {
    pub(super) text: String,
    pub(super) seen: Coverage,
    /// Replaced occurrences of all edits.
    pub(super) replacements: usize,
}

impl EditDraft {
    /// Applies one replacement, or fails and changes nothing.
    pub(super) fn apply(&mut self, edit: &Replacement) -> Result<(), Obstacle> {
        let view = Unified::new(&self.text);
        let old = Unified::new(&edit.old_string);
        if old.text.is_empty() {
            return Err(Obstacle::Empty);
        }
        if edit.old_string == edit.new_string {
            return Err(Obstacle::Same);
        }
        let places = if edit.replace_all == Some(true) {
            every_place(&view.text, &old.text)?
        } else {
            vec![only_place(&view.text, &old.text)?]
        };
        let splices: Vec<Splice<'_>> = places
            .into_iter()
            .map(|start| Splice {
                range: view.original(&(start..start + old.text.len())),
                new: view.adapt(&edit.new_string, start),
            })
            .collect();
        self.check(&splices)?;
        let (text, seen) = self.spliced(&splices);
        self.replacements += splices.len();
        (self.text, self.seen) = (text, seen);
        Ok(())
    }

    fn check(&self, splices: &[Splice<'_>]) -> Result<(), Obstacle> {
        let unseen = |splice: &&Splice<'_>| !self.seen.covers(&splice.bytes());
        if let Some(splice) = splices.iter().find(unseen) {
            return Err(Obstacle::NotRead {
                line: line_of(&self.text, splice.range.start),
            });
        }
        let removed: usize = splices.iter().map(|splice| splice.range.len()).sum();
        let added: usize = splices.iter().map(|splice| splice.new.len()).sum();
        let bytes = self.text.len() - removed + added;
        if bytes as u64 > MAX_FILE_BYTES {
            return Err(Obstacle::TooLarge { bytes });
        }
        Ok(())
    }

    fn spliced(&self, splices: &[Splice<'_>]) -> (String, Coverage) {
        let mut text = String::new();
        let mut copied = 0;
        for splice in splices {
            text.push_str(&self.text[copied..splice.range.start]);
            text.push_str(&splice.new);
            copied = splice.range.end;
        }
        text.push_str(&self.text[copied..]);
        // Last to first, so that earlier ranges stay valid.
        let mut seen = self.seen.clone();
        for splice in splices.iter().rev() {
            seen = seen.splice(&splice.bytes(), splice.new.len() as u64);
        }
        (text, seen)
    }
}

/// A range of the text and its replacement.
#[derive(Debug)]
struct Splice<'a> {
    range: Range<usize>,
    new: Cow<'a, str>,
}

impl Splice<'_> {
    fn bytes(&self) -> Range<u64> {
        self.range.start as u64..self.range.end as u64
    }
}

/// The offsets of all non-overlapping occurrences.
fn every_place(text: &str, old: &str) -> Result<Vec<usize>, Obstacle> {
    let places: Vec<usize> = Finder::new(old).find_iter(text.as_bytes()).collect();
    if places.is_empty() {
        return Err(Obstacle::NotFound(likely(text, old)));
    }
    Ok(places)
}

/// The offset of the only occurrence.
fn only_place(text: &str, old: &str) -> Result<usize, Obstacle> {
    let finder = Finder::new(old);
    let (mut first, mut count, mut from) = (Vec::new(), 0, 0);
    // Overlapping occurrences are ambiguous too.
    while let Some(found) = finder.find(&text.as_bytes()[from..]) {
        let place = from + found;
        if count < MAX_PLACES {
            first.push(place);
        }
        count += 1;
        from = place + 1;
    }
    match *first {
        [] => Err(Obstacle::NotFound(likely(text, old))),
        [place] => Ok(place),
        _ => Err(Obstacle::Ambiguous {
            count,
            lines: first.iter().map(|place| line_of(text, *place)).collect(),
        }),
    }
}

/// The line number of a byte offset.
fn line_of(text: &str, at: usize) -> u64 {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() as u64
}

/// The likely reason why a text was not found.
fn likely(text: &str, old: &str) -> Likely {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    if wanted.is_empty() {
        return Likely::Unknown;
    }
    if wanted.iter().all(|line| has_number(line)) {
        return Likely::LineNumbers;
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    if let Some(place) = lines.windows(wanted.len()).position(|part| part == wanted) {
        let line = place as u64 + 1;
        return Likely::WhiteSpace { line };
    }
    if let Some(at) = text.find(old.trim()) {
        let line = line_of(text, at);
        return Likely::WhiteSpace { line };
    }
    let text: String = text.nfc().collect();
    let found = text.find(&old.trim().nfc().collect::<String>());
    found.map_or(Likely::Unknown, |at| Likely::Composition {
        line: line_of(&text, at),
    })
}

/// Returns whether a line begins with a line number as `Read` shows it.
fn has_number(line: &str) -> bool {
    line.split_once('\t').is_some_and(|(number, _)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
