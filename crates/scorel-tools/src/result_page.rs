//! Pages of long results.

use std::num::NonZeroU64;

/// The entries of a page for which no limit is asked.
const DEFAULT_LIMIT: u64 = 100;

/// The size limit of a page's text, in bytes.
pub(crate) const MAX_PAGE_BYTES: usize = 60 * 1024;

/// A window on a list. All entries are offered in order: it counts all and keeps those in the window.
#[derive(Debug, Default)]
pub(crate) struct ResultPage {
    offset: u64,
    limit: u64,
    pub(crate) text: String,
    /// The number of entries that were offered.
    pub(crate) seen: u64,
    /// The number of entries that were kept.
    pub(crate) shown: u64,
    /// An entry of the window exceeded the size limit.
    overflowed: bool,
}

impl ResultPage {
    /// The page that a call asks for.
    pub(crate) fn asked(offset: Option<u64>, limit: Option<NonZeroU64>) -> Self {
        let limit = limit.map_or(DEFAULT_LIMIT, NonZeroU64::get);
        Self::new(offset.unwrap_or(0), limit)
    }

    /// A page of at most `limit` entries after the first `offset`.
    fn new(offset: u64, limit: u64) -> Self {
        Self {
            offset,
            limit,
            ..Self::default()
        }
    }

    /// Returns whether the next entry may be in the window.
    pub(crate) fn wants_next(&self) -> bool {
        self.seen >= self.offset && !self.is_over()
    }

    /// Returns whether no later entry can be in the window.
    pub(crate) fn is_over(&self) -> bool {
        self.overflowed || self.shown >= self.limit
    }

    /// Counts an entry outside the window.
    pub(crate) fn skip(&mut self) {
        self.seen += 1;
    }

    /// Counts entries after the window.
    pub(crate) fn skip_many(&mut self, count: u64) {
        self.seen += count;
    }

    /// The number of entries, from the first, that can affect the page.
    pub(crate) fn reach(&self) -> u64 {
        // An entry is at least two bytes long.
        let most = self.limit.min(MAX_PAGE_BYTES as u64 / 2);
        self.offset.saturating_add(most)
    }

    /// Counts an entry, and keeps it with the text before it if it is in the window and fits.
    pub(crate) fn offer(&mut self, before: &str, entry: &str) {
        let wanted = self.wants_next();
        self.seen += 1;
        if !wanted {
            return;
        }
        if self.fits(before.len() + entry.len()) {
            self.text.push_str(before);
        } else if self.shown > 0 {
            self.overflowed = true;
            return;
        }
        // The first entry is kept whatever its size, or no page could get past it.
        self.text.push_str(entry);
        self.shown += 1;
    }

    /// Appends to the entry that was kept last.
    pub(crate) fn append(&mut self, after: &str) {
        if self.overflowed {
            return;
        }
        if self.fits(after.len()) {
            self.text.push_str(after);
        } else {
            self.overflowed = true;
        }
    }

    /// The sentence that names the part of `total` which is shown, unless that is all.
    pub(crate) fn shown_part(&self, entries: &str, total: &str) -> Option<String> {
        let (from, to) = (self.offset + 1, self.offset + self.shown);
        let part = format!("{entries} {from} to {to} of {total}.");
        match self.next_offset() {
            Some(next) => Some(format!("{part} Continue with offset {next}.")),
            None => (self.shown < self.seen).then_some(part),
        }
    }

    /// The offset of the next page, if there is one.
    pub(crate) fn next_offset(&self) -> Option<u64> {
        let next = self.offset.saturating_add(self.shown);
        (next < self.seen).then_some(next)
    }

    fn fits(&self, bytes: usize) -> bool {
        self.text.len() + bytes <= MAX_PAGE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(offset: u64, limit: u64, entries: &[&str]) -> ResultPage {
        let mut page = ResultPage::new(offset, limit);
        for entry in entries {
            page.offer("", entry);
        }
        page
    }

    #[test]
    fn pages_cover_a_list_without_gaps() {
        let first = page(0, 2, &["a", "b", "c"]);
        assert_eq!((&*first.text, first.next_offset()), ("ab", Some(2)));
        let second = page(2, 2, &["a", "b", "c"]);
        assert_eq!((&*second.text, second.next_offset()), ("c", None));
        let beyond = page(9, 2, &["a", "b", "c"]);
        assert_eq!((&*beyond.text, beyond.next_offset()), ("", None));
    }

    #[test]
    fn a_page_is_bounded_in_bytes_and_never_stalls() {
        let large = "x".repeat(MAX_PAGE_BYTES);
        let page = page(0, 10, &[&large, "b", "c"]);
        assert_eq!((page.shown, page.next_offset()), (1, Some(1)));
        let mut page = ResultPage::new(0, 10);
        page.offer(&large, "entry");
        assert_eq!(page.text, "entry");
    }
}
