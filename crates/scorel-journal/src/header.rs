//! The header, the first line of a log.

use std::sync::Arc;

use crate::line::check_header;
use crate::scan::{LinePiece, LineScanner};
use crate::storage::LogFile;
use crate::{DamageReason, OpenError, StepError};

/// The first line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogHeader {
    format: u32,
    text: String,
}

impl LogHeader {
    /// The log format; see [`FORMAT`](crate::FORMAT).
    pub fn format(&self) -> u32 {
        self.format
    }

    /// The whole line without its newline, a JSON object.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Offset of the first record.
    pub(crate) fn end(&self) -> u64 {
        self.text.len() as u64 + 1
    }

    /// Reads and checks the header of a file of `len` bytes.
    pub(crate) fn read(file: &Arc<dyn LogFile>, len: u64) -> Result<Self, OpenError> {
        let mut lines = LineScanner::new(Arc::clone(file), 0, len);
        let bytes = match lines.next().map_err(StepError::of("read the log"))? {
            Some(LinePiece::Line { bytes, .. }) => bytes,
            Some(LinePiece::Oversize { .. }) => {
                return Err(OpenError::HeaderDamaged(DamageReason::Oversize));
            }
            Some(LinePiece::Unterminated { .. }) | None => return Err(OpenError::HeaderMissing),
        };
        let format = check_header(bytes).map_err(OpenError::HeaderDamaged)?;
        let text = String::from_utf8(bytes.to_vec())
            .map_err(|_| OpenError::HeaderDamaged(DamageReason::Malformed))?;
        Ok(Self { format, text })
    }
}
