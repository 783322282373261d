//! All limits of the search.

/// The longest query, in bytes.
pub const MAX_QUERY_BYTES: usize = 4096;

/// The most words in a query. In scripts without spaces each character is one.
pub const MAX_QUERY_WORDS: usize = 256;

/// The bytes of the logs that one call with a regular expression reads.
pub const MAX_SCAN_BYTES: u64 = 64 * 1024 * 1024;

/// The greatest size of a compiled regular expression, in bytes, and as much again for its cache.
pub(crate) const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// The part of the input of one tool call that is indexed, in bytes.
pub(crate) const MAX_INPUT_BYTES: usize = 2 * 1024;

/// The letters of a word that count. Longer ones are not words but data, such as base64.
pub(crate) const MAX_WORD_LETTERS: usize = 64;

/// The number of candidates of the index that one call looks at. Filters that few sessions pass would otherwise
/// let it go through the whole index.
pub(crate) const MAX_CANDIDATES: usize = 20_000;

/// The number of candidates that one call reads from their logs and finds not to match.
pub(crate) const MAX_MISSES: usize = 500;

/// A query with a prefix first tries this many of the newest records, before it looks the prefix up in
/// the index. It stops after `NEWEST_SAMPLE` of them if fewer than one in eight matches. For a frequent
/// prefix the database builds the list of all records with any matching word, which takes longer than
/// finding a page of hits among the newest.
pub(crate) const MAX_NEWEST: usize = 512;
pub(crate) const NEWEST_SAMPLE: usize = 64;

/// The length of a snippet, in bytes, without the ellipses at its cuts.
pub(crate) const SNIPPET_BYTES: usize = 240;

/// The bytes of it that come before the first match.
pub(crate) const SNIPPET_LEAD: usize = 80;

/// The part of the logs that is indexed in one transaction, in bytes.
pub(crate) const BATCH_BYTES: u64 = 4 * 1024 * 1024;

/// The number of sessions that are indexed in one transaction.
pub(crate) const BATCH_SESSIONS: usize = 256;
