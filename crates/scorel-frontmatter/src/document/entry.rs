use std::ops::Range;

/// A field of the head, in bytes of the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: String,
    /// The key as it is written.
    pub(super) written: Range<usize>,
    pub(super) value: EntryValue,
}

/// The value of a field, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryValue {
    Absent,
    /// A scalar, or a list or mapping within brackets.
    Inline(Range<usize>),
    /// A text after `|` or `>`, which goes on in the lines below.
    BlockText,
    /// A list or mapping in lines of its own.
    Block,
}
