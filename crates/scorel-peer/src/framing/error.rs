use std::io;

use super::lines::LineTooLong;

/// The reason why no further frame can be read. The position of the next frame is unknown then, so the
/// connection ends.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    #[error("the first byte begins neither a JSON text nor a Content-Length header")]
    Unrecognised,
    /// A header block is malformed.
    #[error("{0}")]
    Header(&'static str),
    #[error("the frame is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the frame is not UTF-8")]
    NotUtf8,
    /// [`FrameLimits::partial_frame`](crate::FrameLimits::partial_frame) passed in the middle of a frame.
    #[error("the frame was not complete in time")]
    Stalled,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<LineTooLong> for FrameError {
    fn from(LineTooLong { limit }: LineTooLong) -> Self {
        Self::TooLarge { limit }
    }
}
