//! The append-only log of one session, and the files beside it.
//!
//! In: JSON objects with a sequence number. Out: sealed lines with the proof that they are on disk,
//! and records read back. The journal does not know what records mean, so that a newer event never
//! needs a newer journal. Everything is synchronous and may block on the disk; callers bring their own
//! threads.
//!
//! # Format 1
//!
//! A journal is the file `events.jsonl`. Each line is one JSON object in UTF-8 and ends with one
//! `\n`. The first line is the header; it has `"format":1` and whatever its writer added. Each further
//! line is a record with a top-level `"seq"`, its sequence number. Sequence numbers increase from line
//! to line, with gaps. The journal appends the last fields of each line:
//!
//! ```text
//! {"seq":7, … ,"prev":4,"crc":"e3069283"}
//! └───────── covered ──┘
//! ```
//!
//! - `prev` (records only) is the `seq` of the previous record, or 0. Since sequence numbers have gaps,
//!   only `prev` shows that a whole line is missing.
//! - `crc` is the CRC-32C (Castagnoli, as in iSCSI) of all bytes of the line before `,"crc":"`, in
//!   eight lower-case hexadecimal digits. There is no other byte between `,"crc":"` and the end of
//!   the line than these digits and `"}`. To check a line by hand, remove its last 18 bytes and
//!   compute the checksum of the rest.
//!
//! The checksum covers the bytes before it, not a canonical form of the object, so that checking needs no
//! parser. CRC-32C detects accidental changes, not tampering; processors compute it in hardware.
//!
//! The rule for `crc` holds for the header line of every later format too, so that a version that
//! does not know the format can still tell it from damage.
//!
//! A line is at most 4 MiB long ([`MAX_RECORD`]), without its newline. Larger content goes to
//! [`Blobs`].
//!
//! # Guarantees
//!
//! - [`Journal::append`] writes one line with one `write` and calls `fdatasync` before it returns the
//!   proof, [`Appended`]. A partial line is truncated before anything else happens; after a failed
//!   sync nothing more is written to that file.
//! - Opening a healthy journal changes nothing. A torn last line, one without a newline, is moved to
//!   `events.jsonl.torn-<offset>`. All other [`Damage`] is left in place and reported, and everything
//!   around it is served, including intact records on the same line.
//! - [`Opened::repair`], the only function that rewrites a log, keeps the original beside it.
//! - No sequence number is issued twice, whatever crashes and lost lines there are; see [`ContinueAt`]
//!   and [`RESERVE`].
//! - Every file access goes through [`Storage`], so that tests can fail any of them.

mod blobs;
mod checkpoint;
mod damage;
mod error;
mod header;
mod index;
mod journal;
mod line;
mod reader;
mod record;
mod replace;
mod replay;
mod report;
mod resume;
mod salvage;
mod scan;
mod seq_allocator;
mod storage;

pub use blobs::{BlobError, Blobs};
pub use checkpoint::{CheckpointState, check_checkpoint, read_checkpoint, write_checkpoint};
pub use damage::{Damage, DamageReason};
pub use error::{
    AppendError, BoxError, CopyError, CreateError, FailedStep, Failure, ForeignChange,
    InvalidRecord, OpenError, ReadError, RepairError, StepError,
};
pub use header::LogHeader;
pub use index::Index;
pub use journal::{Appended, Durability, Journal, Opened};
pub use line::{check_line, seal_line};
pub use reader::{Reader, Records};
pub use record::{Record, RecordPosition, RecordRef};
pub use replace::{is_temporary, read_bounded, replace_file, replace_file_if, replace_unsynced};
pub use report::{OpenReport, Resumed, TornTail};
pub use resume::ResumePoint;
pub use seq_allocator::{ContinueAt, NeedsRecord, RESERVE};
pub use storage::{
    FileId, FileStatus, FileStorage, LogFile, OpenMode, Storage, if_present, is_no_space,
    is_out_of_descriptors, is_read_only, open_regular,
};

/// The log format that this version writes.
pub const FORMAT: u32 = 1;

/// The longest line in bytes, without its newline. It bounds the memory of a scan: a line is checked as
/// a whole.
pub const MAX_RECORD: usize = 4 * 1024 * 1024;

/// The file name of the log.
pub const EVENTS: &str = "events.jsonl";
