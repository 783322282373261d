//! Texts on a byte stream. In: bytes; out: one frame per JSON text, and back.
//!
//! Two framings are told apart by the first byte: lines for shells and scripts, header blocks for
//! clients with a library for the Language Server Protocol. Neither side negotiates anything, and the
//! driver knows neither.

mod decoder;
mod encoder;
mod error;
mod header;
mod incoming;
mod kind;
mod lines;
mod long_lines;

use std::time::Duration;

pub(crate) use decoder::FrameDecoder;
pub(crate) use encoder::TextEncoder;
pub use error::FrameError;
pub(crate) use incoming::Incoming;
pub(crate) use kind::{ChosenFraming, Framing};
pub use lines::{LineCutter, LineTooLong};

/// Limits of the texts on a byte stream.
#[derive(Debug, Clone, Copy)]
pub struct FrameLimits {
    /// Bytes of the largest text that is read.
    pub frame: usize,
    /// From a text's first byte to its last; `None` for any time.
    pub partial_frame: Option<Duration>,
    /// The longest time that the other side may read nothing while there is something to write; `None` for any time.
    pub write: Option<Duration>,
}
