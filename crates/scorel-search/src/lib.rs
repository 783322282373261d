//! Search in the logs of all sessions.
//!
//! In: the logs, as the journal reads them, and the names of sessions whose logs have grown. Out: hits.
//!
//! ```text
//! lane → SessionFeature → IndexFollower (one thread) → search.db
//!                                                         ↓ ids of candidates
//! search → WordQuery ────────────────────────────────→ WordSearch → logs → hits
//!        → regular expression → LogScan ─────────────────────────→ logs → hits
//! ```
//!
//! The index says which records may match and where they are; it holds no text. Each candidate is read
//! from its log and compared before it becomes a hit, so that the index can be behind the logs, and even
//! wrong about them, but no answer can.
//!
//! The module `words` alone defines a word: for the index, for queries and for the comparison.

mod cursor;
mod database;
mod document;
mod error;
mod filter;
mod follower;
mod hit;
mod index_batch;
mod index_thread;
mod index_writer;
mod indexed_log;
mod limits;
mod log_scan;
mod pattern;
mod pending;
mod priority;
mod record_time;
mod search_index;
mod snippet;
mod text_cut;
mod word_matcher;
mod word_query;
mod word_search;
mod words;

pub use database::{check_search_index, search_index_files};
pub use error::SearchError;
pub use filter::SearchFilter;
pub use hit::{SearchPage, SearchedSession};
pub use limits::{MAX_QUERY_BYTES, MAX_QUERY_WORDS, MAX_SCAN_BYTES};
pub use search_index::SearchIndex;
