//! Files that are read as a whole.

use std::io::Read as _;
use std::ops::Range;

use scorel_files::hash_of;
use scorel_fs::TextEncoding;
use scorel_proto::BlobHash;

use crate::error::{ErrorCode, ToolError};
use crate::limits::MAX_FILE_BYTES;
use crate::roots::Location;
use crate::running_call::RunningCall;
use crate::seen_files::Coverage;

/// A text file as it is.
#[derive(Debug, Clone)]
pub struct WholeFile {
    pub location: Location,
    /// Of the file on the disk.
    pub bytes: u64,
    pub sha256: BlobHash,
    pub text: String,
}

impl RunningCall {
    /// Reads a text file that the call may show.
    ///
    /// # Errors
    /// It leads outside, is not text, or is larger than files that are read as a whole.
    pub fn read_whole(&self, location: &Location) -> Result<WholeFile, ToolError> {
        let file = self.open_shown(location)?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| {
                location.refused(ErrorCode::Internal, format!("cannot be read: {error}"))
            })?;
        let length = bytes.len() as u64;
        if length > MAX_FILE_BYTES {
            let reason = format!("has more than {MAX_FILE_BYTES} bytes");
            return Err(location.refused(ErrorCode::ReadLimit, reason));
        }
        let decoded = TextEncoding::decode(&bytes);
        let (_, text) =
            decoded.ok_or_else(|| location.refused(ErrorCode::Binary, "is not a text"))?;
        Ok(WholeFile {
            bytes: length,
            sha256: hash_of(&bytes),
            text: text.into_owned(),
            location: location.clone(),
        })
    }

    /// Notes that the model gets to see this part of a file's text.
    pub fn shows(&self, file: &WholeFile, part: Range<usize>) {
        let part = Coverage::from(part.start as u64..part.end as u64);
        let seen = &self.files.seen;
        seen.add(&file.location, file.sha256.clone(), part);
    }
}
