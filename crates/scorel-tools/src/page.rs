//! One page of a long list.

/// The most text of entries that one page holds, in bytes.
pub(crate) const MAX_PAGE_BYTES: usize = 60 * 1024;

/// A window on a list of which every entry is offered in order. Counts all, keeps some.
#[derive(Debug)]
pub(crate) struct Page {
    offset: u64,
    limit: u64,
    text: String,
    seen: u64,
    shown: u64,
    /// No room in bytes was left for an entry of the window.
    overflowed: bool,
}

impl Page {
    /// A page that leaves out `offset` entries and then holds at most `limit`.
    pub(crate) fn new(offset: u64, limit: u64) -> Self {
        Self {
            offset,
            limit,
            text: String::new(),
            seen: 0,
            shown: 0,
            overflowed: false,
        }
    }

    /// Whether the next entry may have a place on the page.
    pub(crate) fn wants_next(&self) -> bool {
        self.seen >= self.offset && !self.is_over()
    }

    /// Whether no later entry has a place on the page.
    pub(crate) fn is_over(&self) -> bool {
        self.overflowed || self.shown >= self.limit
    }

    /// Counts an entry that is not wanted.
    pub(crate) fn skip(&mut self) {
        self.seen += 1;
    }

    /// Counts entries after all that may be wanted.
    pub(crate) fn skip_many(&mut self, count: u64) {
        self.seen += count;
    }

    /// How many entries from the first one on can matter for the page.
    pub(crate) fn reach(&self) -> u64 {
        // An entry takes two bytes at least.
        let most = self.limit.min(MAX_PAGE_BYTES as u64 / 2);
        self.offset.saturating_add(most)
    }

    /// Counts an entry and keeps it where it is wanted and fits, with the text before it.
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
        // The first entry is kept whatever its size, or the next page would begin with it again.
        self.text.push_str(entry);
        self.shown += 1;
    }

    /// Adds text that belongs to the entry kept last.
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

    /// The text of the kept entries.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How many entries were offered.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// How many entries were kept.
    pub(crate) fn shown(&self) -> u64 {
        self.shown
    }

    /// How many entries come before the kept ones.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The offset of the next page, if entries are known to follow.
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

    fn page(offset: u64, limit: u64, entries: &[&str]) -> Page {
        let mut page = Page::new(offset, limit);
        for entry in entries {
            page.offer("", entry);
        }
        page
    }

    #[test]
    fn pages_cover_a_list_without_gaps() {
        let first = page(0, 2, &["a", "b", "c"]);
        assert_eq!((first.text(), first.next_offset()), ("ab", Some(2)));
        let second = page(2, 2, &["a", "b", "c"]);
        assert_eq!((second.text(), second.next_offset()), ("c", None));
        let beyond = page(9, 2, &["a", "b", "c"]);
        assert_eq!((beyond.text(), beyond.next_offset()), ("", None));
    }

    #[test]
    fn a_page_is_bounded_in_bytes_and_never_stalls() {
        let large = "x".repeat(MAX_PAGE_BYTES);
        let page = page(0, 10, &[&large, "b", "c"]);
        assert_eq!((page.shown(), page.next_offset()), (1, Some(1)));
        let mut page = Page::new(0, 10);
        page.offer(&large, "entry");
        assert_eq!(page.text(), "entry");
    }
}
