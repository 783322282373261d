//! All limits of the search.

/// The longest query, in bytes.
pub const MAX_QUERY_BYTES: usize = 4096;

/// The most words in a query. In scripts without spaces each character is one.
pub const MAX_QUERY_WORDS: usize = 256;

/// How much of the logs one call with a regular expression reads, in bytes.
pub const MAX_SCAN_BYTES: u64 = 64 * 1024 * 1024;

/// How large a compiled regular expression may be, in bytes, and as much again for its cache.
pub(crate) const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// How much of the input of one tool call is indexed, in bytes.
pub(crate) const MAX_INPUT_BYTES: usize = 2 * 1024;

/// How many letters of a word count. Longer ones are no words but data, such as base64.
pub(crate) const MAX_WORD_LETTERS: usize = 64;

/// How many candidates of the index one call looks at. Filters that few sessions pass would otherwise
/// let it go through the whole index.
pub(crate) const MAX_CANDIDATES: usize = 20_000;

/// How many candidates one call reads from their logs and finds not to match.
pub(crate) const MAX_MISSES: usize = 500;

/// A query with a prefix first tries this many of the newest records, before it looks the prefix up in
/// the index. It stops after `NEWEST_SAMPLE` of them if fewer than one in eight matches. For a frequent
/// prefix the database builds the list of all records with any matching word, which takes longer than
/// finding a page of hits among the newest.
pub(crate) const MAX_NEWEST: usize = 512;
pub(crate) const NEWEST_SAMPLE: usize = 64;

/// The length of a snippet, in bytes, without the ellipses at its cuts.
pub(crate) const SNIPPET_BYTES: usize = 240;

/// How much of it comes before the first match, in bytes.
pub(crate) const SNIPPET_LEAD: usize = 80;

/// How much of the logs is indexed in one transaction, in bytes.
pub(crate) const BATCH_BYTES: u64 = 4 * 1024 * 1024;

/// How many sessions are indexed in one transaction.
pub(crate) const BATCH_SESSIONS: usize = 256;
