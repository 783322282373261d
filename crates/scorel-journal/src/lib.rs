//! The append-only log of one session, and the files beside it.
//!
//! A journal appends records, numbers events, and reads records back. It knows nothing of what they
//! mean. Everything here is synchronous and may block on the disk.
//!
//! # Format 1
//!
//! A journal is the file `events.jsonl`. Each line is one JSON object in UTF-8 and ends with one
//! `\n`. The first line is the header; it has `"format":1` and what else its writer put there. Each
//! further line is a record with a top-level `"seq"`, its number. Numbers increase from line to
//! line, with gaps. The journal adds the last fields of each line:
//!
//! ```text
//! {"seq":7, … ,"prev":4,"crc":"e3069283"}
//! └───────── covered ──┘
//! ```
//!
//! - `prev` (records only) is the `seq` of the record before, or 0. A record that was removed with
//!   its line is noticed by it.
//! - `crc` is the CRC-32C (Castagnoli, as in iSCSI) of all bytes of the line before `,"crc":"`, in
//!   eight lower-case hexadecimal digits. There is no other byte between `,"crc":"` and the end of
//!   the line than these digits and `"}`. To check a line by hand, remove its last 18 bytes and
//!   compute the checksum of the rest.
//!
//! The rule for `crc` holds for the header line of every later format too, so that a version that
//! does not know the format can still tell it from damage.
//!
//! A line is at most 4 MiB long ([`MAX_RECORD`]), without its newline. Larger content goes to
//! [`Blobs`].
//!
//! # What is promised
//!
//! - [`Journal::append`] writes one line with one system call and makes it durable before it
//!   returns the proof, [`Appended`]. A part of a line is cut off again before anything else
//!   happens; after a failed sync nothing more is written to that file.
//! - Opening a healthy journal changes nothing. A last line without a newline is moved to
//!   `events.jsonl.torn-<offset>`. All other [`Damage`] is left as it is and reported, and
//!   everything around it is served, also intact records on the same line.
//! - A repair, which only [`Opened::repair`] does, keeps the log as it was beside the new one.
//! - A number is issued once, over all crashes and whatever lines are lost at the end of the file;
//!   see [`ContinueAt`] and [`RESERVE`].
//! - Every file access goes through [`Storage`].

mod blobs;
mod checkpoint;
mod damage;
mod error;
mod header;
mod index;
mod journal;
mod line;
mod numbers;
mod reader;
mod record;
mod replace;
mod replay;
mod report;
mod resume;
mod salvage;
mod scan;
mod storage;

pub use blobs::{BlobError, Blobs};
pub use checkpoint::{CheckpointState, check_checkpoint, read_checkpoint, write_checkpoint};
pub use damage::{Damage, DamageReason};
pub use error::{
    AppendError, BoxError, CopyError, CreateError, FailedStep, Failure, ForeignChange,
    InvalidRecord, OpenError, ReadError, RepairError,
};
pub use header::Header;
pub use index::Index;
pub use journal::{Appended, Durability, Journal, Opened};
pub use line::{check_line, seal_line};
pub use numbers::{ContinueAt, NeedsRecord, RESERVE};
pub use reader::{Reader, Records};
pub use record::{Place, Record, RecordRef};
pub use replace::{read_bounded, replace_file};
pub use report::{OpenReport, Resumed, TornTail};
pub use resume::ResumePoint;
pub use storage::{Access, FileId, FileStatus, FileStorage, LogFile, Storage};

/// The format that this version writes.
pub const FORMAT: u32 = 1;

/// The longest line, in bytes, without its newline.
pub const MAX_RECORD: usize = 4 * 1024 * 1024;

/// The name of a journal's file in its directory.
pub const EVENTS: &str = "events.jsonl";
