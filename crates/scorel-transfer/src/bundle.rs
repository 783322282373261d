//! Bundles: a session in a `.tar.gz`.
//!
//! | entry | content |
//! |---|---|
//! | `SHA256SUMS` | the hashes of all other entries, as `sha256sum -c` reads them; the first entry |
//! | `bundle.json` | a [`BundleInfo`]: the version of the format, and the session |
//! | `events.jsonl` | the records of the log as they are, one a line |
//! | `blobs/<SHA-256>` | the blobs that they name |
//!
//! A reader takes regular files with these names and their directory, nothing else, checks each against
//! the list, and bounds what it unpacks.

mod error;
mod reader;
mod writer;

use scorel_proto::Session;
use serde::{Deserialize, Serialize};

pub use error::BundleProblem;
pub use reader::{BundleLimits, extract_bundle};
pub use writer::{BundleEntry, BundleWriter, sha256_of};

/// The version of the format.
pub const BUNDLE_FORMAT: u32 = 1;

/// The first entry.
const SUMS: &str = "SHA256SUMS";

/// The entry that says what the bundle is.
pub const INFO: &str = "bundle.json";

/// The entry with the records.
pub const EVENTS: &str = "events.jsonl";

/// The directory of the blobs.
pub const BLOBS: &str = "blobs/";

/// The description of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BundleInfo {
    /// [`BUNDLE_FORMAT`] of the program that wrote it.
    pub format: u32,
    /// The session as it was.
    pub session: Session,
}
